//! What a program is told that touches a device address from the host: such addresses are reserved, and the access faults.
//!
//! The handler changes nothing for the program: after the message the access faults again, for whoever handled such faults
//! before, and who from then on handles them all: that fault is the last one a message is for. It runs on whatever small stack there is, and may take no lock: so it hands the address to a thread, which says
//! what lies there, and waits for that.

use core::ffi::{c_int, c_void};
use core::mem::{self, MaybeUninit};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::machine::Machine;
use super::memory::{Allocation, Found};
use super::report::Subject;
use super::shared::Shared;

/// The simulators whose addresses are reserved.
static SIMULATORS: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// How the handler reaches the thread, and what was there before it.
struct Trap {
    /// A process that was forked off has the handler, and no thread.
    process: u32,
    asks: Pipe,
    answers: Pipe,
    previous: libc::sigaction,
}

/// The process's own, or that of the process that it was forked off from; null or kept for ever.
static TRAP: AtomicPtr<Trap> = AtomicPtr::new(ptr::null_mut());

/// The trap, once there is one.
fn trap() -> Option<&'static Trap> {
    // SAFETY: null, or from `Box::leak`.
    unsafe { TRAP.load(Ordering::Acquire).as_ref() }
}

static IS_INSTALLED: AtomicBool = AtomicBool::new(false);

/// Whether a thread is in the handler.
static BUSY: AtomicBool = AtomicBool::new(false);

/// How long the handler waits for an answer, in milliseconds.
const PATIENCE: c_int = 2000;

/// Names the allocation in question when the host touches an address of this simulator's devices.
pub(super) fn watch(simulator: Weak<Shared>) {
    let mut simulators = SIMULATORS.lock().unwrap_or_else(PoisonError::into_inner);
    if trap().is_none_or(|trap| trap.process != process::id()) {
        // Those of another process, if any, are of no use to this one.
        simulators.clear();
        // Without it a fault is a fault without a word.
        let _ = install();
    }
    simulators.retain(|one| one.strong_count() > 0);
    simulators.push(simulator);
}

fn install() -> Option<()> {
    let (asks, answers) = (Pipe::new()?, Pipe::new()?);
    let (asked, answered) = (Pipe { ..asks }, Pipe { ..answers });
    let answer = move || {
        while let Some(address) = asked.read::<8>() {
            answered.write(&[u8::from(tell(u64::from_ne_bytes(address)))]);
        }
    };
    thread::Builder::new().name("memcore-sim-trap".to_owned()).spawn(answer).ok()?;
    let before = trap();
    let previous = match before {
        Some(trap) => trap.previous,
        None => action_now()?,
    };
    TRAP.store(Box::leak(Box::new(Trap { process: process::id(), asks, answers, previous })), Ordering::Release);
    if before.is_some() {
        return Some(()); // the handler came with the fork
    }
    // SAFETY: all-zero bytes are a valid `sigaction` of C integers and an empty mask.
    let mut action = unsafe { MaybeUninit::<libc::sigaction>::zeroed().assume_init() };
    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_fault;
    action.sa_sigaction = handler as usize;
    // On the thread's alternate stack, where it has one, as the handler of the standard library is.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // Nothing interrupts what the handler waits for.
    // SAFETY: the mask is this action's own.
    let _ = unsafe { libc::sigfillset(&raw mut action.sa_mask) };
    // SAFETY: a handler that does only what a signal handler may; the previous action is remembered.
    let is_installed = unsafe { libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut()) } == 0;
    IS_INSTALLED.store(is_installed, Ordering::Release);
    Some(())
}

