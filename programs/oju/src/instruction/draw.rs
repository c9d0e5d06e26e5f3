//! `draw`: anyone seats the panel of a round when the block that decides it is there.

use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::Drawn;
use crate::instruction::counter::opened;
use crate::rule::draw::{Terms, draw as seat};
use crate::rule::preimage::{Lot, draw_seed};
use crate::rule::status::{self, Turn};
use crate::state::case::{Case, Hearing};
use crate::state::roster::{Roster, Season, outdated};
use crate::state::task::Task;
use crate::sysvar::{Block, clock, slot_hash};
use crate::wire::Reader;

/// Seats a panel. If the chain or the Roster has forgotten the state at
/// seed_slot, it waits for another block instead. From draw_by on only
/// `expire_case` is left, so that no sender can choose between the two.
///
/// Accounts: roster w, case w, task.
pub fn draw(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut roster, mut case, task] = account::take(cx.accounts, [W, W, R])?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let mut case = Hearing::of(&mut docket)?;
    let terms = account::read::<Task>(&task, cx.program)?;
    account::address(&task, &case.task)?;
    let to = status::case(Turn::Seat, case.status)?;
    let clock = clock()?;
    require(clock.time < case.draw_by, Error::TOO_LATE)?;
    let (roster, entries) = listed.parts()?;
    let season = roster.season_of(case.seed_slot).filter(|_| !outdated(case.seed_slot, clock.slot));
    let first = if case.appealed() { roster.numbered(case.season) } else { None };
    let season = season.map(|season| match first {
        // With 256 turns in between the number is that of a later season, which may have begun when
        // the block was known.
        Some(first) if first == season || season == Season::Now => first,
        _ => season,
    });
    let (block, season) = match (slot_hash(case.seed_slot)?, season) {
        (Block::NotYet, _) => return Err(Error::TOO_EARLY),
        (Block::At(block), Some(season)) => (block, season),
        _ => {
            case.seed_slot = clock.slot + case.draw_delay_slots as u64;
            return opened(&case, &clock);
        }
    };
    let lot = Lot { task: task.address(), round: case.round, slot: block.slot, hash: &block.hash };
    let sums = roster.sums(season);
    let terms = Terms { seed: draw_seed(cx.program, &lot), task: &terms, season, sums };
    seat(&mut case, &terms, entries)?;
    if !case.appealed() {
        case.season = roster.number(season);
    }

    (case.drawn_slot, case.slot_hash) = (block.slot, block.hash);
    case.commit_ends = clock.time + case.commit_seconds as i64;
    case.reveal_ends = case.commit_ends + case.reveal_seconds as i64;
    case.status = to as u8;
    Drawn {
        task: case.task,
        round: case.round,
        slot: block.slot,
        slot_hash: block.hash,
        weight: case.seated_weight,
        commit_ends: case.commit_ends,
    }
    .log_panel(&case)
}
