//! The end of a round; protocol section 6, Settle and Expire case.

use crate::arith;
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::rule::slash::price_of;
use crate::rule::status::{self, Phase, Turn};
use crate::rule::tally;
use crate::state::case::{
    ABSTAIN, ACCEPT, COMMITTED, Case, EQUIVOCATED, NONE, REVEALED, Seat, UNDECIDED, result,
};
use crate::state::roster::Entry;

/// The parties' lamports in the task.
#[derive(Clone, Copy)]
pub struct Bonds {
    /// The creator's.
    pub creator: u64,
    /// The worker's.
    pub worker: u64,
}

/// How a round ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// [`NONE`]: void, the case waits for another draw.
    pub verdict: u8,
    /// Shared among the winners now, or carried for want of any.
    pub shared: u64,
    /// Of the loser; part of `shared`. The caller moves it from the task to the Roster.
    pub bond: u64,
}

/// Whether the round may be settled: its time is over; or commits are over,
/// and every seat that committed and did not equivocate has revealed.
pub fn settleable(case: &Case, now: i64) -> bool {
    let open = |seat: &Seat| seat.has(COMMITTED) && !seat.has(REVEALED) && !seat.has(EQUIVOCATED);
    let committing = case.status == Phase::Commit as u8 && now < case.commit_ends;
    now >= case.reveal_ends || !committing && !case.seated().iter().any(open)
}

impl Court<'_> {
    /// Settles the round.
    pub fn settle(&mut self, bonds: &Bonds) -> Outcome<Settled> {
        let verdict = tally::verdict(self.case);
        let slashed = self.judge(verdict)?;
        if verdict != NONE {
            let bond = if verdict == ACCEPT { bonds.creator } else { bonds.worker };
            let shared = self.decide(verdict, arith::add(slashed, bond)?)?;
            return Ok(Settled { verdict, shared, bond });
        }
        if self.case.round < self.case.max_rounds {
            self.void(slashed)?;
            return Ok(Settled::default());
        }
        self.give_up(Turn::GiveUp, slashed)
    }

    /// Ends a case that was not drawn in time. The last seats that voted are the winners.
    pub fn expire(&mut self) -> Outcome<Settled> {
        self.give_up(Turn::Expire, 0)
    }

    /// Step 1: gives each seat its result and the consequences, and returns the slashes.
    fn judge(&mut self, verdict: u8) -> Outcome<u64> {
        let mut slashed = 0;
        for i in 0..self.case.seated().len() {
            let seat = &mut self.case.panel[i];
            seat.result = result_of(seat, verdict);
            let seat = *seat;
            if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
                let bps = price_of(seat.result, self.case, entry);
                release(entry, &seat);
                slashed = arith::add(slashed, self.slash(i, bps)?)?;
            }
        }
        Ok(slashed)
    }

    /// Step 2. `fresh` is the amount that joins the pot now: slashes and the loser's bond.
    fn decide(&mut self, verdict: u8, fresh: u64) -> Outcome<u64> {
        self.end(Turn::Decide, verdict)?;
        let carry = core::mem::take(&mut self.roster.carry);
        let shared = arith::add(arith::add(self.take_kept()?, fresh)?, carry)?;
        self.share(shared, result::MAJORITY)?;
        Ok(shared)
    }

    /// Step 3.
    fn void(&mut self, slashed: u64) -> Outcome {
        self.case.status = status::case(Turn::Void, self.case.status)? as u8;
        self.keep(slashed)?;
        self.case.round += 1;
        self.case.await_draw(&self.clock);
        Ok(())
    }

    /// Step 4.
    fn give_up(&mut self, turn: Turn, slashed: u64) -> Outcome<Settled> {
        self.end(turn, UNDECIDED)?;
        let shared = arith::add(self.take_kept()?, slashed)?;
        self.share(shared, result::VOTED)?;
        Ok(Settled { verdict: UNDECIDED, shared, bond: 0 })
    }

    fn end(&mut self, turn: Turn, verdict: u8) -> Outcome {
        self.case.status = status::case(turn, self.case.status)? as u8;
        (self.case.verdict, self.case.settled_at) = (verdict, self.clock.time);
        Ok(())
    }
}

fn result_of(seat: &Seat, verdict: u8) -> u8 {
    if seat.has(EQUIVOCATED) {
        result::EQUIVOCATED
    } else if !seat.has(REVEALED) {
        result::ABSENT
    } else if seat.choice == ABSTAIN {
        result::ABSTAINED
    } else if verdict == NONE {
        result::VOTED
    } else if seat.choice == verdict {
        result::MAJORITY
    } else {
        result::MINORITY
    }
}

/// Ends the seat and counts it in the record. Equivocation was counted when it was proved.
fn release(entry: &mut Entry, seat: &Seat) {
    entry.live -= 1;
    entry.locked -= seat.weight;
    entry.seated += 1;
    match seat.result {
        result::MAJORITY => entry.majority += 1,
        result::MINORITY => entry.minority += 1,
        result::ABSTAINED => entry.abstained += 1,
        result::ABSENT => entry.absent += 1,
        _ => {}
    }
}
