//! The draw of workers or evaluators from a class, by a slot hash and by weight.

use pinocchio::Address;

use crate::error::{Error, Outcome, require};
use crate::event::sha256;
use crate::state::class::{MAX_MEMBERS, Member};

/// Numbers for a draw, each a hash of the seed and a counter.
struct Lot {
    seed: [u8; 32],
    counter: u32,
}

impl Lot {
    /// The next number below `total`, without bias. See `over` in [`super::pay`] for zero.
    fn below(&mut self, total: u64) -> u64 {
        let total = total.max(1);
        let excess = total.wrapping_neg() % total; // 2^64 mod total
        loop {
            let hash = sha256(&[&self.seed, &self.counter.to_le_bytes()]);
            self.counter += 1;
            let number = hash.first_chunk().map_or(0, |head| u64::from_le_bytes(*head));
            if number <= u64::MAX - excess {
                return number % total;
            }
        }
    }
}

/// The weights of the members of a class in one draw; 0: cannot be drawn.
pub struct Urn {
    weights: [u64; MAX_MEMBERS],
    /// The place of who vouches for each member, plus 1; 0: nobody.
    sponsors: [u16; MAX_MEMBERS],
    lot: Lot,
}

impl Urn {
    /// By the weight that `of` gives each member, for a draw by this seed that waits since a slot
    /// and a time. Sureties count that stood before.
    #[inline(always)]
    pub fn new(
        seed: [u8; 32],
        members: &[Member],
        (slot, time): (u64, i64),
        of: impl Fn(usize, &Member) -> Outcome<u64>,
    ) -> Outcome<Urn> {
        require(members.len() <= MAX_MEMBERS, Error::WRONG_ACCOUNT)?;
        let lot = Lot { seed, counter: 0 };
        let mut urn = Urn { weights: [0; MAX_MEMBERS], sponsors: [0; MAX_MEMBERS], lot };
        for (i, member) in members.iter().enumerate() {
            urn.weights[i] = of(i, member)?;
            if member.surety.stands(time) && member.surety.since < slot {
                urn.sponsors[i] = member.surety.place;
            }
        }
        Ok(urn)
    }

    /// Takes out the member at this place, who shares a key with it, who vouches for it, and for
    /// whom it vouches. Such members agree with each other.
    pub fn take(&mut self, members: &[Member], place: usize) -> Outcome {
        let member = members.get(place).ok_or(Error::WRONG_ACCOUNT)?;
        self.exclude(members, &member.agent, &member.operator);
        self.part(place);
        Ok(())
    }

    /// Takes out who vouches for the member at this place, and for whom it vouches.
    #[inline(never)]
    pub fn part(&mut self, place: usize) {
        let sponsor = self.sponsors.get(place).map_or(0, |it| *it as usize);
        for (i, (weight, by)) in self.weights.iter_mut().zip(&self.sponsors).enumerate() {
            if i + 1 == sponsor || *by as usize == place + 1 {
                *weight = 0;
            }
        }
    }

    /// Takes out who shares a key with these.
    #[inline(never)]
    pub fn exclude(&mut self, members: &[Member], agent: &Address, operator: &Address) {
        for (weight, member) in self.weights.iter_mut().zip(members) {
            if *weight > 0 && member.related(agent, operator) {
                *weight = 0;
            }
        }
    }

    /// Draws as many as `places` has, each independent of the others. [`Error::TOO_FEW_MEMBERS`] if
    /// there are fewer.
    #[inline(never)]
    pub fn draw(&mut self, members: &[Member], places: &mut [u16]) -> Outcome {
        for place in places {
            let mut total = 0u64;
            for weight in &self.weights {
                total = total.checked_add(*weight).ok_or(Error::OVERFLOW)?;
            }
            require(total > 0, Error::TOO_FEW_MEMBERS)?;
            let mut number = self.lot.below(total);
            let mut drawn = 0;
            for (i, weight) in self.weights.iter().enumerate() {
                if number < *weight {
                    drawn = i;
                    break;
                }
                number -= weight;
            }
            self.take(members, drawn)?;
            *place = drawn as u16;
        }
        Ok(())
    }
}
