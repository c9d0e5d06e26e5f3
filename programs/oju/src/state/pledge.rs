//! Tokens that a creator has put beside the reward of a task.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use super::task::{Payout, Task};
use crate::layout::Head;

/// First seed of a pledge's address; the second is the task.
pub const SEED: &[u8] = b"pledge";

/// Pledge. Its associated token account holds the tokens. It lasts as long as somebody is due some.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Pledge {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 4],
    /// 1 when the creator has got its part.
    pub creator_paid: u8,
    /// 1 when the worker has got its part.
    pub worker_paid: u8,
    /// The task that it is beside.
    pub task: Address,
    /// Of the tokens.
    pub mint: Address,
    /// In the smallest units. More may be there: anybody can send some.
    pub amount: u64,
}

located!(Pledge, "Pledge", |it| [SEED, it.task.as_ref()]);

impl Pledge {
    /// What creator and worker are still due at the end of the task.
    pub fn due(&self, task: &Task) -> (u64, u64) {
        let worker = match task.outcome {
            outcome if outcome == Payout::Paid as u8 => self.amount,
            outcome if outcome == Payout::Split as u8 => self.amount / 2,
            _ => 0,
        };
        let unless = |paid: u8, due: u64| if paid == 0 { due } else { 0 };
        (unless(self.creator_paid, self.amount - worker), unless(self.worker_paid, worker))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pledge_goes_where_the_escrow_goes() {
        let of = |outcome: Payout, amount| {
            let task = Task { outcome: outcome as u8, ..Task::zeroed() };
            Pledge { amount, ..Pledge::zeroed() }.due(&task)
        };
        assert_eq!(of(Payout::Paid, 7), (0, 7));
        assert_eq!(of(Payout::Refunded, 7), (7, 0));
        assert_eq!(of(Payout::Split, 7), (4, 3));
        assert_eq!(of(Payout::Split, 1), (1, 0));
    }

    #[test]
    fn nobody_is_due_a_part_twice() {
        let task = Task { outcome: Payout::Split as u8, ..Task::zeroed() };
        let pledge = Pledge { amount: 7, creator_paid: 1, ..Pledge::zeroed() };
        assert_eq!(pledge.due(&task), (0, 3));
        assert_eq!(Pledge { worker_paid: 1, ..pledge }.due(&task), (0, 0));
    }
}
