//! CUDA arrays: memory that textures are read from, whose layout is the driver's affair. Here the rows of an array follow
//! each other, and its bytes are those of an allocation; a handle is that allocation's address.

use super::array_shape::Shape;
use super::call::{Answer, Call, as_handle, as_pointer, read_in, write_out};
use super::machine::{Machine, Run};
use super::memory::{Allocation, Kind};
use super::operation::Span;
use super::report::{Subject, Violation, ViolationKind, stream_name};
use super::rows::Rows;
use crate::driver::ffi::{CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUarray};
use crate::error::Status;

/// Part of an array: which bytes of which rows of which slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The array's handle.
    pub(super) array: u64,
    /// Byte, row and slice that it begins at.
    pub(super) begin: [usize; 3],
    pub(super) shape: [usize; 3],
}

impl Machine {
    /// The array of a handle, by its allocation's number.
    fn array(&self, handle: u64) -> Option<(u64, Shape)> {
        let one = self.memory.at(handle)?;
        if let Kind::Array(shape) = one.kind { Some((one.id, shape)) } else { None }
    }

    /// The array that had a handle.
    fn destroyed_array(&self, handle: u64) -> Option<Subject> {
        let freed = self.memory.freed.at(handle).filter(|freed| matches!(freed.kind, Kind::Array(_)));
        freed.map(|freed| freed.subject)
    }

    /// The code for a handle of no array: of one that was destroyed the driver says that its context was. What else is no
    /// array it does not survive.
    fn no_array(&self, handle: u64) -> Status {
        match self.destroyed_array(handle) {
            Some(_) => Status::CONTEXT_IS_DESTROYED,
            None => Status::INVALID_HANDLE,
        }
    }

    /// Bytes of an array, for an operation of a call.
    ///
    /// # Safety
    ///
    /// As for [`Machine::operand`].
    pub(super) unsafe fn array_operand(&mut self, call: &Call, stream: u64, part: Part, verb: &str) -> Answer<Span> {
        if let Some((id, shape)) = self.array(part.array) {
            return match shape.part(part.begin, part.shape) {
                // SAFETY: this function's contract.
                Some(rows) => Ok(unsafe { Span::new(id, rows) }),
                None => {
                    self.report_outside(call, stream, (id, shape), part, verb);
                    Err(Status::INVALID_VALUE)
                }
            };
        }
        if let Some(subject) = self.destroyed_array(part.array) {
            let number = self.streams.get(&stream).map_or(0, |stream| stream.number);
            let (label, name) = (call.label(), stream_name(number));
            let summary = format!("{label} {verb} allocation #{}, on stream {name}", subject.number);
            self.report_destroyed(call, subject, summary, Some(number));
        }
        Err(Status::INVALID_VALUE)
    }

    fn report_destroyed(&mut self, call: &Call, subject: Subject, summary: String, stream: Option<u64>) {
        let help = "keep the array until everything that uses it is done";
        let kind = ViolationKind::UseAfterFree;
        let violation = Violation::new(kind, call.operation(), call.place, summary, help);
        self.reports.push(violation.about(Some(subject)).on_stream(stream));
    }

    fn report_outside(&mut self, call: &Call, stream: u64, (id, shape): (u64, Shape), part: Part, verb: &str) {
        let extents = [("bytes", shape.row()), ("rows", shape.rows()), ("slices", shape.slices())];
        let past = extents.iter().zip(part.begin.iter().zip(part.shape)).find_map(|((unit, extent), (begin, len))| {
            let end = begin.saturating_add(len);
            (end > *extent).then(|| format!("{unit} {begin}..{end} of {extent}"))
        });
        let number = self.streams.get(&stream).map_or(0, |stream| stream.number);
        let summary = format!(
            "{} {verb} {} of allocation #{id}, on stream {}",
            call.label(),
            past.unwrap_or_default(),
            stream_name(number)
        );
        let help = "keep the offsets and the extents of the copy within the array; a row counts in bytes";
        let subject = self.memory.get(id).map(Allocation::subject);
        let kind = ViolationKind::OutOfBounds;
        let violation = Violation::new(kind, call.operation(), call.place, summary, help);
        self.reports.push(violation.about(subject).on_stream(Some(number)));
        if verb == "writes" {
            // What would have been written counts as written: the rest is not to be told as well.
            self.mark_written(id, &Rows::run(0, shape.size() as u64));
        }
    }

