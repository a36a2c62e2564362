//! Where a program called the driver, by its debug information.

use core::ffi::{CStr, c_void};
use core::fmt;
use core::mem::MaybeUninit;
use std::collections::HashMap;
use std::env;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What called the driver: a place of the program, looked up when a report names it.
#[derive(Debug)]
pub(in super::super) struct Stack {
    /// Return addresses, innermost first, without those of this library.
    frames: Box<[usize]>,
    resolved: OnceLock<Resolved>,
}

/// Equal are those that a program came by in the same way.
impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.frames == other.frames
    }
}

impl Eq for Stack {}

impl core::hash::Hash for Stack {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.frames.hash(state);
    }
}

/// Lines of source.
#[derive(Debug)]
struct Resolved {
    /// The innermost of the program's own, or of a library's that it uses, or the file that the code is in.
    place: Source,
    /// The one that called the driver, if it is another.
    through: Option<Source>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Source {
    file: String,
    /// From 1, 0 where it is not known.
    line: u32,
    column: u32,
    /// It is of what programs are built on.
    is_of_dependency: bool,
}

/// How many frames are kept of a stack.
const DEPTH: usize = 24;
/// How many are looked at, with those of this library.
const MAX_DEPTH: usize = 64;

/// The stacks so far, by their frames.
type Known = HashMap<Box<[usize]>, &'static Stack>;

/// The stack of this call. Stacks are kept for ever: a program has so many ways to call.
pub(super) fn stack() -> &'static Stack {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

    let frames = foreign_frames();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(stack) = known.get(&frames) {
        return stack;
    }
    let stack = &*Box::leak(Box::new(Stack { frames: frames.clone(), resolved: OnceLock::new() }));
    known.insert(frames, stack);
    stack
}

/// The return addresses above this library's.
fn foreign_frames() -> Box<[usize]> {
    let mut frames = Vec::with_capacity(MAX_DEPTH);
    backtrace::trace(|frame| {
        frames.push(frame.ip().addr());
        frames.len() < MAX_DEPTH
    });
    let own = loaded(stack as *const () as usize).map(|info| info.dli_fbase);
    // Where this library is part of the program itself all are its own.
    let first = frames.iter().position(|frame| loaded(*frame).map(|info| info.dli_fbase) != own).unwrap_or(0);
    frames.into_iter().skip(first).take(DEPTH).collect()
}

/// The loaded file that an address is in.
struct Object {
    base: usize,
    file: String,
    symbol: Option<String>,
}

fn object_of(address: usize) -> Option<Object> {
    let info = loaded(address)?;
    Some(Object {
        base: info.dli_fbase.addr(),
        // SAFETY: a string that lives as long as the file is loaded.
        file: unsafe { text(info.dli_fname) }.unwrap_or_default(),
        // SAFETY: as above.
        symbol: unsafe { text(info.dli_sname) },
    })
}

/// What the system's loader knows of an address.
fn loaded(address: usize) -> Option<libc::Dl_info> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: any address may be asked for, and there is room for the answer.
    if unsafe { libc::dladdr(core::ptr::without_provenance(address), info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call succeeded, and has written it.
    Some(unsafe { info.assume_init() })
}

/// A C string's text, if there is one.
///
/// # Safety
///
/// The pointer is null or of a C string.
unsafe fn text(string: *const core::ffi::c_char) -> Option<String> {
    // SAFETY: this function's contract.
    (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned())
}

impl Stack {
    pub(in super::super) fn file(&'static self) -> &'static str {
        &self.resolved().place.file
    }

    pub(in super::super) fn line(&self) -> u32 {
        self.resolved().place.line
    }

    fn resolved(&self) -> &Resolved {
        self.resolved.get_or_init(|| {
            let sources: Vec<_> = self.frames.iter().flat_map(|frame| sources_of(*frame)).collect();
            let with_line = |source: &&Source| source.line != 0;
            let own = |source: &&Source| !source.is_of_dependency;
            let place = sources.iter().find(|source| with_line(source) && own(source));
            let place = place.or(sources.iter().find(own)).or(sources.iter().find(with_line)).or(sources.first());
            let place = place.cloned().unwrap_or_default();
            // What called the place is no way to the driver.
            let through = sources.into_iter().take_while(|source| *source != place).find(|source| source.line != 0);
            Resolved { place, through }
        })
    }
}

/// The lines that a return address stands for, with those that were inlined, innermost first; where in its file it is, without
/// debug information.
fn sources_of(frame: usize) -> Vec<Source> {
    let object = object_of(frame);
    let is_in_dependency = object.as_ref().is_some_and(|object| is_of_dependency(&object.file));
    let here = env::current_dir().ok();
    let mut sources = Vec::new();
    backtrace::resolve(core::ptr::without_provenance_mut::<c_void>(frame), |symbol| {
        if let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno()) {
            let file = here.as_ref().and_then(|here| file.strip_prefix(here).ok()).unwrap_or(file);
            let file = file.to_string_lossy().into_owned();
            let is_of_dependency = is_in_dependency || is_of_dependency(&file);
            sources.push(Source { file, line, column: symbol.colno().unwrap_or(0), is_of_dependency });
        }
    });
    if sources.is_empty() {
        let file = match object {
            Some(Object { base, file, symbol }) => {
                let symbol = symbol.map(|symbol| format!(", {symbol}")).unwrap_or_default();
                format!("{file}+{:#x}{symbol}", frame - base)
            }
            None => format!("code at {frame:#x}"),
        };
        sources.push(Source { file, line: 0, column: 0, is_of_dependency: is_in_dependency });
    }
    sources
}

/// Where packages lie that a program uses.
const REGISTRY: &str = "/registry/src/";
/// Folders of what programs are built on.
const DEPENDENCIES: [&str; 7] =
    [REGISTRY, "/git/checkouts/", "/rustc/", "/rustlib/", "/site-packages/", "/dist-packages/", "/usr/"];

fn is_of_dependency(file: &str) -> bool {
    file.starts_with("/lib") || DEPENDENCIES.iter().any(|folder| file.contains(folder))
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of a package its own folder says enough.
        let file = match self.file.split_once(REGISTRY).and_then(|(_, rest)| rest.split_once('/')) {
            Some((_index, package)) => package,
            None => &self.file,
        };
        f.write_str(file)?;
        if self.line != 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Resolved { place, through } = self.resolved();
        place.fmt(f)?;
        match through {
            Some(through) => write!(f, " (through {through})"),
            None => Ok(()),
        }
    }
}
