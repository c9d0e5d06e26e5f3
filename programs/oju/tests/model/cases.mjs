// A case from the draw to the end.

import { NO_HASH, hex, keyBytes } from '../lib/bytes.mjs';
import { pay, step, take } from './step.mjs';
import { opened, reward, worth } from './tasks.mjs';
import { ABSTAIN, ACCEPT, BPS, REJECT, commitment, drawSeed, panel, relayRequest, shares, statement, verdict } from './rule.mjs';

const DRAW = 1;
const COMMIT = 2;
const REVEAL = 3;
const DECIDED = 4;
const UNDECIDED = 5;

const COMMITTED = 1;
const REVEALED = 2;
const EQUIVOCATED = 4;

const TALLY = { [ACCEPT]: 'accept_weight', [REJECT]: 'reject_weight', [ABSTAIN]: 'abstain_weight' };
const COUNTER = { 1: 'majority', 2: 'minority', 3: 'abstained', 4: 'absent' };

const has = (seat, flag) => (seat.flags & flag) !== 0;
const seatOf = (found, judge) => found.panel.findIndex((seat) => seat.judge === judge);

/** The roster entry of a seat, or null if it is no longer its judge's. */
function entryOf(roster, seat) {
  const entry = roster.entries[seat.index];
  return entry && entry.state !== 0 && entry.authority === seat.judge ? entry : null;
}

function beginRevealIfComplete(m, found) {
  const could = found.panel.some((seat) => !has(seat, COMMITTED) && !has(seat, EQUIVOCATED));
  if (found.status !== COMMIT || m.now >= found.commit_ends || could) return;
  Object.assign(found, { status: REVEAL, commit_ends: m.now, reveal_ends: m.now + BigInt(found.reveal_seconds) });
}

/** Takes stake of a seat's judge. */
function slash(m, roster, seat, bps) {
  const entry = entryOf(roster, seat);
  if (!entry) return 0n;
  const due = seat.weight * BigInt(bps) / BPS;
  const amount = due < entry.stake ? due : entry.stake;
  const window = (slot) => slot / 512n;
  if (window(entry.lost_slot) !== window(m.chain.slot)) {
    entry.lost_before = window(entry.lost_slot) + 1n === window(m.chain.slot) ? entry.lost : 0n;
    entry.lost = 0n;
  }
  entry.lost += amount;
  entry.lost_slot = m.chain.slot;
  entry.stake -= amount;
  roster.total_stake -= amount;
  seat.slashed += amount;
  return amount;
}

/** Divides a pot among the seats with a result. */
function share(roster, found, pot, result) {
  const winners = found.panel.filter((seat) => seat.result === result);
  if (winners.length === 0) {
    roster.carry += pot;
    return;
  }
  shares(pot, winners.map(({ weight }) => weight)).forEach((amount, i) => {
    const entry = entryOf(roster, winners[i]);
    if (!entry) {
      roster.carry += amount;
      return;
    }
    entry.rewards += amount;
    winners[i].earned += amount;
    roster.total_rewards += amount;
  });
}

function resultOf(seat, won) {
  if (has(seat, EQUIVOCATED)) return 5;
  if (!has(seat, REVEALED)) return 4;
  if (seat.choice === ABSTAIN) return 3;
  if (won === 0) return 6;
  return seat.choice === won ? 1 : 2;
}

function priceOf(found, seat, entry) {
  if (seat.result === 4) return found.absent_bps;
  if (seat.result === 2) return found.minority_bps;
  const used = BigInt(entry.abstained) * BPS;
  const free = BigInt(found.abstain_free) * BPS + BigInt(entry.seated) * BigInt(found.abstain_bps);
  return seat.result === 3 && used >= free ? found.absent_bps : 0;
}

/** Step 1 of settling: results, slashes, records. The sum of the slashes. */
function judge(m, roster, found, won) {
  let slashed = 0n;
  for (const seat of found.panel) {
    seat.result = resultOf(seat, won);
    const entry = entryOf(roster, seat);
    if (!entry) continue;
    slashed += slash(m, roster, seat, priceOf(found, seat, entry));
    entry.live -= 1;
    entry.locked -= seat.weight;
    entry.seated += 1;
    if (COUNTER[seat.result]) entry[COUNTER[seat.result]] += 1;
  }
  return slashed;
}

