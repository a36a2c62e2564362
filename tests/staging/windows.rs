//! Random windows between pageable memory and a device, compared with the same on plain vectors.

use memcore::prelude::*;
use memcore::sim::{Order, SimOptions};

use crate::{ORDERS, Staging, finish, open, pattern};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// Mostly small, sometimes large.
    fn extent(&mut self, most: usize) -> usize {
        let limit = if self.below(2) == 0 { most.min(5) } else { most };
        1 + self.below(limit)
    }
}

/// Slices of rows of bytes, some of which lie beside a window on each side.
#[derive(Clone, Copy, Debug)]
struct Frame {
    before: [usize; 3],
    all: [usize; 3],
}

impl Frame {
    fn around(random: &mut Random, [slices, rows, columns]: [usize; 3]) -> Self {
        let before = [random.below(2), random.below(3), random.below(9)];
        let all = [slices, rows, columns].map(|extent| extent + random.below(4));
        Self { before, all: [all[0] + before[0], all[1] + before[1], all[2] + before[2]] }
    }

    fn len(&self) -> usize {
        self.all.iter().product()
    }

    /// Where each byte of a window is.
    fn places(self, [slices, rows, columns]: [usize; 3]) -> impl Iterator<Item = usize> {
        let ([_, height, width], [z, y, x]) = (self.all, self.before);
        let row = move |slice: usize, row: usize| ((z + slice) * height + y + row) * width + x;
        (0..slices).flat_map(move |slice| (0..rows).flat_map(move |r| (0..columns).map(move |c| row(slice, r) + c)))
    }
}

fn round(random: &mut Random, order: Order) {
    let (sim, context) = open(SimOptions::default().order(order));
    let threads = 1 + random.below(5);
    context.set_staging(Staging::default().threads(threads).maximum_bytes((1 + random.below(3)) << 20)).unwrap();
    let _entered = context.enter();
    for _ in 0..4 {
        let columns = random.extent(1 << 20);
        // The simulated device looks at each row.
        let rows = random.extent(((1 << 20) / columns + 1).min(1000));
        let slices = random.extent(((2 << 20) / (columns * rows) + 1).min(2000 / rows));
        let extents = [slices, rows, columns];
        let (near, far) = (Frame::around(random, extents), Frame::around(random, extents));
        let window = |frame: Frame| {
            let [z, y, x] = [0, 1, 2].map(|axis| frame.before[axis]..frame.before[axis] + extents[axis]);
            (z, y, x)
        };
        let what = format!("{order:?}, {threads} threads, {extents:?}, {near:?}, {far:?}");
        let host = pattern(near.len(), 1);
        let mut expected = pattern(far.len(), 2);
        let mut dev = DeviceBuffer::from_slice(&expected).unwrap();
        let ((hz, hy, hx), (dz, dy, dx)) = (window(near), window(far));
        copy!(
            dev.as_3d_mut([far.all[1], far.all[2]]).unwrap()[dz.clone(), dy.clone(), dx.clone()]
                <- host.as_3d([near.all[1], near.all[2]]).unwrap()[hz.clone(), hy.clone(), hx.clone()]
        )
        .unwrap();
        near.places(extents).zip(far.places(extents)).for_each(|(from, to)| expected[to] = host[from]);
        let mut whole = locked_vec![0_u8; far.len()].unwrap();
        copy!(whole <- dev).unwrap();
        assert!(*whole == expected, "uploaded: {what}");
        // Back, to other bytes.
        let mut back = pattern(near.len(), 3);
        let mut unchanged = back.clone();
        copy!(
            back.as_3d_mut([near.all[1], near.all[2]]).unwrap()[hz, hy, hx]
                <- dev.as_3d([far.all[1], far.all[2]]).unwrap()[dz, dy, dx]
        )
        .unwrap();
        near.places(extents).zip(far.places(extents)).for_each(|(to, from)| unchanged[to] = expected[from]);
        assert!(back == unchanged, "downloaded: {what}");
    }
    finish(sim, &context);
}

#[test]
fn random_windows_agree_with_a_plain_model() {
    for (seed, order) in (0..).zip(ORDERS) {
        round(&mut Random(seed), order);
    }
}
