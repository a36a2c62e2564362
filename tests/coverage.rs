//! `docs/coverage.md` against what there is: every item of the documents has a row, every name in the second column is
//! memcore's, and every test in the last one exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use memcore::memory::array::{ArrayDescriptor, ArrayElement, ArrayFlags, ArrayFormat, ArrayShape};
use memcore::memory::{AsyncCopyDestination, CopyDestination, DeviceMemory, GpuBox, GpuBuffer, MemoryAdvise};
use memcore::prelude::*;
use memcore::{AttachFlag, Error, Lent, LockedFlags, MemoryPool, RegisterFlags, Registration, View, memory};

/// What the documents have, without the methods of types that the page takes together.
const ITEMS: [&[&str]; 3] = [
    &[
        "DeviceBox",
        "DeviceBuffer",
        "DevicePointer",
        "DeviceSlice",
        "DeviceVariable",
        "LockedBox",
        "LockedBuffer",
        "UnifiedBox",
        "UnifiedBuffer",
        "UnifiedPointer",
        "AsyncCopyDestination",
        "CopyDestination",
        "DeviceCopy",
        "DeviceMemory",
        "GpuBox",
        "GpuBuffer",
        "MemoryAdvise",
        "cuda_free",
        "cuda_free_async",
        "cuda_free_locked",
        "cuda_free_unified",
        "cuda_malloc",
        "cuda_malloc_async",
        "cuda_malloc_locked",
        "cuda_malloc_unified",
        "mem_get_info",
        "memcpy_htod",
        "array",
        "bytemuck",
    ],
    &[
        "AllocFlag",
        "mallocHostArray",
        "mallocHostForeignPtr",
        "freeHost",
        "registerArray",
        "unregisterArray",
        "mallocArray",
        "allocaArray",
        "free",
        "AttachFlag",
        "mallocManagedArray",
        "peekArray",
        "peekArrayAsync",
        "peekArray2D",
        "peekArray2DAsync",
        "peekListArray",
        "pokeArray",
        "pokeArrayAsync",
        "pokeArray2D",
        "pokeArray2DAsync",
        "pokeListArray",
        "copyArray",
        "copyArrayAsync",
        "copyArray2D",
        "copyArray2DAsync",
        "copyArrayPeer",
        "copyArrayPeerAsync",
        "newListArray",
        "newListArrayLen",
        "withListArray",
        "withListArrayLen",
        "memset",
        "memsetAsync",
        "getDevicePtr",
        "getBasePtr",
        "getMemInfo",
    ],
    &[
        "DeviceBuffer",
        "alloc",
        "zeroed",
        "from_host",
        "from_raw",
        "view_as",
        "view_as_mut",
        "copy_from_host",
        "copy_to_host",
        "copy_from_device",
        "copy_from_host_async",
        "copy_to_host_async",
        "as_device_ptr",
    ],
];

/// A row of the page.
struct Row<'p> {
    item: &'p str,
    memcore: &'p str,
    test: &'p str,
}

/// The rows of the tables below a heading that starts so, down to the next of its rank.
fn rows<'p>(page: &'p str, heading: &str) -> Vec<Row<'p>> {
    let sections: Vec<&str> = page.split("\n## ").filter(|section| section.starts_with(heading)).collect();
    let [section] = sections[..] else { panic!("one section is called {heading}") };
    let lines = section
        .lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|---") && !line.starts_with("| item"));
    let row = |line: &'p str| {
        let cells: Vec<&str> = line[1..line.len() - 1].split('|').map(str::trim).collect();
        let [item, memcore, _, test] = cells[..] else { panic!("a row has four cells: {line}") };
        Row { item, memcore, test }
    };
    lines.map(row).collect()
}

/// The pieces of code in a cell.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Names that compile, as the page writes them: without type arguments.
macro_rules! names {
    (
        macros { $($macro:ident)* }
        modules { $($module:ident)* }
        traits { $($trait:ident)* }
        types { $($type:ty,)* }
        paths { $($path:expr,)* }
        variants { $($variant:ident)* }
    ) => {
        /// Never called: that it compiles is what counts.
        #[allow(dead_code, unused_imports, unreachable_patterns, reason = "see above")]
        fn compiles(error: Error) {
            $({ use memcore::$macro; })*
            $({ use memcore::$module; })*
            $({ use memcore::prelude::$trait as _; })*
            $({ let _: Option<&$type> = None; })*
            $({ let _ = $path; })*
            match error {
                $(Error::$variant { .. } => {})*
                _ => {}
            }
        }

        fn names() -> BTreeSet<String> {
            let with_arguments = [$(stringify!($type),)* $(stringify!($path),)*];
            let mut names: BTreeSet<String> = with_arguments.iter().map(|name| bare(name)).collect();
            names.extend([$(concat!(stringify!($macro), "!"),)* $(stringify!($module),)* $(stringify!($trait),)*].map(str::to_owned));
            names.extend([$(concat!("Error::", stringify!($variant)),)*].map(str::to_owned));
            names
        }
    };
}

