//! The end of a round; protocol section 6, Settle and Expire case.

use crate::arith;
use crate::error::Outcome;
use crate::rule::appeal::FIRST;
use crate::rule::court::Court;
use crate::rule::pay::{absence, exposure, later, withheld};
use crate::rule::status::{self, Phase, Turn};
use crate::rule::tally;
use crate::state::case::{
    ABSTAIN, ACCEPT, COMMITTED, EQUIVOCATED, HELD, Hearing, NONE, REJECT, REVEALED, Seat, UNDECIDED,
    result,
};
use crate::state::roster::Entry;
use crate::state::task::{PAY, REFUND, Task};

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

/// What comes after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The round was void, and the case waits for another draw.
    Draw,
    /// The loser may appeal.
    Window,
    /// The appeal is over. [`Court::finish`] ends the case.
    Finish,
    /// Nothing: the case is over, and everybody is paid.
    Over,
}

/// How a round or a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// What follows.
    pub next: Next,
    /// [`NONE`]: the round was void.
    pub verdict: u8,
    /// Lost by the parties. The caller moves it from the task to the Roster.
    pub bond: u64,
    /// The golden pot's. The caller moves it from the Roster to the Pot.
    pub golden: u64,
}

/// Whether the round may be settled: its time is over; or commits are over,
/// and every seat that committed and did not equivocate has revealed.
pub fn settleable(case: &Hearing, now: i64) -> bool {
    let open = |seat: &Seat| seat.has(COMMITTED) && !seat.has(REVEALED) && !seat.has(EQUIVOCATED);
    let committing = case.status == Phase::Commit as u8 && now < case.commit_ends;
    now >= case.reveal_ends || !committing && !case.seated().iter().any(open)
}

impl Court<'_> {
    /// Settles the round. The parties are those of the task.
    pub fn settle(&mut self, bonds: &Bonds, task: &Task) -> Outcome<Settled> {
        let found = tally::verdict(&self.case);
        let (appealed, light) = (self.case.appealed(), self.case.too_light(found));
        let verdict = if light { NONE } else { found };
        let void = verdict == NONE && !light && !self.case.last_round();
        let told = if verdict == NONE { UNDECIDED } else { verdict };
        let held = !void && !appealed && self.may_hear(told, task);
        let golden = self.judge(verdict, held)?;
        let (turn, verdict, bond) = match verdict {
            NONE if void => {
                self.void()?;
                return Ok(Settled { next: Next::Draw, verdict, bond: 0, golden });
            }
            NONE if appealed => {
                return Ok(Settled { next: Next::Finish, verdict: UNDECIDED, bond: 0, golden });
            }
            _ if appealed => return Ok(Settled { next: Next::Finish, verdict, bond: 0, golden }),
            _ if held => {
                self.announce(told)?;
                return Ok(Settled { next: Next::Window, verdict: told, bond: 0, golden });
            }
            NONE => (Turn::GiveUp, UNDECIDED, bonds.undecided),
            ACCEPT => (Turn::Decide, verdict, bonds.creator),
            _ => (Turn::Decide, verdict, bonds.worker),
        };
        self.case.level = FIRST;
        self.end(turn, verdict)?;
        let golden = arith::add(golden, self.pay_seats(bond)?)?;
        Ok(Settled { next: Next::Over, verdict, bond, golden })
    }

    /// Ends a case whose first panel was not drawn in time. The seats of the round before are paid.
    /// If there was such a round, that it decided nothing can be appealed, as after a last round.
    pub fn expire(&mut self, bonds: &Bonds, task: &Task) -> Outcome<Settled> {
        let told = (self.case.accept_weight, self.case.reject_weight);
        (self.case.accept_weight, self.case.reject_weight) = (self.sided(ACCEPT), self.sided(REJECT));
        let looked = self.case.seats > 0;
        if looked && self.may_hear(UNDECIDED, task) {
            // The round is that of the seats again, as after a last one.
            self.case.round -= 1;
            self.case.seed_slot = self.case.drawn_slot;
            self.announce(UNDECIDED)?;
            return Ok(Settled { next: Next::Window, verdict: UNDECIDED, bond: 0, golden: 0 });
        }
        (self.case.accept_weight, self.case.reject_weight) = told;
        self.case.level = FIRST;
        self.end(Turn::Expire, UNDECIDED)?;
        let (next, verdict, bond) = (Next::Over, UNDECIDED, bonds.undecided);
        Ok(Settled { next, verdict, bond, golden: self.pay_seats(bond)? })
    }

    /// The weight of the votes for a side, without those that were shown to have equivocated since.
    fn sided(&self, choice: u8) -> u64 {
        let votes = self.case.seated().iter().filter(|seat| seat.sided() && seat.choice == choice);
        votes.map(|seat| seat.weight).sum()
    }

    /// Gives each seat its result, slashes those that were silent, and returns the slashes.
    /// If the money is `held`, votes for a side keep what they can still lose.
    fn judge(&mut self, verdict: u8, held: bool) -> Outcome<u64> {
        let larger = if verdict == NONE { NONE } else { tally::larger(&self.case) };
        let (mut slashed, end) = (0, self.evidence_ends());
        for i in 0..self.case.seated().len() {
            let seat = &mut self.case.panel[i];
            seat.result = result_of(seat, larger);
            let waits = held && seat.sided();
            if waits {
                seat.flags |= HELD;
            }
            let seat = *seat;
            let mut reserved = exposure(&self.case, seat.weight)?;
            if waits {
                reserved -= later(&self.case, seat.weight)?;
            }
            if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
                release(entry, &seat, reserved);
                entry.answers_until(end);
            }
            slashed = arith::add(slashed, self.silence(i, &seat)?)?;
        }
        Ok(slashed)
    }

    /// Until when equivocation can be shown if the case ends now.
    pub fn evidence_ends(&self) -> i64 {
        self.clock.time.saturating_add(self.case.evidence_seconds as i64)
    }

    /// Slashes a seat that did not commit or did not reveal. One that equivocated was slashed then.
    fn silence(&mut self, i: usize, seat: &Seat) -> Outcome<u64> {
        if seat.has(REVEALED) || seat.has(EQUIVOCATED) {
            return Ok(0);
        }
        let loss = match seat.has(COMMITTED) {
            true => withheld(&self.case, seat.weight)?,
            false => absence(&self.case, seat.weight)?,
        };
        self.slash(false, i, loss)
    }

    fn void(&mut self) -> Outcome {
        self.case.status = status::case(Turn::Void, self.case.status)? as u8;
        self.case.round += 1;
        self.case.await_draw(&self.clock);
        Ok(())
    }

    /// Ends the case.
    pub fn end(&mut self, turn: Turn, verdict: u8) -> Outcome {
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

/// Ends the seat, unless its money waits, and counts it in the record. Equivocation was counted
/// when it was proved.
fn release(entry: &mut Entry, seat: &Seat, reserved: u64) {
    if !seat.has(HELD) {
        entry.live -= 1;
    }
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
