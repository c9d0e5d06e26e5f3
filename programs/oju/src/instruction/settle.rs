//! `settle`, `finish_case` and `expire_case`: the end of a round and of a case. Anyone may send
//! them. The case and the task determine the accounts, and there are six for every size of the
//! panel.

use pinocchio::{AccountView, Address};

use crate::account::{self, Held, Listed, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Appealable, CaseFinished, Event, RoundSettled, paid};
use crate::instruction::appeal::{loser, shared};
use crate::instruction::counter::opened;
use crate::instruction::payout::{self, Parties};
use crate::rule::appeal::bond;
use crate::rule::court::Court;
use crate::rule::settle::{Bonds, Next, Settled, settleable};
use crate::rule::status::{self, Move, Turn};
use crate::state::agent;
use crate::state::case::{ACCEPT, Case, Hearing, NONE, UNDECIDED};
use crate::state::pot::Pot;
use crate::state::roster::Roster;
use crate::state::task::{Payout, Resolution, Step, Task};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// The accounts of the instructions, opened and checked.
struct Bench<'a> {
    roster: Listed<'a, Roster>,
    docket: Listed<'a, Case>,
    task: Held<'a, Task>,
    parties: Parties<'a>,
    clock: Clock,
}

/// The views behind a [`Bench`], in the order of the instructions.
type Views = [AccountView; 6];

/// Settles a round.
///
/// Accounts: roster w, case w, task w, creator_agent w, worker_agent w, pot w.
pub fn settle(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let mut views = account::take(cx.accounts, [W, W, W, W, W, W])?;
    let mut bench = Bench::open(&mut views, cx.program)?;
    let now = bench.clock.time;
    let case = bench.case()?;
    status::case(Turn::Void, case.status)?;
    require(settleable(&case, now), Error::NOT_YET_SETTLEABLE)?;

    let round = case.round;
    let bonds = bench.bonds();
    let settled = court(&mut bench.roster, &mut bench.docket, bench.clock)?.settle(&bonds, &bench.task)?;
    bench.log_settled(round, &settled)?;
    match settled.next {
        Next::Draw => bench.opened()?,
        Next::Window => bench.window()?,
        Next::Finish => {
            let found = if settled.verdict == UNDECIDED { NONE } else { settled.verdict };
            bench.collect(&settled)?;
            return bench.finish(Turn::Decide, found);
        }
        Next::Over if settled.verdict == UNDECIDED => bench.undecided()?,
        Next::Over => bench.decided(settled.verdict == ACCEPT)?,
    }
    bench.collect(&settled)
}

/// Ends a case that the loser did not appeal in time, or earlier if the loser signs: its verdict is
/// final, and pays. Accounts: as [`settle`], and the loser s (only before the time).
pub fn finish(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let mut views = account::take(cx.accounts, [W, W, W, W, W, W])?;
    let mut bench = Bench::open(&mut views, cx.program)?;
    let now = bench.clock.time;
    let case = bench.docket.parts()?.0;
    let waives = now < case.appeal_by && cx.accounts.len() > 6;
    let waives = waives && !shared(case, &bench.task);
    if waives {
        account::cosigned(cx.accounts, 6, &loser(case, &bench.task, &bench.task.worker))?;
    }
    status::case(Turn::Finish, case.status)?;
    require(waives || now >= case.appeal_by, Error::TOO_EARLY)?;

    bench.finish(Turn::Finish, NONE)
}

/// Ends a case whose round was not drawn in time. If it is a round of an appeal, the first verdict
/// stands; if nobody was drawn for the appeal, its bond goes back. If an earlier round of the first
/// panel decided nothing, that may be appealed. Accounts: as [`settle`].
pub fn expire(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let mut views = account::take(cx.accounts, [W, W, W, W, W, W])?;
    let mut bench = Bench::open(&mut views, cx.program)?;
    let now = bench.clock.time;
    let case = bench.case()?;
    status::case(Turn::Expire, case.status)?;
    require(now >= case.draw_by, Error::TOO_EARLY)?;

    if case.appealed() {
        if case.seats == 0 {
            bench.give_back()?;
        }
        return bench.finish(Turn::Stand, NONE);
    }
    let bonds = bench.bonds();
    let mut court = court(&mut bench.roster, &mut bench.docket, bench.clock)?;
    let settled = court.expire(&bonds, &bench.task)?;
    if settled.next == Next::Window {
        return bench.window();
    }
    bench.log_expired(&settled)?;
    bench.undecided()?;
    bench.collect(&settled)
}

/// The case and the judges, for the rules.
pub fn court<'a>(
    roster: &'a mut Listed<'_, Roster>,
    docket: &'a mut Listed<'_, Case>,
    clock: Clock,
) -> Outcome<Court<'a>> {
    let (roster, entries) = roster.parts()?;
    Ok(Court { case: Hearing::of(docket)?, roster, entries, clock })
}

