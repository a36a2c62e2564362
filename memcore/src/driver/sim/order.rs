//! When deferred work runs.

/// When the simulated device runs the work that was queued on its streams.
///
/// A program that waits where it must gives the same results under every order; one that does not shows it under some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// As late as the rules allow: when a wait forces it. A missing wait shows as data that is not there. A host function,
    /// and what it comes after, runs about a millisecond after it was queued.
    #[default]
    Lazy,
    /// At once, when it is queued.
    Eager,
    /// At times and in an order drawn from this seed, within the rules.
    Random(u64),
}

/// Makes an [`Order`]'s decisions.
#[derive(Debug)]
pub(super) struct Schedule {
    order: Order,
    random: fastrand::Rng,
}

impl Schedule {
    /// The decisions of `order`, from its start.
    pub(super) fn new(order: Order) -> Self {
        let seed = if let Order::Random(seed) = order { seed } else { 0 };
        Self { order, random: fastrand::Rng::with_seed(seed) }
    }

    /// Whether work runs when it is queued.
    pub(super) fn is_eager(&self) -> bool {
        self.order == Order::Eager
    }

    /// Arranges work that is forced to run, given as it was queued.
    pub(super) fn arrange(&mut self, nodes: &mut [u64]) {
        if let Order::Random(_) = self.order {
            self.random.shuffle(nodes);
        }
    }

    /// A number below `end`, if an operation is to run before something forces it.
    pub(super) fn draw_early(&mut self, end: u64) -> Option<u64> {
        (matches!(self.order, Order::Random(_)) && end > 0 && self.random.bool()).then(|| self.random.u64(..end))
    }
}
