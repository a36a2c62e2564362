//! The driver's functions that memcore itself does not call, and programs of others do: as the table of the seam.

/// Calls `$callback!` with every entry point: the machine's method, the driver's symbols, the C parameters.
macro_rules! more_entry_points {
    ($callback:ident) => {
        $callback! {
            context_create = "cuCtxCreate_v2"(out: *mut CUcontext, flags: u32, device: CUdevice);
            context_create_with_affinity = "cuCtxCreate_v3"(out: *mut CUcontext, affinity: *const c_void, count: i32, flags: u32, device: CUdevice);
            context_create_with = "cuCtxCreate_v4"(out: *mut CUcontext, parameters: *const c_void, flags: u32, device: CUdevice);
            context_destroy = "cuCtxDestroy_v2"(context: CUcontext);
            context_push = "cuCtxPushCurrent_v2"(context: CUcontext);
            context_pop = "cuCtxPopCurrent_v2"(out: *mut CUcontext);
            context_device = "cuCtxGetDevice"(out: *mut CUdevice);
            context_flags = "cuCtxGetFlags"(out: *mut u32);
            context_set_flags = "cuCtxSetFlags"(flags: u32);
            context_id = "cuCtxGetId"(context: CUcontext, out: *mut u64);
            context_api_version = "cuCtxGetApiVersion"(context: CUcontext, out: *mut u32);
            context_device_of = "cuCtxGetDevice_v2"(out: *mut CUdevice, context: CUcontext);
            context_synchronize_of = "cuCtxSynchronize_v2"(context: CUcontext);
            primary_context_state = "cuDevicePrimaryCtxGetState"(device: CUdevice, flags: *mut u32, is_active: *mut i32);
            primary_context_set_flags = "cuDevicePrimaryCtxSetFlags_v2"(device: CUdevice, flags: u32);
            primary_context_reset = "cuDevicePrimaryCtxReset_v2"(device: CUdevice);
        }
    };
}

pub(super) use more_entry_points;
