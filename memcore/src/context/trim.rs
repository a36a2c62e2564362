//! What a context keeps for later, given back.

use super::binding::Relaxed;
use super::inner::Inner;
use crate::driver::Driver;
use crate::error::Result;

impl Inner {
    /// Gives back what is kept for later: of device memory and of page-locked memory all but `keep` bytes of each, idle
    /// page-locked memory for copies with its events, and idle threads.
    #[track_caller]
    pub(super) fn trim_all(&self, keep: usize) -> Result<()> {
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let trimmed = self.trim_settled(self.pool(), keep);
        self.trim_host_bound(bound.driver());
        trimmed.and(self.trim_kept(keep))
    }

    /// Gives back idle page-locked memory for copies with its events, and idle threads.
    #[track_caller]
    pub(super) fn trim_host(&self) -> Result<()> {
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        self.trim_host_bound(bound.driver());
        Ok(())
    }

    #[track_caller]
    fn trim_host_bound(&self, driver: &dyn Driver) {
        self.staging_pool().trim(driver);
        self.idle_events().destroy(driver);
        self.crew().dismiss();
    }
}

#[cfg(test)]
mod tests {
    use crate::context::{Context, Staging};
    use crate::driver::sim::{Sim, SimOptions};
    use crate::{DeviceBuffer, copy};
    use std::thread;

    #[test]
    fn threads_that_copied_end() {
        let sim = Sim::new(SimOptions::default());
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        context.set_staging(Staging::default().threads(3)).unwrap();
        let (host, mut dev) = (vec![1_u8; 16 << 20], DeviceBuffer::zeroed_in(&context, 16 << 20).unwrap());
        copy!(dev <- host).unwrap();
        assert_eq!(context.inner.crew().len(), 2);
        // One that has just left the copy may not be idle yet.
        while context.inner.crew().len() > 0 {
            context.trim(0).unwrap();
            thread::yield_now();
        }
        copy!(dev <- host).unwrap();
        assert_eq!(context.inner.crew().len(), 2);
    }
}
