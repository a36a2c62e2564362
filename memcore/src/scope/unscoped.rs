//! Lent memory where no scope is named: no program compiles with it, and the error says what is missing.

use super::copy::{LentDestination, LentSource};
use super::lent::Lent;
use crate::__private::{Fill, Pair};
use crate::copy::Order;
use crate::error::Result;
use crate::memory::array::ArrayObject;
use crate::memory::operand::{DeviceSource, HostSource};
use crate::memory::{DeviceSlice, View};

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

impl<'x, 'scope, M: ?Sized, D, const N: usize> Pair<View<&'x Lent<'scope, M>, N>> for D
where
    View<&'x Lent<'scope, M>, N>: WithoutScope,
{
    fn copy(self, source: View<&'x Lent<'scope, M>, N>, _order: Order<'_>) -> Result<()> {
        source.never()
    }
}

macro_rules! to_lent {
    ($([$($generics:tt)*] $destination:ty: $source:ty;)*) => {$(
        impl<'x, 'scope, M: ?Sized, T, $($generics)*> Pair<$source> for $destination
        where
            $destination: WithoutScope,
        {
            fn copy(self, _source: $source, _order: Order<'_>) -> Result<()> {
                self.never()
            }
        }
    )*};
}

to_lent! {
    [] LentDestination<'x, 'scope, M>: HostSource<'_, T>;
    [] LentDestination<'x, 'scope, M>: DeviceSource<'_, T>;
    [const B: usize] LentDestination<'x, 'scope, M>: View<&ArrayObject<T>, B>;
    [const A: usize] View<&'x mut Lent<'scope, M>, A>: HostSource<'_, T>;
    [const A: usize] View<&'x mut Lent<'scope, M>, A>: DeviceSource<'_, T>;
    [const A: usize, const B: usize] View<&'x mut Lent<'scope, M>, A>: View<&[T], B>;
    [const A: usize, const B: usize] View<&'x mut Lent<'scope, M>, A>: View<&DeviceSlice<T>, B>;
    [const A: usize, const B: usize] View<&'x mut Lent<'scope, M>, A>: View<&ArrayObject<T>, B>;
}

impl<'x, 'scope, M: ?Sized, T, const N: usize> Fill<T> for View<&'x mut Lent<'scope, M>, N>
where
    View<&'x mut Lent<'scope, M>, N>: WithoutScope,
{
    fn fill(self, _value: T, _order: Order<'_>) -> Result<()> {
        self.never()
    }
}

impl<'x, 'scope, M: ?Sized, T> Fill<T> for LentDestination<'x, 'scope, M>
where
    LentDestination<'x, 'scope, M>: WithoutScope,
{
    fn fill(self, _value: T, _order: Order<'_>) -> Result<()> {
        self.never()
    }
}
