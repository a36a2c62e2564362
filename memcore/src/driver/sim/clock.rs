//! Vector clocks: what is known to be done when something begins.
//!
//! There is one agent for each stream, which counts the operations that were queued on it. A clock says, for each agent, up
//! to which of them it comes after. The host has a clock and no agent: its threads are ordered by the program itself.

use std::collections::VecDeque;

/// The number of an agent.
pub(super) type Agent = u32;

/// One operation: its stream's agent, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    /// Whose operation it is.
    pub(super) agent: Agent,
    /// From 1.
    pub(super) number: u64,
}

/// How many operations of each agent something comes after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock(Vec<u64>);

impl Clock {
    /// Whether this comes after an operation.
    pub(super) fn covers(&self, epoch: Epoch) -> bool {
        self.of(epoch.agent) >= epoch.number
    }

    /// How many operations of an agent this comes after.
    pub(super) fn of(&self, agent: Agent) -> u64 {
        self.0.get(agent as usize).copied().unwrap_or(0)
    }

    /// From now on this comes after all that `other` comes after.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// From now on this comes after one operation, and those before it on its stream.
    pub(super) fn raise(&mut self, epoch: Epoch) {
        let index = epoch.agent as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        if let Some(number) = self.0.get_mut(index) {
            *number = epoch.number.max(*number);
        }
    }

    /// Counts one more operation of an agent.
    pub(super) fn advance(&mut self, agent: Agent) -> Epoch {
        let index = agent as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        let Some(number) = self.0.get_mut(index) else { return Epoch { agent, number: 0 } };
        *number += 1;
        Epoch { agent, number: *number }
    }
}

/// Hands out agents. That of a stream which is gone is used again once the host comes after all that it did: a program
/// that makes streams without end has short clocks all the same.
#[derive(Debug, Default)]
pub(super) struct Agents {
    count: Agent,
    /// The agents of streams that are gone, with their last operation.
    gone: VecDeque<Epoch>,
}

impl Agents {
    /// An agent for a new stream, and how many operations it has counted before.
    pub(super) fn take(&mut self, host: &Clock) -> (Agent, u64) {
        // Of the oldest few: those the host has waited for are most likely among them.
        if let Some(index) = self.gone.iter().take(8).position(|last| host.covers(*last))
            && let Some(last) = self.gone.remove(index)
        {
            return (last.agent, last.number);
        }
        self.count += 1;
        (self.count - 1, 0)
    }

    /// Takes back the agent of a stream that is gone.
    pub(super) fn release(&mut self, last: Epoch) {
        self.gone.push_back(last);
    }
}

#[cfg(test)]
mod tests {
    use super::{Agents, Clock, Epoch};

    #[test]
    fn a_clock_covers_what_it_joined() {
        let (mut first, mut second) = (Clock::default(), Clock::default());
        let epoch = first.advance(0);
        assert!(first.covers(epoch) && !second.covers(epoch));
        second.advance(3);
        second.join(&first);
        assert!(second.covers(epoch) && second.covers(Epoch { agent: 3, number: 1 }));
        assert!(!first.covers(Epoch { agent: 3, number: 1 }));
    }

    #[test]
    fn an_agent_is_used_again_when_the_host_has_waited_for_it() {
        let (mut agents, mut host, mut stream) = (Agents::default(), Clock::default(), Clock::default());
        let (agent, before) = agents.take(&host);
        assert_eq!(before, 0);
        let last = stream.advance(agent);
        agents.release(last);
        assert_eq!(agents.take(&host), (agent + 1, 0));
        host.join(&stream);
        assert_eq!(agents.take(&host), (agent, 1));
    }
}
