//! `settle` and `expire_case`: the end of a round. Anyone may send them. The case and
//! the task determine the accounts, and there are six for every size of the panel.

use pinocchio::{AccountView, Address};

use crate::account::{self, Held, Listed, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::RoundSettled;
use crate::instruction::counter::opened;
use crate::instruction::payout::{self, Parties};
use crate::rule::court::Court;
use crate::rule::settle::{Bonds, Settled, settleable};
use crate::rule::status::{self, Move, Turn};
use crate::state::agent;
use crate::state::case::{ACCEPT, Case, NONE, UNDECIDED};
use crate::state::pot::Pot;
use crate::state::roster::Roster;
use crate::state::task::{Payout, Resolution, Step, Task};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// The accounts of both instructions, opened and checked.
struct Bench<'a> {
    roster: Listed<'a, Roster>,
    case: Held<'a, Case>,
    task: Held<'a, Task>,
    parties: Parties<'a>,
    clock: Clock,
}

/// The views behind a [`Bench`], in the order of the instructions.
type Views = [AccountView; 6];

/// Settles a round. Accounts: roster w, case w, task w, creator_agent w, worker_agent w,
/// pot w.
pub fn settle(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let mut views = account::take(cx.accounts, [W, W, W, W, W, W])?;
    let mut bench = Bench::open(&mut views, cx.program)?;
    status::case(Turn::Void, bench.case.status)?;
    require(settleable(&bench.case, bench.clock.time), Error::NOT_YET_SETTLEABLE)?;

    let round = bench.case.round;
    let bonds = bench.bonds();
    let settled = bench.court()?.settle(&bonds)?;
    bench.log_settled(round, &settled)?;
    match settled.verdict {
        NONE => opened(&bench.case, &bench.clock)?,
        UNDECIDED => bench.undecided()?,
        verdict => bench.decided(verdict == ACCEPT)?,
    }
    bench.collect(&settled)
}

/// Ends a case whose round was not drawn in time. Accounts: as [`settle`].
pub fn expire(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let mut views = account::take(cx.accounts, [W, W, W, W, W, W])?;
    let mut bench = Bench::open(&mut views, cx.program)?;
    status::case(Turn::Expire, bench.case.status)?;
    require(bench.clock.time >= bench.case.draw_by, Error::TOO_EARLY)?;

    let bonds = bench.bonds();
    let settled = bench.court()?.expire(&bonds)?;
    bench.log_expired(&settled)?;
    bench.undecided()?;
    bench.collect(&settled)
}

impl<'a> Bench<'a> {
    #[inline(never)]
    fn open(views: &'a mut Views, program: &Address) -> Outcome<Self> {
        let [roster, case, task, creator, worker, pot] = views;
        let roster = account::open_list::<Roster>(roster, program)?;
        let case = account::open::<Case>(case, program)?;
        let task = account::open::<Task>(task, program)?;
        account::address(&task.account, &case.task)?;
        let creator = agent::of(creator, &task.creator, program)?;
        let worker = agent::of(worker, &task.worker, program)?;
        let pot = account::open::<Pot>(pot, program)?;
        Ok(Bench { roster, case, task, parties: Parties { creator, worker, pot }, clock: clock()? })
    }

    fn court(&mut self) -> Outcome<Court<'_>> {
        let (roster, entries) = self.roster.parts()?;
        Ok(Court { case: &mut self.case, roster, entries, clock: self.clock })
    }

    fn bonds(&self) -> Bonds {
        Bonds::of(self.task.creator_bond, self.task.worker_bond, self.task.on_undecided)
    }

    /// The winner gets the escrow and its bond.
    #[inline(never)]
    fn decided(&mut self, accepted: bool) -> Outcome {
        let to = status::task(Move::Decide, self.task.status)?;
        let (task, parties) = (&mut self.task, &mut self.parties);
        let outcome = if accepted { Payout::Paid } else { Payout::Refunded };
        task.end(outcome, Resolution::Verdict);
        task.step(&step(to, &self.clock))?;
        let lost = if accepted { &mut task.creator_bond } else { &mut task.worker_bond };
        *lost = 0;
        payout::escrow(task, parties, outcome)?;
        payout::bonds(task, parties)?;
        let Parties { creator, worker, .. } = parties;
        let (won, lost) = if accepted { (worker, creator) } else { (creator, worker) };
        won.cases_won = won.cases_won.saturating_add(1);
        lost.cases_lost = lost.cases_lost.saturating_add(1);
        Ok(())
    }

    /// The task's own term decides, and the side that profits loses its bond.
    #[inline(never)]
    fn undecided(&mut self) -> Outcome {
        let to = status::task(Move::GiveUp, self.task.status)?;
        let task = &mut self.task;
        let outcome = Payout::of(task.on_undecided);
        task.end(outcome, Resolution::Undecided);
        task.step(&step(to, &self.clock))?;
        match outcome {
            Payout::Refunded => task.creator_bond = 0,
            Payout::Paid => task.worker_bond = 0,
            _ => {
                task.creator_bond -= task.creator_bond / 2;
                task.worker_bond -= task.worker_bond / 2;
            }
        }
        payout::escrow(task, &mut self.parties, outcome)?;
        payout::bonds(task, &mut self.parties)
    }

    /// The judges get what the parties lost, and the Pot what the judges do not get.
    fn collect(&mut self, settled: &Settled) -> Outcome {
        if settled.verdict != NONE {
            self.parties.pot.settled(self.case.golden_bps);
        }
        account::pay(&mut self.task.account, &mut self.roster.account, settled.bond)?;
        self.parties.pot.take(&mut self.roster.account, settled.golden)
    }

    #[inline(never)]
    fn log_settled(&self, round: u8, settled: &Settled) -> Outcome {
        let case = &*self.case;
        let tally = [case.accept_weight, case.reject_weight, case.abstain_weight, case.seated_weight];
        self.settled(round, settled, tally).log_seats(case, false)
    }

    /// The settlement of the round before has logged its tally.
    #[inline(never)]
    fn log_expired(&self, settled: &Settled) -> Outcome {
        self.settled(self.case.round, settled, [0; 4]).log_seats(&self.case, true)
    }

    fn settled(&self, round: u8, settled: &Settled, tally: [u64; 4]) -> RoundSettled {
        let [accept, reject, abstain, seated] = tally;
        let &Settled { verdict, bond, golden } = settled;
        let (task, at) = (self.case.task, self.clock.time);
        RoundSettled { task, round, verdict, accept, reject, abstain, seated, bond, golden, at }
    }
}

fn step(to: status::Status, clock: &Clock) -> Step<'static> {
    Step { to, actor: None, deadline: 0, hash: [0; 32], amount: 0, at: clock.time }
}