    /// # Safety
    ///
    /// `out` is null or good for a write.
    unsafe fn create_array(&mut self, call: &Call, out: *mut CUarray, descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> Answer {
        let context = self.working(call)?;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let shape = Shape::new(descriptor)?;
        let base = self.alloc_device(call, context, Kind::Array(shape), shape.size())?;
        // SAFETY: this function's contract.
        unsafe { write_out(out, as_pointer(base)) }
    }

    pub(super) unsafe fn array_create(
        &mut self,
        call: &Call,
        out: *mut CUarray,
        descriptor: *const CUDA_ARRAY_DESCRIPTOR,
    ) -> Answer {
        self.working(call)?;
        // SAFETY: the driver contract.
        let CUDA_ARRAY_DESCRIPTOR { width, height, format, channels } = unsafe { read_in(descriptor) }?;
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR { width, height, depth: 0, format, channels, flags: 0 };
        // SAFETY: the driver contract of `out`.
        unsafe { self.create_array(call, out, descriptor) }
    }

    pub(super) unsafe fn array_create_3d(
        &mut self,
        call: &Call,
        out: *mut CUarray,
        descriptor: *const CUDA_ARRAY3D_DESCRIPTOR,
    ) -> Answer {
        self.working(call)?;
        // SAFETY: the driver contract.
        let descriptor = unsafe { read_in(descriptor) }?;
        // SAFETY: the driver contract of `out`.
        unsafe { self.create_array(call, out, descriptor) }
    }

    /// The descriptor of an array, for a call that is given its handle.
    fn descriptor_of(&mut self, call: &Call, array: CUarray) -> Answer<CUDA_ARRAY3D_DESCRIPTOR> {
        self.check_current(call)?;
        let handle = as_handle(array);
        if let Some(subject) = self.destroyed_array(handle) {
            let summary = format!("{} of allocation #{}", call.label(), subject.number);
            self.report_destroyed(call, subject, summary, None);
        }
        self.array(handle).map(|(_, shape)| shape.descriptor).ok_or_else(|| self.no_array(handle))
    }

    pub(super) unsafe fn array_descriptor(
        &mut self,
        call: &Call,
        out: *mut CUDA_ARRAY_DESCRIPTOR,
        array: CUarray,
    ) -> Answer {
        let CUDA_ARRAY3D_DESCRIPTOR { width, height, format, channels, .. } = self.descriptor_of(call, array)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, CUDA_ARRAY_DESCRIPTOR { width, height, format, channels }) }
    }

    pub(super) unsafe fn array_descriptor_3d(
        &mut self,
        call: &Call,
        out: *mut CUDA_ARRAY3D_DESCRIPTOR,
        array: CUarray,
    ) -> Answer {
        let descriptor = self.descriptor_of(call, array)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, descriptor) }
    }

    /// Destroys an array. What is queued on it runs first.
    pub(super) fn array_destroy(&mut self, call: &Call, array: CUarray) -> Answer {
        self.check_current(call)?;
        let handle = as_handle(array);
        if handle == 0 {
            return Err(Status::INVALID_HANDLE);
        }
        let code = self.no_array(handle);
        let (id, _) = self.freeable(call, handle, |kind| matches!(kind, Kind::Array(_))).map_err(|_| code)?;
        self.check_host_free(call, id);
        if self.run_users(id) == Run::Later {
            return Ok(());
        }
        self.alive_owner(id)?;
        self.free_device(id, call.place);
        Ok(())
    }
}
