//! The end of a round; protocol section 6, Settle and Expire case.

use crate::arith;
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::rule::pay::{absence, exposure, withheld};
use crate::rule::status::{self, Phase, Turn};
use crate::rule::tally;
use crate::state::case::{
    ABSTAIN, ACCEPT, COMMITTED, Case, EQUIVOCATED, NONE, REVEALED, Seat, UNDECIDED, result,
};
use crate::state::roster::Entry;
use crate::state::task::{PAY, REFUND};

/// What the parties lose by each end of a case, in lamports.
#[derive(Clone, Copy)]
pub struct Bonds {
    /// The creator's bond.
    pub creator: u64,
    /// The worker's.
    pub worker: u64,
    /// What both lose if the case ends undecided.
    pub undecided: u64,
}

impl Bonds {
    /// If a case ends undecided, the side that profits pays: half of each if the escrow is divided.
    pub fn of(creator: u64, worker: u64, on_undecided: u8) -> Bonds {
        let undecided = match on_undecided {
            REFUND => creator,
            PAY => worker,
            _ => creator / 2 + worker / 2,
        };
        Bonds { creator, worker, undecided }
    }
}

/// How a round ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// [`NONE`]: void, the case waits for another draw.
    pub verdict: u8,
    /// Lost by the parties. The caller moves it from the task to the Roster.
    pub bond: u64,
    /// The golden pot's. The caller moves it from the Roster to the Pot.
    pub golden: u64,
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
        let (turn, verdict, bond) = match verdict {
            NONE if self.case.round < self.case.max_rounds => {
                self.void()?;
                return Ok(Settled { verdict, bond: 0, golden: slashed });
            }
            NONE => (Turn::GiveUp, UNDECIDED, bonds.undecided),
            ACCEPT => (Turn::Decide, verdict, bonds.creator),
            _ => (Turn::Decide, verdict, bonds.worker),
        };
        self.end(turn, verdict)?;
        let golden = arith::add(slashed, self.pay_seats(bond)?)?;
        Ok(Settled { verdict, bond, golden })
    }

    /// Ends a case that was not drawn in time. The seats of the round before are paid.
    pub fn expire(&mut self, bonds: &Bonds) -> Outcome<Settled> {
        self.end(Turn::Expire, UNDECIDED)?;
        let (verdict, bond) = (UNDECIDED, bonds.undecided);
        Ok(Settled { verdict, bond, golden: self.pay_seats(bond)? })
    }

    /// Gives each seat its result, slashes those that were silent, and returns the slashes.
    fn judge(&mut self, verdict: u8) -> Outcome<u64> {
        let larger = if verdict == NONE { NONE } else { tally::larger(self.case) };
        let mut slashed = 0;
        for i in 0..self.case.seated().len() {
            let seat = &mut self.case.panel[i];
            seat.result = result_of(seat, larger);
            let seat = *seat;
            let reserved = exposure(self.case, seat.weight)?;
            if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
                release(entry, &seat, reserved);
            }
            slashed = arith::add(slashed, self.silence(i, &seat)?)?;
        }
        Ok(slashed)
    }

    /// Slashes a seat that did not commit or did not reveal. One that equivocated was slashed then.
    fn silence(&mut self, i: usize, seat: &Seat) -> Outcome<u64> {
        if seat.has(REVEALED) || seat.has(EQUIVOCATED) {
            return Ok(0);
        }
        let loss = match seat.has(COMMITTED) {
            true => withheld(self.case, seat.weight)?,
            false => absence(self.case, seat.weight)?,
        };
        self.slash(i, loss)
    }

    fn void(&mut self) -> Outcome {
        self.case.status = status::case(Turn::Void, self.case.status)? as u8;
        self.case.round += 1;
        self.case.await_draw(&self.clock);
        Ok(())
    }

    fn end(&mut self, turn: Turn, verdict: u8) -> Outcome {
        self.case.status = status::case(turn, self.case.status)? as u8;
        (self.case.verdict, self.case.settled_at) = (verdict, self.clock.time);
        Ok(())
    }
}

/// `larger` is the side with more weight, or [`NONE`]: sides of equal weight have no majority.
fn result_of(seat: &Seat, larger: u8) -> u8 {
    if seat.has(EQUIVOCATED) {
        result::EQUIVOCATED
    } else if !seat.has(REVEALED) {
        result::ABSENT
    } else if seat.choice == ABSTAIN {
        result::ABSTAINED
    } else if larger == NONE {
        result::VOTED
    } else if seat.choice == larger {
        result::MAJORITY
    } else {
        result::MINORITY
    }
}

/// Ends the seat and counts it in the record. Equivocation was counted when it was proved.
fn release(entry: &mut Entry, seat: &Seat, reserved: u64) {
    entry.live -= 1;
    entry.locked -= reserved;
    entry.seated += 1;
    match seat.result {
        result::MAJORITY => entry.majority += 1,
        result::MINORITY => entry.minority += 1,
        result::ABSTAINED => entry.abstained += 1,
        result::ABSENT => entry.absent += 1,
        _ => {}
    }
}
