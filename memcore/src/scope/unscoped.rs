//! Lent memory where no scope is named: no program compiles with it, and the error says what is missing.

use super::copy::{LentDestination, LentSource};
use crate::__private::{Fill, Pair};
use crate::copy::Order;
use crate::error::Result;
use crate::memory::operand::{DeviceSource, HostSource};

/// Lent memory that is used without its scope. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "memory that is lent to a scope is used with that scope alone",
    label = "name the scope it is lent to: `copy!(destination <- source, scope)`, `fill!(destination <- value, scope)`"
)]
pub trait WithoutScope {
    #[doc(hidden)]
    fn never(&self) -> Result<()>;
}

impl<'x, 'scope, M: ?Sized, D> Pair<LentSource<'x, 'scope, M>> for D
where
    LentSource<'x, 'scope, M>: WithoutScope,
{
    fn copy(self, source: LentSource<'x, 'scope, M>, _order: Order<'_>) -> Result<()> {
        source.never()
    }
}

macro_rules! to_lent {
    ($($source:ident),*) => {$(
        impl<'x, 'scope, M: ?Sized, T> Pair<$source<'_, T>> for LentDestination<'x, 'scope, M>
        where
            LentDestination<'x, 'scope, M>: WithoutScope,
        {
            fn copy(self, _source: $source<'_, T>, _order: Order<'_>) -> Result<()> {
                self.never()
            }
        }
    )*};
}

to_lent!(HostSource, DeviceSource);

impl<'x, 'scope, M: ?Sized, T> Fill<T> for LentDestination<'x, 'scope, M>
where
    LentDestination<'x, 'scope, M>: WithoutScope,
{
    fn fill(self, _value: T, _order: Order<'_>) -> Result<()> {
        self.never()
    }
}
