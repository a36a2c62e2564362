//! Contexts that die of a fault: waits return at once, and what is queued lands later.

use core::time::Duration;
use std::sync::Weak;

use super::machine::Machine;
use crate::error::Status;

/// After a context has died, what was queued in it lands this much later.
pub(super) const LANDING_DELAY: Duration = Duration::from_millis(50);

impl Machine {
    /// Kills a context, or all where none has this handle: what is queued lands later, from another thread.
    pub(super) fn kill(&mut self, context: u64, status: Status) {
        let all = !self.contexts.contains_key(&context);
        for dying in self.contexts.keys().copied().filter(|key| all || *key == context).collect::<Vec<_>>() {
            self.leave_host_memory(dying);
        }
        for (key, context_of) in &mut self.contexts {
            if all || *key == context {
                context_of.dead.get_or_insert(status);
            }
        }
        self.announce();
        if self.graph.is_empty() {
            return;
        }
        let machine = Weak::clone(&self.me);
        let land = move || {
            std::thread::sleep(LANDING_DELAY);
            if let Some(shared) = machine.upgrade() {
                let mut machine = shared.lock();
                machine.land();
                shared.unlock(machine);
            }
        };
        if std::thread::Builder::new().name("memcore-sim-landing".to_owned()).spawn(land).is_err() {
            self.land();
        }
    }

    /// Ends the driver, as the end of the process does: what is queued runs, and what there is goes with it.
    pub(super) fn shut_down(&mut self) {
        self.faults.is_shut_down = true;
        for dying in self.contexts.keys().copied().collect::<Vec<_>>() {
            self.leave_host_memory(dying);
        }
        for context in self.contexts.values_mut() {
            context.dead.get_or_insert(Status::DEINITIALIZED);
        }
        self.land();
    }

    /// What is queued in a context that dies reads no host memory from here on, which the program takes for its own again,
    /// and writes none that is pageable: with that a driver works within its calls alone.
    fn leave_host_memory(&mut self, context: u64) {
        let pending = self.graph.of_context(context);
        self.drop_host_functions(&pending);
        let pageable: Vec<_> = pending.iter().copied().filter(|id| self.graph.uses_pageable(*id)).collect();
        self.run_ready(&pageable);
        // What is left waits for a function that is running.
        for id in &pageable {
            self.graph.cancel(*id);
        }
        for id in pending {
            self.stage_host_source(id);
            self.graph.leave_host(id);
        }
    }

    /// Runs what is queued in dead contexts, but for host functions, which are not called any more.
    pub(super) fn land(&mut self) {
        let dead: Vec<_> =
            self.contexts.iter().filter(|(_, context)| context.dead.is_some()).map(|(key, _)| *key).collect();
        for context in dead {
            let pending = self.graph.of_context(context);
            self.drop_host_functions(&pending);
            self.run_ready(&pending);
            // What has landed is over, also for a program that no wait could tell.
            self.host_joins_context(context);
        }
        self.announce();
    }

    /// Whether a context that is not dead has work left.
    pub(super) fn is_live_work_pending(&self) -> bool {
        self.contexts.iter().any(|(key, context)| context.dead.is_none() && !self.graph.of_context(*key).is_empty())
    }
}