function takePot(roster, found) {
  const { pot } = found;
  roster.pots -= pot;
  found.pot = 0n;
  return pot;
}

function settled(m, found, before, fields, told) {
  const { round } = before;
  const seats = found.panel.map((seat, i) => ({
    result: seat.result,
    slashed: told ? 0n : seat.slashed - before.panel[i].slashed,
    earned: seat.earned,
  }));
  m.log('RoundSettled', { task: found.task, round, ...fields, at: m.now, seats });
}

const tally = (found) => ({
  accept: found.accept_weight, reject: found.reject_weight, abstain: found.abstain_weight, seated: found.seated_weight,
});

/** The case ends without a verdict: the task's term decides. */
function giveUp(m, roster, found, slashed) {
  const pot = takePot(roster, found) + slashed;
  share(roster, found, pot, 6);
  Object.assign(found, { status: UNDECIDED, verdict: 3, settled_at: m.now });
  return pot;
}

function undecided(m, task) {
  const outcome = { 1: 2, 2: 1, 3: 3 }[task.on_undecided];
  Object.assign(task, { outcome, resolution: 5 });
  step(m, task, 11);
  if (outcome === 1) reward(m, task);
  if (outcome === 2) pay(m, 'creator', 2, take(task, 'escrow'));
  if (outcome === 3) {
    const escrow = take(task, 'escrow');
    worth(m, task, escrow / 2n);
    pay(m, 'creator', 2, escrow - escrow / 2n);
  }
  pay(m, 'worker', 3, take(task, 'worker_bond'));
  pay(m, 'creator', 3, take(task, 'creator_bond'));
  pay(m, 'worker', 6, take(task, 'claim_bond'));
}

function decided(m, task, won, bond) {
  const accepted = won === ACCEPT;
  Object.assign(task, { outcome: accepted ? 1 : 2, resolution: 4 });
  step(m, task, 8);
  const [winner, loser] = accepted ? ['worker', 'creator'] : ['creator', 'worker'];
  task[`${loser}_bond`] = 0n;
  m.move(m.at.task, m.at.roster, bond);
  if (accepted) reward(m, task);
  else pay(m, 'creator', 2, take(task, 'escrow'));
  pay(m, winner, 3, take(task, `${winner}_bond`));
  m.open(`${winner}_agent`).cases_won += 1;
  m.open(`${loser}_agent`).cases_lost += 1;
  pay(m, 'worker', 6, take(task, 'claim_bond'));
}

function settle(m, found, roster, task) {
  const before = structuredClone(found);
  const won = verdict(found);
  const slashed = judge(m, roster, found, won);
  if (won !== 0) {
    const bond = won === ACCEPT ? task.creator_bond : task.worker_bond;
    const pot = takePot(roster, found) + slashed + take(roster, 'carry') + bond;
    share(roster, found, pot, 1);
    Object.assign(found, { status: DECIDED, verdict: won, settled_at: m.now });
    settled(m, found, before, { verdict: won, ...tally(found), pot, bond });
    return decided(m, task, won, bond);
  }
  if (found.round < found.max_rounds) {
    found.pot += slashed;
    roster.pots += slashed;
    const seed_slot = m.chain.slot + BigInt(found.draw_delay_slots);
    Object.assign(found, { status: DRAW, round: found.round + 1, seed_slot, draw_by: m.now + BigInt(found.draw_seconds) });
    settled(m, found, before, { verdict: 0, ...tally(found), pot: 0n, bond: 0n });
    return opened(m, found);
  }
  const pot = giveUp(m, roster, found, slashed);
  settled(m, found, before, { verdict: 3, ...tally(found), pot, bond: 0n });
  return undecided(m, task);
}

