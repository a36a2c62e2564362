//! What a simulator is made of.

use super::fault::Fault;
use super::front::has_entry_point;
use super::order::Order;
use super::pages;
use crate::error::{Error, Result};

/// Options of a [`Sim`](super::Sim): a builder whose default is one device of 16 GiB with everything supported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct SimOptions {
    pub(super) devices: u32,
    pub(super) memory_bytes: u64,
    pub(super) host_lock_limit: u64,
    pub(super) order: Order,
    pub(super) faults: Vec<Fault>,
    pub(super) missing: Vec<String>,
    pub(super) pools: bool,
    pub(super) managed: bool,
    pub(super) concurrent_managed: bool,
    pub(super) registration: bool,
    pub(super) read_only_registration: bool,
    pub(super) host_pages: bool,
    pub(super) huge_pages: bool,
    pub(super) late_pageable: bool,
    pub(super) race_checks: bool,
    pub(super) initialisation_checks: bool,
    pub(super) unrecorded_event_checks: bool,
    pub(super) audience: Audience,
}

/// Who hears of the violations of a simulator that nobody asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Audience {
    /// The file that reports are added to.
    pub(super) file: Option<String>,
    /// The process ends with their number.
    pub(super) by_exit_status: bool,
    /// Leaks are looked for at the end of the process.
    pub(super) of_leaks: bool,
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            devices: 1,
            memory_bytes: 16 << 30,
            host_lock_limit: pages::physical_memory(),
            order: Order::default(),
            faults: Vec::new(),
            missing: Vec::new(),
            pools: true,
            managed: true,
            concurrent_managed: true,
            registration: true,
            read_only_registration: true,
            host_pages: true,
            huge_pages: true,
            late_pageable: false,
            race_checks: true,
            initialisation_checks: true,
            unrecorded_event_checks: true,
            audience: Audience::default(),
        }
    }
}

impl SimOptions {
    /// The most devices that a simulator has: each reserves a large range of addresses.
    const MAX_DEVICES: u32 = 32;

    /// How many devices there are: 1 by default, 32 at most. With 0, the driver says that there is no device.
    #[must_use]
    pub fn devices(mut self, count: u32) -> Self {
        self.devices = count.min(Self::MAX_DEVICES);
        self
    }

    /// Bytes of memory of each device: 16 GiB by default. The host's memory is used only as the device's is.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Bytes of host memory that may be page-locked at one time: by default as many as the machine has.
    #[must_use]
    pub fn host_lock_limit(mut self, bytes: u64) -> Self {
        self.host_lock_limit = bytes;
        self
    }

