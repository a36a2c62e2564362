//! The one table of driver entry points: everything that is made per entry point (the trait, the loaded functions, the
//! simulated device's front) is generated from it.

/// Calls `$callback!` with every entry point of the seam: the method's name, the driver's versioned symbol, the symbol of the
/// same function for programs whose default stream is the thread's own, where that is another function, and the C parameters.
/// Every one returns a `CUresult`, a [`Status`](crate::Status) here.
macro_rules! entry_points {
    ($callback:ident) => {
        $callback! {
            init = "cuInit"(flags: u32);
            driver_version = "cuDriverGetVersion"(out: *mut i32);

            device_count = "cuDeviceGetCount"(out: *mut i32);
            device_get = "cuDeviceGet"(out: *mut CUdevice, ordinal: i32);
            device_name = "cuDeviceGetName"(out: *mut c_char, len: i32, device: CUdevice);
            device_uuid = "cuDeviceGetUuid"(out: *mut CUuuid, device: CUdevice);
            device_attribute = "cuDeviceGetAttribute"(out: *mut i32, attribute: u32, device: CUdevice);
            device_total_memory = "cuDeviceTotalMem_v2"(out: *mut usize, device: CUdevice);
            device_can_access_peer = "cuDeviceCanAccessPeer"(out: *mut i32, device: CUdevice, peer: CUdevice);

            primary_context_retain = "cuDevicePrimaryCtxRetain"(out: *mut CUcontext, device: CUdevice);
            primary_context_release = "cuDevicePrimaryCtxRelease_v2"(device: CUdevice);
            context_current = "cuCtxGetCurrent"(out: *mut CUcontext);
            context_set_current = "cuCtxSetCurrent"(context: CUcontext);
            context_synchronize = "cuCtxSynchronize"();
            context_enable_peer = "cuCtxEnablePeerAccess"(peer: CUcontext, flags: u32);
            context_disable_peer = "cuCtxDisablePeerAccess"(peer: CUcontext);
            stream_priority_range = "cuCtxGetStreamPriorityRange"(least: *mut i32, greatest: *mut i32);
            exchange_capture_mode = "cuThreadExchangeStreamCaptureMode"(mode: *mut u32);

            stream_create = "cuStreamCreateWithPriority"(out: *mut CUstream, flags: u32, priority: i32);
            stream_destroy = "cuStreamDestroy_v2"(stream: CUstream);
            stream_synchronize = "cuStreamSynchronize" | "cuStreamSynchronize_ptsz"(stream: CUstream);
            stream_query = "cuStreamQuery" | "cuStreamQuery_ptsz"(stream: CUstream);
            stream_wait_event = "cuStreamWaitEvent" | "cuStreamWaitEvent_ptsz"(stream: CUstream, event: CUevent, flags: u32);
            stream_is_capturing = "cuStreamIsCapturing" | "cuStreamIsCapturing_ptsz"(stream: CUstream, out: *mut u32);
            stream_write_value_32 = "cuStreamWriteValue32_v2" | "cuStreamWriteValue32_v2_ptsz"(stream: CUstream, address: CUdeviceptr, value: u32, flags: u32);

            stream_begin_capture = "cuStreamBeginCapture_v2" | "cuStreamBeginCapture_v2_ptsz"(stream: CUstream, mode: u32);
            stream_end_capture = "cuStreamEndCapture" | "cuStreamEndCapture_ptsz"(stream: CUstream, out: *mut CUgraph);
            graph_destroy = "cuGraphDestroy"(graph: CUgraph);
            launch_host_function = "cuLaunchHostFunc" | "cuLaunchHostFunc_ptsz"(stream: CUstream, function: CUhostFn, data: *mut c_void);

            event_create = "cuEventCreate"(out: *mut CUevent, flags: u32);
            event_destroy = "cuEventDestroy_v2"(event: CUevent);
            event_record = "cuEventRecord" | "cuEventRecord_ptsz"(event: CUevent, stream: CUstream);
            event_query = "cuEventQuery"(event: CUevent);
            event_synchronize = "cuEventSynchronize"(event: CUevent);
            event_elapsed_time = "cuEventElapsedTime"(out: *mut f32, start: CUevent, end: CUevent);

            memory_info = "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
            mem_alloc = "cuMemAlloc_v2"(out: *mut CUdeviceptr, bytes: usize);
            mem_alloc_pitch = "cuMemAllocPitch_v2"(out: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, element: u32);
            mem_free = "cuMemFree_v2"(address: CUdeviceptr);
            mem_alloc_async = "cuMemAllocAsync" | "cuMemAllocAsync_ptsz"(out: *mut CUdeviceptr, bytes: usize, stream: CUstream);
            mem_alloc_from_pool = "cuMemAllocFromPoolAsync" | "cuMemAllocFromPoolAsync_ptsz"(out: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream);
            mem_free_async = "cuMemFreeAsync" | "cuMemFreeAsync_ptsz"(address: CUdeviceptr, stream: CUstream);
            mem_alloc_managed = "cuMemAllocManaged"(out: *mut CUdeviceptr, bytes: usize, flags: u32);
            mem_prefetch = "cuMemPrefetchAsync" | "cuMemPrefetchAsync_ptsz"(address: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream);
            mem_advise = "cuMemAdvise"(address: CUdeviceptr, bytes: usize, advice: u32, device: CUdevice);
            mem_range_attribute = "cuMemRangeGetAttribute"(out: *mut c_void, size: usize, attribute: u32, address: CUdeviceptr, bytes: usize);
            stream_attach_memory = "cuStreamAttachMemAsync" | "cuStreamAttachMemAsync_ptsz"(stream: CUstream, address: CUdeviceptr, bytes: usize, flags: u32);
            mem_host_alloc = "cuMemHostAlloc"(out: *mut *mut c_void, bytes: usize, flags: u32);
            mem_free_host = "cuMemFreeHost"(pointer: *mut c_void);
            mem_host_device_pointer = "cuMemHostGetDevicePointer_v2"(out: *mut CUdeviceptr, pointer: *mut c_void, flags: u32);
            mem_host_flags = "cuMemHostGetFlags"(out: *mut u32, pointer: *mut c_void);
            mem_host_register = "cuMemHostRegister_v2"(pointer: *mut c_void, bytes: usize, flags: u32);
            mem_host_unregister = "cuMemHostUnregister"(pointer: *mut c_void);
            mem_address_range = "cuMemGetAddressRange_v2"(base: *mut CUdeviceptr, size: *mut usize, address: CUdeviceptr);
            pointer_attribute = "cuPointerGetAttribute"(out: *mut c_void, attribute: u32, address: CUdeviceptr);

            pool_create = "cuMemPoolCreate"(out: *mut CUmemoryPool, props: *const CUmemPoolProps);
            pool_destroy = "cuMemPoolDestroy"(pool: CUmemoryPool);
            pool_set_attribute = "cuMemPoolSetAttribute"(pool: CUmemoryPool, attribute: u32, value: *mut c_void);
            pool_get_attribute = "cuMemPoolGetAttribute"(pool: CUmemoryPool, attribute: u32, value: *mut c_void);
            pool_trim = "cuMemPoolTrimTo"(pool: CUmemoryPool, keep: usize);
            pool_set_access = "cuMemPoolSetAccess"(pool: CUmemoryPool, access: *const CUmemAccessDesc, count: usize);
            pool_get_access = "cuMemPoolGetAccess"(flags: *mut u32, pool: CUmemoryPool, location: *mut CUmemLocation);

            array_create = "cuArrayCreate_v2"(out: *mut CUarray, descriptor: *const CUDA_ARRAY_DESCRIPTOR);
            array_create_3d = "cuArray3DCreate_v2"(out: *mut CUarray, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR);
            array_descriptor = "cuArrayGetDescriptor_v2"(out: *mut CUDA_ARRAY_DESCRIPTOR, array: CUarray);
            array_descriptor_3d = "cuArray3DGetDescriptor_v2"(out: *mut CUDA_ARRAY3D_DESCRIPTOR, array: CUarray);
            array_destroy = "cuArrayDestroy"(array: CUarray);

            memcpy_htod = "cuMemcpyHtoD_v2" | "cuMemcpyHtoD_v2_ptds"(dst: CUdeviceptr, src: *const c_void, bytes: usize);
            memcpy_dtoh = "cuMemcpyDtoH_v2" | "cuMemcpyDtoH_v2_ptds"(dst: *mut c_void, src: CUdeviceptr, bytes: usize);
            memcpy_dtod = "cuMemcpyDtoD_v2" | "cuMemcpyDtoD_v2_ptds"(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize);
            memcpy_htod_async = "cuMemcpyHtoDAsync_v2" | "cuMemcpyHtoDAsync_v2_ptsz"(dst: CUdeviceptr, src: *const c_void, bytes: usize, stream: CUstream);
            memcpy_dtoh_async = "cuMemcpyDtoHAsync_v2" | "cuMemcpyDtoHAsync_v2_ptsz"(dst: *mut c_void, src: CUdeviceptr, bytes: usize, stream: CUstream);
            memcpy_dtod_async = "cuMemcpyDtoDAsync_v2" | "cuMemcpyDtoDAsync_v2_ptsz"(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize, stream: CUstream);
            memcpy_peer = "cuMemcpyPeer" | "cuMemcpyPeer_ptds"(dst: CUdeviceptr, dst_context: CUcontext, src: CUdeviceptr, src_context: CUcontext, bytes: usize);
            memcpy_peer_async = "cuMemcpyPeerAsync" | "cuMemcpyPeerAsync_ptsz"(dst: CUdeviceptr, dst_context: CUcontext, src: CUdeviceptr, src_context: CUcontext, bytes: usize, stream: CUstream);
            memcpy_2d = "cuMemcpy2D_v2" | "cuMemcpy2D_v2_ptds"(copy: *const CUDA_MEMCPY2D);
            memcpy_2d_unaligned = "cuMemcpy2DUnaligned_v2" | "cuMemcpy2DUnaligned_v2_ptds"(copy: *const CUDA_MEMCPY2D);
            memcpy_2d_async = "cuMemcpy2DAsync_v2" | "cuMemcpy2DAsync_v2_ptsz"(copy: *const CUDA_MEMCPY2D, stream: CUstream);
            memcpy_3d = "cuMemcpy3D_v2" | "cuMemcpy3D_v2_ptds"(copy: *const CUDA_MEMCPY3D);
            memcpy_3d_async = "cuMemcpy3DAsync_v2" | "cuMemcpy3DAsync_v2_ptsz"(copy: *const CUDA_MEMCPY3D, stream: CUstream);
            memcpy_3d_peer_async = "cuMemcpy3DPeerAsync" | "cuMemcpy3DPeerAsync_ptsz"(copy: *const CUDA_MEMCPY3D, stream: CUstream);

            memset_d8 = "cuMemsetD8_v2" | "cuMemsetD8_v2_ptds"(dst: CUdeviceptr, value: u8, count: usize);
            memset_d16 = "cuMemsetD16_v2" | "cuMemsetD16_v2_ptds"(dst: CUdeviceptr, value: u16, count: usize);
            memset_d32 = "cuMemsetD32_v2" | "cuMemsetD32_v2_ptds"(dst: CUdeviceptr, value: u32, count: usize);
            memset_d8_async = "cuMemsetD8Async" | "cuMemsetD8Async_ptsz"(dst: CUdeviceptr, value: u8, count: usize, stream: CUstream);
            memset_d16_async = "cuMemsetD16Async" | "cuMemsetD16Async_ptsz"(dst: CUdeviceptr, value: u16, count: usize, stream: CUstream);
            memset_d32_async = "cuMemsetD32Async" | "cuMemsetD32Async_ptsz"(dst: CUdeviceptr, value: u32, count: usize, stream: CUstream);
            memset_d2d8 = "cuMemsetD2D8_v2" | "cuMemsetD2D8_v2_ptds"(dst: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize);
            memset_d2d16 = "cuMemsetD2D16_v2" | "cuMemsetD2D16_v2_ptds"(dst: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize);
            memset_d2d32 = "cuMemsetD2D32_v2" | "cuMemsetD2D32_v2_ptds"(dst: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize);
            memset_d2d8_async = "cuMemsetD2D8Async" | "cuMemsetD2D8Async_ptsz"(dst: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: CUstream);
            memset_d2d16_async = "cuMemsetD2D16Async" | "cuMemsetD2D16Async_ptsz"(dst: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize, stream: CUstream);
            memset_d2d32_async = "cuMemsetD2D32Async" | "cuMemsetD2D32Async_ptsz"(dst: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize, stream: CUstream);
        }
    };
}

pub(crate) use entry_points;
