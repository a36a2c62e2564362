//! Contexts that a program makes, the stack of a thread's current ones, and the state of primary contexts. As an H200 has it:
//! `scripts/probes/contexts.py`.

use core::ffi::c_void;

use super::super::call::{Answer, Call, as_handle, as_pointer, new_handle, write_out};
use super::super::current;
use super::super::machine::{Machine, Run};
use crate::driver::ffi::{CUcontext, CUdevice};
use crate::error::Status;

/// How a thread waits: one of these at most.
const SCHEDULES: [u32; 4] = [0, 1, 2, 4];
const SCHEDULE_MASK: u32 = 0b111;
/// The other flags: mapped host memory, local memory that stays, dumps of three kinds.
const OTHER_FLAGS: u32 = 0xF8;
/// Every context of a device maps host memory, which its primary context says.
const MAPS_HOST_MEMORY: u32 = 8;
/// What programs were compiled for that have contexts such as these.
const API_VERSION: u32 = 3020;

fn check_flags(flags: u32) -> Answer {
    let is_known = SCHEDULES.contains(&(flags & SCHEDULE_MASK)) && flags & !(SCHEDULE_MASK | OTHER_FLAGS) == 0;
    if is_known { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

impl Machine {
    pub(in super::super) unsafe fn context_create(
        &mut self,
        _: &Call,
        out: *mut CUcontext,
        flags: u32,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        check_flags(flags)?;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let key = new_handle();
        self.open_context(key, index);
        if let Some(context) = self.contexts.get_mut(&key) {
            context.flags = flags;
        }
        self.made_contexts.insert(key, index);
        current::push(&self.token, key);
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, as_pointer(key)) }
    }

    /// With a share of the multiprocessors, which has no meaning here.
    pub(in super::super) unsafe fn context_create_with_affinity(
        &mut self,
        call: &Call,
        out: *mut CUcontext,
        affinity: *const c_void,
        count: i32,
        flags: u32,
        device: CUdevice,
    ) -> Answer {
        if !affinity.is_null() || count != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        // SAFETY: the driver contract.
        unsafe { self.context_create(call, out, flags, device) }
    }

    /// With parameters, which are of such shares and of graphics.
    pub(in super::super) unsafe fn context_create_with(
        &mut self,
        call: &Call,
        out: *mut CUcontext,
        parameters: *const c_void,
        flags: u32,
        device: CUdevice,
    ) -> Answer {
        if !parameters.is_null() {
            return Err(Status::NOT_SUPPORTED);
        }
        // SAFETY: the driver contract.
        unsafe { self.context_create(call, out, flags, device) }
    }

    pub(in super::super) fn context_destroy(&mut self, call: &Call, context: CUcontext) -> Answer {
        let key = as_handle(context);
        if key == 0 {
            return Err(Status::INVALID_VALUE);
        }
        if !self.made_contexts.contains_key(&key) {
            // A primary one too: it is released.
            return Err(Status::INVALID_CONTEXT);
        }
        if !self.contexts.contains_key(&key) {
            return Err(Status::CONTEXT_IS_DESTROYED);
        }
        if self.force_first(&self.graph.of_context(key)) == Run::Later {
            return Ok(());
        }
        self.destroy_context(call, key);
        if call.current == key {
            let _ = current::pop(&self.token);
        }
        Ok(())
    }

    /// A context that was destroyed may be pushed: the calls after it fail.
    pub(in super::super) fn context_push(&mut self, _: &Call, context: CUcontext) -> Answer {
        let key = as_handle(context);
        if key == 0 {
            return Err(Status::INVALID_VALUE);
        }
        self.check_was_context(key)?;
        current::push(&self.token, key);
        Ok(())
    }

    pub(in super::super) unsafe fn context_pop(&mut self, _: &Call, out: *mut CUcontext) -> Answer {
        let popped = current::pop(&self.token).ok_or(Status::INVALID_CONTEXT)?;
        if out.is_null() {
            return Ok(());
        }
        // SAFETY: not null, so writable by the driver contract.
        unsafe { write_out(out, as_pointer(popped)) }
    }

    /// The device of the current context, also of one that was destroyed.
    pub(in super::super) unsafe fn context_device(&mut self, call: &Call, out: *mut CUdevice) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let device = self.device_that_was(call.current).ok_or(Status::INVALID_CONTEXT)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, i32::try_from(device).unwrap_or(i32::MAX)) }
    }

    pub(in super::super) unsafe fn context_device_of(
        &mut self,
        call: &Call,
        out: *mut CUdevice,
        context: CUcontext,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.named_context(call, context)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, i32::try_from(self.device_of(key)).unwrap_or(i32::MAX)) }
    }

    pub(in super::super) fn context_synchronize_of(&mut self, call: &Call, context: CUcontext) -> Answer {
        let key = self.named_context(call, context)?;
        self.context_synchronize(&Call { current: key, ..*call })
    }

    pub(in super::super) unsafe fn context_flags(&mut self, call: &Call, out: *mut u32) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.context(call)?;
        let of_primary = if self.made_contexts.contains_key(&key) { 0 } else { MAPS_HOST_MEMORY };
        let flags = self.contexts.get(&key).map_or(0, |context| context.flags) | of_primary;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, flags) }
    }

    pub(in super::super) fn context_set_flags(&mut self, call: &Call, flags: u32) -> Answer {
        let key = self.context(call)?;
        check_flags(flags)?;
        if let Some(context) = self.contexts.get_mut(&key) {
            context.flags = flags;
        }
        Ok(())
    }

    pub(in super::super) unsafe fn context_id(&mut self, call: &Call, context: CUcontext, out: *mut u64) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.named_context(call, context)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, key) }
    }

    pub(in super::super) unsafe fn context_api_version(
        &mut self,
        call: &Call,
        context: CUcontext,
        out: *mut u32,
    ) -> Answer {
        self.named_context(call, context)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, API_VERSION) }
    }

    pub(in super::super) unsafe fn primary_context_state(
        &mut self,
        _: &Call,
        device: CUdevice,
        flags: *mut u32,
        is_active: *mut i32,
    ) -> Answer {
        let index = self.device_index(device)?;
        let of = self.devices.get(index).ok_or(Status::INVALID_DEVICE)?;
        let (is, its) = (self.contexts.contains_key(&of.primary), of.primary_flags);
        if flags.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: `is_active` is null or writable by the driver contract.
        unsafe { write_out(is_active, i32::from(is)) }?;
        // SAFETY: writable by the driver contract.
        unsafe { write_out(flags, its) }
    }

    pub(in super::super) fn primary_context_set_flags(&mut self, _: &Call, device: CUdevice, flags: u32) -> Answer {
        let index = self.device_index(device)?;
        check_flags(flags)?;
        let Some(of) = self.devices.get_mut(index) else { return Err(Status::INVALID_DEVICE) };
        of.primary_flags = flags;
        if let Some(context) = self.contexts.get_mut(&of.primary) {
            context.flags = flags;
        }
        Ok(())
    }

    /// Ends a primary context, however often it is retained: it stays so.
    pub(in super::super) fn primary_context_reset(&mut self, call: &Call, device: CUdevice) -> Answer {
        let index = self.device_index(device)?;
        let Some(of) = self.devices.get_mut(index) else { return Err(Status::INVALID_DEVICE) };
        let key = of.primary;
        of.primary_flags = 0;
        if !self.contexts.contains_key(&key) {
            return Ok(());
        }
        if self.force_first(&self.graph.of_context(key)) == Run::Later {
            return Ok(());
        }
        self.destroy_context(call, key);
        Ok(())
    }

    /// Nothing is profiled, which a program need not know.
    pub(in super::super) fn profile(&mut self, call: &Call) -> Answer {
        self.working(call).map(|_| ())
    }

    pub(in super::super) fn profile_no_more(&mut self, call: &Call) -> Answer {
        self.profile(call)
    }

    /// The context that a call names, the current one where it names none.
    fn named_context(&self, call: &Call, context: CUcontext) -> Answer<u64> {
        match as_handle(context) {
            0 => self.context(call),
            key => {
                self.check_was_context(key)?;
                self.context(&Call { current: key, ..*call })
            }
        }
    }
}