/** Whether two statements of a peer for a place prove equivocation. */
function proven(m, network, found, seat, peer, round) {
  const signatures = m.chain.before;
  if (signatures?.length !== 2) return false;
  const prefix = statement(network, m.chain.program, { task: found.task, round, judge: seat.judge, commitment: '' });
  const fits = ({ key, message }) =>
    key === peer && message.length === 172 && Buffer.compare(message.subarray(0, 140), prefix) === 0;
  const [one, two] = signatures;
  return fits(one) && fits(two) && Buffer.compare(one.message, two.message) !== 0;
}

/** Whether the peer of a seat asks for just this commitment and this sealed opening. */
function asksFor(m, network, found, peer) {
  const signatures = m.chain.before;
  if (signatures?.length !== 1) return false;
  const [{ key, message }] = signatures;
  const { round, judge, commitment: hash, sealed } = m.args;
  const request = relayRequest(network, m.chain.program, { task: found.task, round, judge, commitment: hash, sealed });
  return key === peer && Buffer.compare(message, request) === 0;
}

/** Commits for a seat; `allowed` is asked last. */
function commits(m, found, judge, allowed) {
  const { round, commitment: hash, sealed } = m.args;
  const number = seatOf(found, judge);
  m.need(found.status === COMMIT, 'WrongStatus');
  m.need(m.now < found.commit_ends, 'TooLate');
  m.need(round === found.round, 'WrongRound');
  const seat = found.panel[number];
  m.need(!has(seat, EQUIVOCATED), 'Equivocated');
  m.need(!has(seat, COMMITTED), 'AlreadyCommitted');
  m.need(hash !== NO_HASH, 'MissingHash');
  m.need([0, 93].includes(sealed.length), 'BadSealed');
  m.need(allowed(), 'BadRelay');
  seat.commitment = hash;
  seat.flags |= COMMITTED;
  found.committed += 1;
  beginRevealIfComplete(m, found);
  m.log('Committed', { task: found.task, round, seat: number, judge: seat.judge, commitment: hash });
}