/// `DeviceBuffer::len` of `DeviceBuffer::<u8>::len as fn(..)`, `GpuBox::as_device_ptr` of
/// `<DeviceBox<u8> as GpuBox<u8>>::as_device_ptr`.
fn bare(name: &str) -> String {
    let qualified = name.strip_prefix('<').and_then(|name| name.split_once(" as ")?.1.rsplit_once(">::"));
    if let Some((of_trait, method)) = qualified {
        return format!("{}::{method}", bare(of_trait));
    }
    let name = name.split(" as ").next().unwrap_or(name);
    let mut depth = 0;
    let mut bare = String::new();
    for c in name.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    bare.replace("::::", "::").trim_end_matches("::").to_owned()
}

type Bytes<'a> = &'a [u8];
type Register = fn(Vec<u8>) -> memcore::Result<RegisteredBuffer<u8>>;
type RegisterWith<E> = fn(&Context, RegisterFlags, Vec<u8>) -> Result<RegisteredBuffer<u8>, E>;
type InRegistered = fn(&mut [u8]) -> memcore::Result<()>;
type WithRegistered = fn(&Context, &mut [u8], RegisterFlags, InRegistered) -> memcore::Result<()>;
type FromIter = fn(Vec<u8>) -> memcore::Result<DeviceBuffer<u8>>;
type IntoSlice = fn(&mut DeviceSlice<u8>, Vec<u8>) -> memcore::Result<()>;
type InScope<'s> = fn(&Scope<'s, 's>, Vec<u8>) -> memcore::Result<&'s mut Lent<'s, DeviceSlice<u8>>>;
type Image = ArrayObject<u8>;
type ReadFrom<B> = fn(&mut B, Bytes<'static>) -> std::io::Result<usize>;

names! {
    macros { copy device_box device_vec fill locked_box locked_vec unified_box unified_vec }
    modules { bytemuck }
    traits { AsyncCopyDestination CopyDestination DeviceCopy DeviceMemory GpuBox GpuBuffer MemoryAdvise }
    types {
        DeviceBox<u8>, DeviceBuffer<u8>, PitchedBuffer<u8>, DevicePointer<u8>, DeviceSlice<u8>, DeviceVariable<u8>, LockedBox<u8>,
    LockedBuffer<u8>, LockedFlags, RegisterFlags, RegisteredBuffer<u8>, AttachFlag, UnifiedBox<u8>, UnifiedBuffer<u8>, UnifiedPointer<u8>, ArrayObject<u8>, ArrayShape, ArrayFlags, ArrayDescriptor, ArrayFormat,
    }
    paths {
        DeviceBox::<u8>::new, DeviceBox::<u8>::zeroed, DeviceBox::<u8>::uninitialized, DeviceBox::<u8>::try_free,
        DeviceBox::<u8>::into_raw, DeviceBox::<u8>::from_raw, DeviceBox::<u8>::leak, DeviceBox::<u8>::cast::<i8>,
        DeviceBuffer::<u8>::from_slice, DeviceBuffer::<u8>::zeroed, DeviceBuffer::<u8>::filled,
        DeviceBuffer::<u8>::uninitialized, DeviceBuffer::<u8>::try_free, DeviceBuffer::<u8>::into_raw_parts,
        DeviceBuffer::<u8>::from_raw_parts, DeviceBuffer::<u8>::borrowed, DeviceBuffer::<u8>::leak,
        DeviceBuffer::<u8>::cast::<i8>, DeviceBuffer::<u8>::uninitialized_on, DeviceBuffer::<u8>::drop_on,
        DeviceBuffer::<u8>::try_from_iter as FromIter,
        DevicePointer::<u8>::from_raw, DevicePointer::<u8>::as_raw, DevicePointer::<u8>::null,
        DevicePointer::<u8>::is_null, DevicePointer::<u8>::offset, DevicePointer::<u8>::add, DevicePointer::<u8>::sub,
        DevicePointer::<u8>::cast::<i8>,
        DeviceSlice::<u8>::from_raw_parts, DeviceSlice::<u8>::from_raw_parts_mut, DeviceSlice::<u8>::len,
        DeviceSlice::<u8>::is_empty, DeviceSlice::<u8>::as_device_ptr, DeviceSlice::<u8>::split_at,
        DeviceSlice::<u8>::split_at_mut, DeviceSlice::<u8>::chunks, DeviceSlice::<u8>::chunks_mut,
        DeviceSlice::<u8>::to_vec, DeviceSlice::<u8>::set_8, DeviceSlice::<u8>::set_16, DeviceSlice::<u8>::set_32,
        DeviceSlice::<u8>::set_zero, DeviceSlice::<u8>::set_8_async, DeviceSlice::<u8>::set_16_async,
        DeviceSlice::<u8>::set_32_async, DeviceSlice::<u8>::set_zero_async, DeviceSlice::<u8>::fill,
        DeviceSlice::<u8>::view_as::<i8>, DeviceSlice::<u8>::view_as_mut::<i8>,
        DeviceSlice::<u8>::copy_from::<Bytes<'_>>, DeviceSlice::<u8>::copy_to::<&mut [u8]>,
        DeviceSlice::<u8>::copy_from_async::<Bytes<'_>>, DeviceSlice::<u8>::copy_to_async::<&mut [u8]>,
        DeviceSlice::<u8>::append_to, DeviceSlice::<u8>::copy_from_iter as IntoSlice,
        DeviceVariable::<u8>::new, DeviceVariable::<u8>::copy_htod, DeviceVariable::<u8>::copy_dtoh,
        DeviceVariable::<u8>::as_device_ptr,
        LockedBox::<u8>::new, LockedBox::<u8>::zeroed, LockedBox::<u8>::uninitialized, LockedBox::<u8>::try_free,
        LockedBox::<u8>::into_raw, LockedBox::<u8>::from_raw, LockedBox::<u8>::leak,
        LockedBuffer::<u8>::from_slice, LockedBuffer::<u8>::zeroed, LockedBuffer::<u8>::filled,
        LockedBuffer::<u8>::uninitialized, LockedBuffer::<u8>::as_slice, LockedBuffer::<u8>::as_mut_slice,
        LockedBuffer::<u8>::try_free, LockedBuffer::<u8>::into_raw_parts, LockedBuffer::<u8>::from_raw_parts,
        LockedBuffer::<u8>::leak, LockedBuffer::<u8>::view_as::<i8>, LockedBuffer::<u8>::view_as_mut::<i8>,
        LockedBuffer::<u8>::cast::<i8>, LockedBuffer::<u8>::read_from as ReadFrom<LockedBuffer<u8>>,
        UnifiedBox::<u8>::new, UnifiedBox::<u8>::zeroed, UnifiedBox::<u8>::uninitialized, UnifiedBox::<u8>::try_free,
        UnifiedBox::<u8>::into_raw, UnifiedBox::<u8>::from_raw, UnifiedBox::<u8>::leak,
        UnifiedBox::<u8>::as_unified_ptr, UnifiedBox::<u8>::as_device_slice, UnifiedBox::<u8>::as_device_slice_mut,
        UnifiedBuffer::<u8>::from_slice, UnifiedBuffer::<u8>::zeroed, UnifiedBuffer::<u8>::filled,
        UnifiedBuffer::<u8>::uninitialized, UnifiedBuffer::<u8>::as_slice, UnifiedBuffer::<u8>::as_mut_slice,
        UnifiedBuffer::<u8>::as_unified_ptr, UnifiedBuffer::<u8>::as_device_ptr, UnifiedBuffer::<u8>::as_device_slice,
        UnifiedBuffer::<u8>::as_device_slice_mut, UnifiedBuffer::<u8>::try_free, UnifiedBuffer::<u8>::into_raw_parts,
        UnifiedBuffer::<u8>::from_raw_parts, UnifiedBuffer::<u8>::leak, UnifiedBuffer::<u8>::view_as::<i8>,
        UnifiedBuffer::<u8>::view_as_mut::<i8>, UnifiedBuffer::<u8>::cast::<i8>,
        UnifiedBuffer::<u8>::read_from as ReadFrom<UnifiedBuffer<u8>>,
        LockedBox::<u8>::zeroed_with, LockedBox::<u8>::device_ptr, LockedBuffer::<u8>::zeroed_with,
        LockedBuffer::<u8>::uninitialized_with, LockedBuffer::<u8>::device_ptr,
        RegisteredBuffer::<u8>::new as Register,
        RegisteredBuffer::<u8>::new_with as RegisterWith<Error>,
        RegisteredBuffer::<u8>::try_new_with as RegisterWith<(Error, Vec<u8>)>,
        RegisteredBuffer::<u8>::unregister, RegisteredBuffer::<u8>::device_ptr,
        Registration::new::<u8>, Registration::of_io_memory::<u8>, Registration::unregister,
        AttachFlag::from_raw, AttachFlag::as_raw, UnifiedBuffer::<u8>::attach, UnifiedBuffer::<u8>::attach_single,
        UnifiedBox::<u8>::attach, UnifiedBox::<u8>::attach_single, UnifiedBuffer::<u8>::zeroed_with,
        UnifiedBuffer::<u8>::uninitialized_with,
        UnifiedPointer::<u8>::from_mut_ptr, UnifiedPointer::<u8>::as_ptr, UnifiedPointer::<u8>::as_mut_ptr,
        UnifiedPointer::<u8>::as_device_ptr, UnifiedPointer::<u8>::from_raw, UnifiedPointer::<u8>::as_raw,
        UnifiedPointer::<u8>::null, UnifiedPointer::<u8>::is_null, UnifiedPointer::<u8>::offset,
        UnifiedPointer::<u8>::add, UnifiedPointer::<u8>::sub, UnifiedPointer::<u8>::cast::<i8>,
        ArrayObject::<u8>::zeroed as fn(usize) -> memcore::Result<Image>,
        ArrayObject::<u8>::filled as fn(u8, usize) -> memcore::Result<Image>,
        ArrayObject::<u8>::from_slice as fn(Bytes<'_>, usize) -> memcore::Result<Image>,
        ArrayObject::<u8>::uninitialized as unsafe fn(usize) -> memcore::Result<Image>,
        ArrayObject::<u8>::copy_from::<Bytes<'_>>, ArrayObject::<u8>::copy_to::<&mut [u8]>,
        ArrayObject::<u8>::to_vec, ArrayObject::<u8>::as_view, ArrayObject::<u8>::descriptor,
        ArrayObject::<u8>::try_free, ArrayObject::<u8>::into_raw, ArrayObject::<u8>::from_raw,
        <u8 as ArrayElement>::FORMAT, <u8 as ArrayElement>::CHANNELS,
        <DeviceSlice<u8> as AsyncCopyDestination<[u8]>>::async_copy_from,
        <DeviceSlice<u8> as AsyncCopyDestination<[u8]>>::async_copy_to,
        <DeviceSlice<u8> as CopyDestination<[u8]>>::copy_from, <DeviceSlice<u8> as CopyDestination<[u8]>>::copy_to,
        <DeviceSlice<u8> as DeviceMemory>::as_raw_ptr, <DeviceSlice<u8> as DeviceMemory>::size_in_bytes,
        <DeviceBox<u8> as GpuBox<u8>>::as_device_ptr, <DeviceBuffer<u8> as GpuBuffer<u8>>::as_device_ptr,
        <DeviceBuffer<u8> as GpuBuffer<u8>>::len, <DeviceBuffer<u8> as GpuBuffer<u8>>::is_empty,
        <UnifiedBox<u8> as MemoryAdvise>::prefetch_host, <UnifiedBox<u8> as MemoryAdvise>::prefetch_device,
        <UnifiedBox<u8> as MemoryAdvise>::advise_read_mostly, <UnifiedBox<u8> as MemoryAdvise>::preferred_location,
        <UnifiedBox<u8> as MemoryAdvise>::unset_preferred_location,
        <UnifiedBox<u8> as MemoryAdvise>::advise_accessed_by, <UnifiedBox<u8> as MemoryAdvise>::query_read_mostly,
        <UnifiedBox<u8> as MemoryAdvise>::query_preferred_location, <UnifiedBox<u8> as MemoryAdvise>::query_accessed_by,
        <UnifiedBox<u8> as MemoryAdvise>::query_last_prefetch,
        memory::cuda_malloc::<u8>, memory::cuda_malloc_async::<u8>, memory::cuda_malloc_locked::<u8>,
        memory::cuda_malloc_unified::<u8>, memory::cuda_free::<u8>, memory::cuda_free_async::<u8>,
        memory::cuda_free_locked::<u8>, memory::cuda_free_unified::<u8>, memory::memcpy_htod, memory::memcpy_dtoh,
        memory::mem_get_info, memory::memcpy_peer, memory::memcpy_peer_async,
        Context::memory_info, Context::take_drop_errors, Context::address_range::<u8>,
        Context::pointer_attributes::<u8>, Context::allocation_statistics, Context::enable_peer_access,
        MemoryPool::allow_access, MemoryPool::statistics,
        Context::with_registered as WithRegistered,
        Scope::device_vec::<u8>, Scope::register::<u8>, Scope::device_vec_from as InScope<'_>,
        Scope::lend_view::<&DeviceSlice<u8>, 2>,
        <[u8] as AsView>::as_2d, <[u8] as AsView>::as_2d_mut,
        DeviceSlice::<u8>::as_2d, DeviceSlice::<u8>::as_2d_mut,
        View::<&DeviceSlice<u8>, 2>::window::<usize, usize>,
    }
    variants { InvalidValue LengthMismatch OutOfMemory SizeOverflow }
}

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/coverage.md")).unwrap()
}

const SECTIONS: [&str; 4] = ["What differs everywhere", "Document 1", "Document 2", "Document 3"];

#[test]
fn every_item_of_the_documents_has_one_row() {
    let page = page();
    for (items, section) in ITEMS.iter().zip(&SECTIONS[1..]) {
        let rows = rows(&page, section);
        for item in *items {
            let count = rows.iter().filter(|row| row.item == format!("`{item}`")).count();
            assert_eq!(count, 1, "rows of {item} in {section}");
        }
        // Any other row is about no single item.
        let others =
            rows.iter().filter(|row| row.item.starts_with('`') && !items.contains(&row.item.trim_matches('`')));
        assert_eq!(others.map(|row| row.item).collect::<Vec<_>>(), <[&str; 0]>::default(), "{section}");
    }
}

#[test]
fn every_name_of_memcore_exists() {
    let page = page();
    let names = names();
    let mut used = BTreeSet::new();
    for row in SECTIONS.iter().flat_map(|section| rows(&page, section)) {
        assert!(
            row.memcore == "later" || code(row.memcore).next().is_some(),
            "{}: later, or what stands for it",
            row.item
        );
        for name in code(row.memcore) {
            assert!(names.contains(name), "{}: {name} is not among the names that compile", row.item);
            used.insert(name);
        }
    }
    let unused: Vec<_> = names.iter().filter(|name| !used.contains(name.as_str())).collect();
    assert!(unused.is_empty(), "not on the page: {unused:?}");
}

#[test]
fn every_test_exists() {
    let page = page();
    for row in SECTIONS.iter().flat_map(|section| rows(&page, section)) {
        let tests: Vec<&str> = code(row.test).collect();
        assert_eq!(
            tests.is_empty(),
            row.memcore == "later",
            "{}: a test for what exists, and for nothing else",
            row.item
        );
        for test in tests {
            let (module, function) = test.split_once("::").unwrap();
            let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
            let names = [format!("{module}.rs"), format!("{module}/main.rs"), format!("conformance/{module}.rs")];
            let sources = names.map(|name| tests.join(name));
            let sources = sources.iter().filter_map(|path| fs::read_to_string(path).ok());
            let found = sources.into_iter().any(|source| source.contains(&format!("\nfn {function}(")));
            assert!(found, "{}: there is no test {test}", row.item);
        }
    }
}

#[test]
fn names_are_read_without_their_arguments() {
    assert_eq!(bare("DeviceBuffer<u8>"), "DeviceBuffer");
    assert_eq!(bare("DeviceSlice::<u8>::copy_from::<Bytes<'_>>"), "DeviceSlice::copy_from");
    assert_eq!(bare("<DeviceBuffer<u8> as GpuBuffer<u8>>::len"), "GpuBuffer::len");
    assert_eq!(bare("<DeviceSlice<u8> as DeviceMemory>::as_raw_ptr"), "DeviceMemory::as_raw_ptr");
    assert_eq!(bare("LockedBuffer::<u8>::read_from as ReadFrom<LockedBuffer<u8>>"), "LockedBuffer::read_from");
    assert_eq!(bare("memory::cuda_malloc::<u8>"), "memory::cuda_malloc");
}