impl<'a> Bench<'a> {
    #[inline(never)]
    fn open(views: &'a mut Views, program: &Address) -> Outcome<Self> {
        let [roster, case, task, creator, worker, pot] = views;
        let roster = account::open_list::<Roster>(roster, program)?;
        let mut docket = account::open_list::<Case>(case, program)?;
        let task = account::open::<Task>(task, program)?;
        account::address(&task.account, &docket.parts()?.0.task)?;
        require(!task.is_dispute(), Error::WRONG_STATUS)?;
        let creator = agent::of(creator, &task.creator, program)?;
        let worker = agent::of(worker, &task.worker, program)?;
        let pot = account::open::<Pot>(pot, program)?;
        Ok(Bench { roster, docket, task, parties: Parties { creator, worker, pot }, clock: clock()? })
    }

    fn case(&mut self) -> Outcome<Hearing<'_>> {
        Hearing::of(&mut self.docket)
    }

    fn opened(&mut self) -> Outcome {
        let clock = self.clock;
        let case = self.case()?;
        opened(&case, &clock)
    }

    /// Tells until when the loser may appeal.
    fn window(&mut self) -> Outcome {
        let case = self.docket.parts()?.0;
        Appealable { task: case.task, verdict: case.verdict, appeal_by: case.appeal_by }.log()
    }

    /// Ends a case that the first panel decided, and pays everybody. `found` is the verdict of its
    /// appeal, or [`NONE`].
    #[inline(never)]
    fn finish(&mut self, turn: Turn, found: u8) -> Outcome {
        let bonds = self.bonds();
        let settled = court(&mut self.roster, &mut self.docket, self.clock)?.finish(turn, found, &bonds)?;
        self.log_finished(&settled)?;
        match settled.verdict {
            UNDECIDED => self.undecided()?,
            verdict => self.decided(verdict == ACCEPT)?,
        }
        self.collect(&settled)
    }

    /// Returns the bond of an appeal that nobody was drawn for. A proctor's has none.
    #[inline(never)]
    fn give_back(&mut self) -> Outcome {
        let case = self.docket.parts()?.0;
        let (bond, by) = (bond(case)?, case.appellant);
        let (posted, party) = if by == self.task.creator {
            (&mut self.task.creator_bond, &mut self.parties.creator)
        } else if by == self.task.worker {
            (&mut self.task.worker_bond, &mut self.parties.worker)
        } else {
            return Ok(());
        };
        *posted = arith::sub(*posted, bond)?;
        payout::pay(&mut self.task, party, paid::BOND_BACK, bond)
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
        payout::forfeit(task, outcome);
        payout::escrow(task, &mut self.parties, outcome)?;
        payout::bonds(task, &mut self.parties)
    }

    /// The judges get what the parties lost, and the Pot what the judges do not get.
    fn collect(&mut self, settled: &Settled) -> Outcome {
        if settled.next == Next::Over {
            self.parties.pot.settled(self.docket.parts()?.0.golden_bps);
        }
        account::pay(&mut self.task.account, &mut self.roster.account, settled.bond)?;
        self.parties.pot.take(&mut self.roster.account, settled.golden)
    }

    #[inline(never)]
    fn log_settled(&mut self, round: u8, settled: &Settled) -> Outcome {
        let at = self.clock.time;
        let case = self.case()?;
        let tally = [case.accept_weight, case.reject_weight, case.abstain_weight, case.seated_weight];
        event(case.task, round, settled, tally, at).log_seats(&case, false)
    }

    #[inline(never)]
    fn log_finished(&mut self, settled: &Settled) -> Outcome {
        let at = self.clock.time;
        let case = self.case()?;
        let &Settled { verdict, bond, golden, .. } = settled;
        let (task, level) = (case.task, case.level);
        CaseFinished { task, verdict, level, bond, golden, at }.log_all(&case)
    }

    /// The settlement of the round before has logged its tally.
    #[inline(never)]
    fn log_expired(&mut self, settled: &Settled) -> Outcome {
        let at = self.clock.time;
        let case = self.case()?;
        event(case.task, case.round, settled, [0; 4], at).log_seats(&case, true)
    }
}

/// A settlement as it is told.
pub fn event(task: Address, round: u8, settled: &Settled, tally: [u64; 4], at: i64) -> RoundSettled {
    let [accept, reject, abstain, seated] = tally;
    let &Settled { verdict, bond, golden, .. } = settled;
    RoundSettled { task, round, verdict, accept, reject, abstain, seated, bond, golden, at }
}

fn step(to: status::Status, clock: &Clock) -> Step<'static> {
    Step { to, actor: None, deadline: 0, hash: [0; 32], amount: 0, at: clock.time }
}
