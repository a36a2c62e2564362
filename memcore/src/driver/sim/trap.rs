//! What a program is told that touches a device address from the host: such addresses are reserved, and the access faults.
//!
//! The handler changes nothing for the program: after the message the access faults again, for whoever handled such faults
//! before, and who from then on handles them all: that fault is the last one a message is for. It runs on whatever small stack there is, and may take no lock: so it hands the address to a thread, which says
//! what lies there, and waits for that.

use core::ffi::{c_int, c_void};
use core::mem::{self, MaybeUninit};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError, Weak};
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
    asks: Pipe,
    answers: Pipe,
    previous: libc::sigaction,
}

static TRAP: OnceLock<Trap> = OnceLock::new();

static IS_INSTALLED: AtomicBool = AtomicBool::new(false);

/// Whether a thread is in the handler.
static BUSY: AtomicBool = AtomicBool::new(false);

/// How long the handler waits for an answer, in milliseconds: a process that was forked has no thread to give one.
const PATIENCE: c_int = 2000;

/// Names the allocation in question when the host touches an address of this simulator's devices.
pub(super) fn watch(simulator: Weak<Shared>) {
    static INSTALLED: Once = Once::new();

    let mut simulators = SIMULATORS.lock().unwrap_or_else(PoisonError::into_inner);
    simulators.retain(|one| one.strong_count() > 0);
    simulators.push(simulator);
    drop(simulators);
    // Without it a fault is a fault without a word.
    INSTALLED.call_once(|| {
        let _ = install();
    });
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
    let mut previous = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call only writes the present one to where there is room for it.
    if unsafe { libc::sigaction(libc::SIGSEGV, ptr::null(), previous.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call succeeded, and has written it.
    let previous = unsafe { previous.assume_init() };
    TRAP.set(Trap { asks, answers, previous }).ok()?;
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

/// Whether a fault in guarded memory opens it.
pub(super) fn is_installed() -> bool {
    IS_INSTALLED.load(Ordering::Acquire)
}

/// The handler.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let Some(trap) = TRAP.get() else { return };
    // SAFETY: the system passes a valid `siginfo_t`, which lives as long as this call.
    let info = unsafe { &*info };
    // Sent by a process, it has no address, and no access that is made again.
    let is_access = info.si_code > 0;
    if is_access {
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