    /// When queued work runs: [`Order::Lazy`] by default.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Adds a driver call that is to fail.
    #[must_use]
    pub fn fail(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Takes a driver function away, as if the driver were older, by its versioned name (`"cuMemAllocAsync"`).
    #[must_use]
    pub fn without_symbol(mut self, name: impl Into<String>) -> Self {
        self.missing.push(name.into());
        self
    }

    /// The devices support no memory pools and no stream-ordered allocation.
    #[must_use]
    pub fn without_pools(mut self) -> Self {
        self.pools = false;
        self
    }

    /// The devices support no managed memory.
    #[must_use]
    pub fn without_managed(mut self) -> Self {
        self.managed = false;
        self.concurrent_managed = false;
        self
    }

    /// The host may not touch managed memory while a device works.
    #[must_use]
    pub fn without_concurrent_managed_access(mut self) -> Self {
        self.concurrent_managed = false;
        self
    }

    /// The devices cannot page-lock existing host memory.
    #[must_use]
    pub fn without_host_registration(mut self) -> Self {
        self.registration = false;
        self.without_read_only_registration()
    }

    /// The devices cannot page-lock existing host memory as read-only.
    #[must_use]
    pub fn without_read_only_registration(mut self) -> Self {
        self.read_only_registration = false;
        self
    }

    /// The operating system maps no pages for large page-locked memory, which the driver has to allocate then, as it does
    /// small memory.
    #[must_use]
    pub fn without_host_pages(mut self) -> Self {
        self.host_pages = false;
        self
    }

    /// The operating system has no huge pages for large page-locked memory.
    #[must_use]
    pub fn without_huge_pages(mut self) -> Self {
        self.huge_pages = false;
        self
    }

    /// Looks for no races: operations on the same memory that nothing orders.
    #[must_use]
    pub fn without_race_checks(mut self) -> Self {
        self.race_checks = false;
        self
    }

    /// Looks for no reads of device memory that nothing has written.
    #[must_use]
    pub fn without_initialisation_checks(mut self) -> Self {
        self.initialisation_checks = false;
        self
    }

    /// Reads and writes pageable host memory when a copy runs, as late as the documentation of CUDA allows, and not
    /// within the call.
    ///
    /// By default a source is read within the call and a destination written before it returns, as drivers mostly do,
    /// so that a program which is wrong is not harmed. With this, one that frees pageable memory in flight, which takes
    /// an `unsafe` operation, has undefined behaviour on the simulated device too: an address sanitizer says where.
    #[must_use]
    pub fn late_pageable(mut self) -> Self {
        self.late_pageable = true;
        self
    }

    /// The options that the `MEMCORE_SIM_*` variables ask for.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidVariable`] where a variable means nothing.
    pub(crate) fn from_environment() -> Result<Self> {
        Self::from_variables(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// The options that the `MEMCORE_SIM_*` variables ask for, as `variable` gives their values.
    pub(super) fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut options = Self::default();
        if let Some(value) = variable("MEMCORE_SIM_DEVICES") {
            let count = value.trim().parse().ok().filter(|count| *count <= Self::MAX_DEVICES);
            options.devices =
                count.ok_or_else(|| invalid("MEMCORE_SIM_DEVICES", value, "a number of devices from 0 to 32"))?;
        }
        if let Some(value) = variable("MEMCORE_SIM_MEMORY") {
            let bytes = value.trim().parse();
            options.memory_bytes =
                bytes.map_err(|_| invalid("MEMCORE_SIM_MEMORY", value, "a number of bytes for each device"))?;
        }
        if let Some(value) = variable("MEMCORE_SIM_ORDER") {
            options.order = match value.trim() {
                "lazy" => Order::Lazy,
                "eager" => Order::Eager,
                other => match other.strip_prefix("random:").and_then(|seed| seed.parse().ok()) {
                    Some(seed) => Order::Random(seed),
                    None => return Err(invalid("MEMCORE_SIM_ORDER", value, "lazy, eager or random:SEED")),
                },
            };
        }
        if let Some(value) = variable("MEMCORE_SIM_WITHOUT") {
            options =
                value.split(',').try_fold(options, |options, what| options.without(what.trim())).ok_or_else(|| {
                    let expected = "pools, managed, concurrent_managed_access, host_registration, read_only_registration, host_pages, huge_pages or driver functions, \
                         with commas between";
                    invalid("MEMCORE_SIM_WITHOUT", value, expected)
                })?;
        }
        if let Some(value) = variable("MEMCORE_SIM_FAULTS") {
            let expected = "faults such as random:SEED:PER_MILLE or nth:ENTRY:N:STATUS, with commas between: SEED, N and STATUS are \
                 numbers, PER_MILLE is one up to 1000, ENTRY is a driver function that memcore calls, with the version \
                 in its name (cuMemcpyHtoDAsync_v2)";
            options.faults = Fault::parse_list(&value).ok_or_else(|| invalid("MEMCORE_SIM_FAULTS", value, expected))?;
        }
        options.audience = Audience {
            file: variable("MEMCORE_SIM_REPORT").map(|name| name.replace("%p", &std::process::id().to_string())),
            by_exit_status: switch("MEMCORE_SIM_STRICT", &variable)?,
            of_leaks: switch("MEMCORE_SIM_LEAKS", &variable)?,
        };
        Ok(options)
    }

    /// Takes away what `MEMCORE_SIM_WITHOUT` names; `None` where there is no such thing.
    fn without(self, what: &str) -> Option<Self> {
        match what {
            "pools" => Some(self.without_pools()),
            "managed" => Some(self.without_managed()),
            "concurrent_managed_access" => Some(self.without_concurrent_managed_access()),
            "host_registration" => Some(self.without_host_registration()),
            "read_only_registration" => Some(self.without_read_only_registration()),
            "host_pages" => Some(self.without_host_pages()),
            "huge_pages" => Some(self.without_huge_pages()),
            symbol if has_entry_point(symbol) => Some(self.without_symbol(symbol)),
            _ => None,
        }
    }
}

/// What a variable says that is 1 or 0, and 0 where it is not set.
fn switch(name: &'static str, variable: impl Fn(&str) -> Option<String>) -> Result<bool> {
    match variable(name) {
        None => Ok(false),
        Some(value) => match value.trim() {
            "1" => Ok(true),
            "0" => Ok(false),
            _ => Err(invalid(name, value, "1 or 0")),
        },
    }
}

fn invalid(variable: &'static str, value: String, expected: &'static str) -> Error {
    Error::InvalidVariable { variable, value, expected }
}