export const cases = {
  draw(m) {
    const found = m.open('case');
    const task = m.chain.get(m.at.task);
    m.need(found.status === DRAW, 'WrongStatus');
    m.need(m.now < found.draw_by, 'TooLate');
    const blocks = m.chain.blocks.filter(({ slot }) => slot >= found.seed_slot);
    m.need(blocks.length > 0, 'TooEarly');
    if (m.chain.blocks.at(-1).slot > found.seed_slot || m.chain.slot > found.seed_slot + 512n) {
      found.seed_slot = m.chain.slot + BigInt(found.draw_delay_slots);
      return opened(m, found);
    }
    const block = blocks.at(-1);
    const roster = m.open('roster');
    const seats = panel(drawSeed(m.chain.program, m.at.task, found.round, block), roster, task, found);
    m.need(seats, 'TooFewJudges');
    const empty = { commitment: NO_HASH, slashed: 0n, earned: 0n, choice: 0, flags: 0, result: 0 };
    for (const { index, weight } of seats) {
      roster.entries[index].live += 1;
      roster.entries[index].locked += weight;
    }
    const weight = seats.reduce((sum, seat) => sum + seat.weight, 0n);
    const commit_ends = m.now + BigInt(found.commit_seconds);
    const slot_hash = hex(keyBytes(block.hash));
    Object.assign(found, {
      status: COMMIT, seats: seats.length, panel: seats.map((seat) => ({ ...empty, ...seat })), committed: 0, revealed: 0,
      drawn_slot: block.slot, slot_hash, commit_ends, reveal_ends: commit_ends + BigInt(found.reveal_seconds),
      seated_weight: weight, accept_weight: 0n, reject_weight: 0n, abstain_weight: 0n,
    });
    const listed = seats.map(({ index }) => ({ index }));
    const { task: of, round } = found;
    return m.log('Drawn', { task: of, round, slot: block.slot, slot_hash, weight, commit_ends, seats: listed });
  },

  commit(m) {
    const found = m.open('case');
    m.need(seatOf(found, m.at.judge) >= 0, 'NotSeated');
    commits(m, found, m.at.judge, () => true);
  },

  relay_commit(m) {
    const found = m.open('case');
    const [{ network }, roster] = [m.chain.get(m.at.config), m.chain.get(m.at.roster)];
    const seat = found.panel[seatOf(found, m.args.judge)];
    m.need(seat, 'NotSeated');
    const entry = entryOf(roster, seat);
    m.need(entry, 'NotOnRoster');
    commits(m, found, seat.judge, () => asksFor(m, network, found, entry.peer));
  },

  reveal(m) {
    const found = m.open('case');
    const { round, judge: who, choice, opinion_hash, receipts_root, salt } = m.args;
    m.need(found.status === COMMIT || found.status === REVEAL, 'WrongStatus');
    m.need(found.status === REVEAL || m.now >= found.commit_ends, 'TooEarly');
    m.need(m.now < found.reveal_ends, 'TooLate');
    m.need(round === found.round, 'WrongRound');
    const number = seatOf(found, who);
    m.need(number >= 0, 'NotSeated');
    const seat = found.panel[number];
    m.need(!has(seat, EQUIVOCATED), 'Equivocated');
    m.need(has(seat, COMMITTED), 'NotCommitted');
    m.need(!has(seat, REVEALED), 'AlreadyRevealed');
    m.need(TALLY[choice], 'BadChoice');
    const opening = { ...m.args, task: found.task };
    m.need(commitment(m.chain.program, opening) === seat.commitment, 'WrongOpening');
    found.status = REVEAL;
    found.revealed += 1;
    found[TALLY[choice]] += seat.weight;
    seat.choice = choice;
    seat.flags |= REVEALED;
    m.log('Revealed', { task: found.task, round, seat: number, judge: who, choice, opinion_hash, receipts_root, salt });
  },

  settle(m) {
    const found = m.open('case');
    m.need(found.status === COMMIT || found.status === REVEAL, 'WrongStatus');
    const over = found.status === REVEAL || m.now >= found.commit_ends;
    const open = found.panel.some((seat) => seat.flags === COMMITTED);
    m.need(m.now >= found.reveal_ends || (over && !open), 'NotYetSettleable');
    settle(m, found, m.open('roster'), m.open('task'));
  },

  expire_case(m) {
    const found = m.open('case');
    m.need(found.status === DRAW, 'WrongStatus');
    m.need(m.now >= found.draw_by, 'TooEarly');
    const before = structuredClone(found);
    const pot = giveUp(m, m.open('roster'), found, 0n);
    const nothing = { accept: 0n, reject: 0n, abstain: 0n, seated: 0n };
    settled(m, found, before, { verdict: 3, ...nothing, pot, bond: 0n }, true);
    undecided(m, m.open('task'));
  },

  slash_equivocation(m) {
    const [found, roster] = [m.open('case'), m.open('roster')];
    const { network } = m.chain.get(m.at.config);
    const number = m.args.seat;
    const seat = found.panel[number];
    m.need(seat, 'NotSeated');
    const entry = entryOf(roster, seat);
    m.need(entry, 'NotOnRoster');
    m.need(!has(seat, EQUIVOCATED), 'Equivocated');
    const round = found.drawn_slot >= found.seed_slot ? found.round : found.round - 1;
    m.need(proven(m, network, found, seat, entry.peer, round), 'BadEvidence');
    seat.flags |= EQUIVOCATED;
    entry.equivocated += 1;
    const amount = slash(m, roster, seat, found.equivocation_bps);
    if (found.status >= DECIDED) {
      seat.result = 5;
      share(roster, found, amount, found.status === DECIDED ? 1 : 6);
    } else {
      found.pot += amount;
      roster.pots += amount;
      if (found.status === DRAW) seat.result = 5;
      else if (has(seat, REVEALED)) found[TALLY[seat.choice]] -= seat.weight;
      beginRevealIfComplete(m, found);
    }
    m.log('Slashed', { task: found.task, round, seat: number, judge: seat.judge, amount });
  },

  close_case(m) {
    const found = m.chain.get(m.at.case);
    m.need(found.status >= DECIDED, 'WrongStatus');
    m.need(m.now >= found.settled_at + BigInt(found.evidence_seconds), 'TooEarly');
    m.close('case', m.at.wallet);
  },
};
