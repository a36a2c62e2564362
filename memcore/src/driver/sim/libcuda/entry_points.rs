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

            device_uuid_2 = "cuDeviceGetUuid_v2"(out: *mut CUuuid, device: CUdevice);
            device_properties = "cuDeviceGetProperties"(out: *mut i32, device: CUdevice);
            device_compute_capability = "cuDeviceComputeCapability"(major: *mut i32, minor: *mut i32, device: CUdevice);
            device_bus_id = "cuDeviceGetPCIBusId"(out: *mut c_char, len: i32, device: CUdevice);
            device_by_bus_id = "cuDeviceGetByPCIBusId"(out: *mut CUdevice, text: *const c_char);
            device_peer_attribute = "cuDeviceGetP2PAttribute"(out: *mut i32, attribute: u32, device: CUdevice, peer: CUdevice);
            device_default_pool = "cuDeviceGetDefaultMemPool"(out: *mut CUmemoryPool, device: CUdevice);
            device_pool = "cuDeviceGetMemPool"(out: *mut CUmemoryPool, device: CUdevice);
            device_set_pool = "cuDeviceSetMemPool"(device: CUdevice, pool: CUmemoryPool);

            stream_create_plain = "cuStreamCreate"(out: *mut CUstream, flags: u32);
            stream_flags = "cuStreamGetFlags" | "cuStreamGetFlags_ptsz"(stream: CUstream, out: *mut u32);
            stream_priority = "cuStreamGetPriority" | "cuStreamGetPriority_ptsz"(stream: CUstream, out: *mut i32);
            stream_id = "cuStreamGetId" | "cuStreamGetId_ptsz"(stream: CUstream, out: *mut u64);
            stream_context = "cuStreamGetCtx" | "cuStreamGetCtx_ptsz"(stream: CUstream, out: *mut CUcontext);
            stream_device = "cuStreamGetDevice" | "cuStreamGetDevice_ptsz"(stream: CUstream, out: *mut CUdevice);
            stream_add_callback = "cuStreamAddCallback" | "cuStreamAddCallback_ptsz"(stream: CUstream, callback: CUstreamCallback, data: *mut c_void, flags: u32);
            stream_capture_info = "cuStreamGetCaptureInfo" | "cuStreamGetCaptureInfo_ptsz"(stream: CUstream, status: *mut u32, id: *mut u64);
            stream_capture_info_2 = "cuStreamGetCaptureInfo_v2" | "cuStreamGetCaptureInfo_v2_ptsz"(stream: CUstream, status: *mut u32, id: *mut u64, graph: *mut CUgraph, dependencies: *mut *const c_void, count: *mut usize);
            stream_capture_info_3 = "cuStreamGetCaptureInfo_v3" | "cuStreamGetCaptureInfo_v3_ptsz"(stream: CUstream, status: *mut u32, id: *mut u64, graph: *mut CUgraph, dependencies: *mut *const c_void, edges: *mut *const c_void, count: *mut usize);
            stream_write_value_64 = "cuStreamWriteValue64_v2" | "cuStreamWriteValue64_v2_ptsz"(stream: CUstream, address: CUdeviceptr, value: u64, flags: u32);
            event_record_with_flags = "cuEventRecordWithFlags" | "cuEventRecordWithFlags_ptsz"(event: CUevent, stream: CUstream, flags: u32);
            event_elapsed_time_2 = "cuEventElapsedTime_v2"(out: *mut f32, start: CUevent, end: CUevent);

            mem_alloc_host = "cuMemAllocHost_v2"(out: *mut *mut c_void, bytes: usize);
            mem_prefetch_to = "cuMemPrefetchAsync_v2" | "cuMemPrefetchAsync_v2_ptsz"(address: CUdeviceptr, bytes: usize, location: CUmemLocation, flags: u32, stream: CUstream);
            mem_advise_at = "cuMemAdvise_v2"(address: CUdeviceptr, bytes: usize, advice: u32, location: CUmemLocation);
            mem_range_attributes = "cuMemRangeGetAttributes"(values: *const *mut c_void, sizes: *const usize, attributes: *const u32, count: usize, address: CUdeviceptr, bytes: usize);
            pointer_attributes = "cuPointerGetAttributes"(count: u32, attributes: *const u32, values: *const *mut c_void, address: CUdeviceptr);

            memcpy_any = "cuMemcpy" | "cuMemcpy_ptds"(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize);
            memcpy_any_async = "cuMemcpyAsync" | "cuMemcpyAsync_ptsz"(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize, stream: CUstream);
            memcpy_dtoa = "cuMemcpyDtoA_v2" | "cuMemcpyDtoA_v2_ptds"(dst: CUarray, offset: usize, src: CUdeviceptr, bytes: usize);
            memcpy_atod = "cuMemcpyAtoD_v2" | "cuMemcpyAtoD_v2_ptds"(dst: CUdeviceptr, src: CUarray, offset: usize, bytes: usize);
            memcpy_htoa = "cuMemcpyHtoA_v2" | "cuMemcpyHtoA_v2_ptds"(dst: CUarray, offset: usize, src: *const c_void, bytes: usize);
            memcpy_atoh = "cuMemcpyAtoH_v2" | "cuMemcpyAtoH_v2_ptds"(dst: *mut c_void, src: CUarray, offset: usize, bytes: usize);
            memcpy_atoa = "cuMemcpyAtoA_v2" | "cuMemcpyAtoA_v2_ptds"(dst: CUarray, dst_offset: usize, src: CUarray, src_offset: usize, bytes: usize);
            memcpy_htoa_async = "cuMemcpyHtoAAsync_v2" | "cuMemcpyHtoAAsync_v2_ptsz"(dst: CUarray, offset: usize, src: *const c_void, bytes: usize, stream: CUstream);
            memcpy_atoh_async = "cuMemcpyAtoHAsync_v2" | "cuMemcpyAtoHAsync_v2_ptsz"(dst: *mut c_void, src: CUarray, offset: usize, bytes: usize, stream: CUstream);
            memcpy_3d_peer = "cuMemcpy3DPeer" | "cuMemcpy3DPeer_ptds"(copy: *const CUDA_MEMCPY3D);

            profile = "cuProfilerStart"();
            profile_no_more = "cuProfilerStop"();
        }
    };
}

pub(super) use more_entry_points;