/// What a fault leads to now.
fn action_now() -> Option<libc::sigaction> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call only writes the present one to where there is room for it.
    let asked = unsafe { libc::sigaction(libc::SIGSEGV, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call succeeded, and has written it.
    (asked == 0).then(|| unsafe { action.assume_init() })
}

/// Whether a fault in guarded memory opens it.
pub(super) fn is_installed() -> bool {
    IS_INSTALLED.load(Ordering::Acquire)
}

/// The handler.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let Some(trap) = trap() else { return };
    // SAFETY: the system passes a valid `siginfo_t`, which lives as long as this call.
    let info = unsafe { &*info };
    // Sent by a process, it has no address, and no access that is made again.
    let is_access = info.si_code > 0;
    // SAFETY: no conditions.
    let is_own = u32::try_from(unsafe { libc::getpid() }) == Ok(trap.process);
    if is_access && is_own {
        // SAFETY: of an access that faulted it has the address.
        let address = unsafe { info.si_addr() }.addr() as u64;
        // The program goes on, and may be about to read its `errno`. No reference: the calls below write it too.
        // SAFETY: no conditions.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: this thread's own integer, which lives as long as the thread, and which no other thread writes.
        let before = unsafe { errno.read() };
        // One thread after the other, each with its own answer.
        while BUSY.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        let asked = trap.asks.write(&address.to_ne_bytes()) && trap.answers.has_more();
        let is_opened = asked && trap.answers.read() == Some([1]);
        BUSY.store(false, Ordering::Release);
        // SAFETY: as where it was read.
        unsafe { errno.write(before) };
        if is_opened {
            return; // the access is made again, and goes well
        }
    }
    // From here on faults are the previous handler's: the access is made again, and faults again.
    // SAFETY: an action that was in force before.
    let _ = unsafe { libc::sigaction(libc::SIGSEGV, &raw const trap.previous, ptr::null_mut()) };
    IS_INSTALLED.store(false, Ordering::Release);
    if !is_access {
        // SAFETY: the signal that came, for the handler before.
        let _ = unsafe { libc::raise(signal) };
    }
}

/// Opens managed memory that was guarded, which is true; else says on stderr what lies at an address, if that is a device's.
fn tell(address: u64) -> bool {
    let simulators = SIMULATORS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for simulator in simulators.iter().filter_map(Weak::upgrade) {
        let Some(mut machine) = lock_of(&simulator) else { continue };
        if !machine.is_reserved(&(address..address.saturating_add(1))) {
            continue;
        }
        if machine.touch_guarded(address) {
            // A logger's panic is its own.
            let _ = catch_unwind(AssertUnwindSafe(|| simulator.unlock(machine))).map_err(mem::forget);
            return true;
        }
        let (subject, offset) = match machine.memory.find(address) {
            Found::Live(id) | Found::PastEnd(id) => {
                let one = machine.memory.get(id);
                (one.map(Allocation::subject), one.map_or(0, |one| address - one.base))
            }
            Found::Freed(freed) => (Some(freed.subject), address - freed.base),
            Found::Unknown => (None, 0),
        };
        let text = describe(address, subject, offset);
        let _ = io::stderr().write_all(text.as_bytes());
        return false;
    }
    false
}

/// The state, unless the thread that faults has it, and waits for this one: others give it back soon.
fn lock_of(simulator: &Shared) -> Option<MutexGuard<'_, Machine>> {
    simulator.try_lock_for(Duration::from_millis(PATIENCE as u64 / 2))
}

fn describe(address: u64, subject: Option<Subject>, offset: u64) -> String {
    let memory = match subject {
        Some(subject) => {
            let freed = subject.freed.map(|freed| format!("\n  freed      {freed}")).unwrap_or_default();
            format!(
                "byte {offset} of allocation #{}, {} bytes\n  allocated  {}   {}{freed}",
                subject.number, subject.size, subject.made, subject.memory
            )
        }
        None => "no allocation of the device's".to_owned(),
    };
    format!(
        "simulated device: the host touched device memory, at {address:#x}\n  memory     {memory}\n  help       copy the \
         memory to the host, or allocate unified memory, which both can touch\n"
    )
}

/// A pipe of the system's, open as long as the process.
struct Pipe {
    reader: c_int,
    writer: c_int,
}

impl Pipe {
    fn new() -> Option<Self> {
        let mut ends = [0; 2];
        // SAFETY: there is room for both ends.
        let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } == 0;
        let [reader, writer] = ends;
        made.then_some(Self { reader, writer })
    }

    fn write(&self, bytes: &[u8]) -> bool {
        // SAFETY: as many bytes are readable.
        let written = unsafe { libc::write(self.writer, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(written) == Ok(bytes.len())
    }

    fn read<const N: usize>(&self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        // SAFETY: as many bytes are writable. So few come in one piece.
        let read = unsafe { libc::read(self.reader, bytes.as_mut_ptr().cast(), N) };
        (usize::try_from(read) == Ok(N)).then_some(bytes)
    }

    /// Waits until there is something to read, but not for ever.
    fn has_more(&self) -> bool {
        let mut waits = libc::pollfd { fd: self.reader, events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry.
        unsafe { libc::poll(&raw mut waits, 1, PATIENCE) == 1 }
    }
}
