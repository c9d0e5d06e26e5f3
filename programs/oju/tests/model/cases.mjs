// A case from the draw to the end.

import { NOBODY, NO_HASH, hex, keyBytes, unhex } from '../lib/bytes.mjs';
import { pay, step, take } from './step.mjs';
import { lostUndecided, opened, reward, worth } from './tasks.mjs';
import { appealSeats, suffices, votesFor, season, ABSTAIN, ACCEPT, REJECT, commitment, drawSeed, facts, panel, pays, relayRequest, shares, statement, verdict } from './rule.mjs';

const DRAW = 1;
const COMMIT = 2;
const REVEAL = 3;
const DECIDED = 4;
const UNDECIDED = 5;
const APPEALABLE = 6;

const over = ({ status }) => status === DECIDED || status === UNDECIDED;

const COMMITTED = 1;
const REVEALED = 2;
const EQUIVOCATED = 4;
const HELD = 8;

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

/** Takes stake of a seat's judge, as far as it reaches. */
function slash(m, roster, seat, due) {
  const entry = entryOf(roster, seat);
  if (!entry) return 0n;
  const amount = due < entry.stake ? due : entry.stake;
  if (amount === 0n) return 0n;
  entry.stake -= amount;
  roster.total_stake -= amount;
  seat.slashed += amount;
  return amount;
}

/** Adds to a judge's rewards; 0 if it has left. */
function earn(roster, seat, amount) {
  const entry = entryOf(roster, seat);
  if (!entry) return 0n;
  entry.rewards += amount;
  seat.earned += amount;
  roster.total_rewards += amount;
  return amount;
}

/** Lamports of the Roster go to the Pot. */
function feed(m, amount) {
  m.open('pot').golden += amount;
  m.move(m.at.roster, m.at.pot, amount);
}

/** The weights that decide: with those of a first panel that decided nothing. */
function sides(found) {
  const both = found.appeal_seats > 0 && found.first_verdict === 3;
  const first = both ? [found.first_accept_weight, found.first_reject_weight] : [0n, 0n];
  return [first[0] + found.accept_weight, first[1] + found.reject_weight];
}

const sided = (seat) => has(seat, REVEALED) && !has(seat, EQUIVOCATED) && seat.choice !== ABSTAIN;

/** Pays the voters of a case that is over from the lost bonds. The rest is the golden pot's. */
function payVoters(m, roster, found, lost) {
  const [accept, reject] = sides(found);
  const beyond = (a, r) => 3n * (a > r ? a : r) > 2n * (a + r);
  const same = accept > reject === found.accept_weight > found.reject_weight;
  const clear = found.verdict < 3 && same && beyond(accept, reject) && beyond(found.accept_weight, found.reject_weight);
  const [first, last] = [(found.first ?? []).filter(sided), found.panel.filter(sided)];
  const own = found.verdict === ACCEPT ? found.accept_weight : found.reject_weight;
  const heavy = 3n * own > 2n * votesFor(found, found.first_verdict);
  const turned = found.level === 2 && clear && heavy && found.verdict !== found.first_verdict;
  const against = turned ? first.filter(({ choice }) => choice === found.first_verdict) : [];
  const deciding = found.appeal_seats > 0 && found.level === 1 ? first : last;
  const parted = found.preset === 2 && clear ? deciding : [];
  let purse = lost;
  for (const seat of against) purse += slash(m, roster, seat, pays(found, seat.weight).reversed);
  for (const seat of parted.filter(({ choice }) => choice !== found.verdict)) {
    purse += slash(m, roster, seat, pays(found, seat.weight).outvoted);
  }
  const flat = [...first, ...last].filter((seat) => !against.includes(seat) && !parted.includes(seat));
  const part = flat.length > 0 ? purse / BigInt(flat.length) : 0n;
  let [rest, left] = [purse, purse];
  for (const seat of flat) {
    const { pay: due } = pays(found, seat.weight);
    left -= due < part ? due : part;
    rest -= earn(roster, seat, due < part ? due : part);
  }
  const winners = parted.filter(({ choice }) => choice === found.verdict);
  const parts = shares(left, winners.map(({ weight }) => weight));
  return winners.reduce((sum, seat, n) => sum - earn(roster, seat, parts[n]), rest);
}

function resultOf(seat, larger) {
  if (has(seat, EQUIVOCATED)) return 5;
  if (!has(seat, REVEALED)) return 4;
  if (seat.choice === ABSTAIN) return 3;
  if (larger === 0) return 6;
  return seat.choice === larger ? 1 : 2;
}

function larger(found, won) {
  if (won === 0 || found.accept_weight === found.reject_weight) return 0;
  return found.accept_weight > found.reject_weight ? ACCEPT : REJECT;
}

/** Keeps the stake of a judge that leaves for evidence about its seat. */
function answers(m, found, entry) {
  const end = m.now + BigInt(found.evidence_seconds);
  if (entry.state === 2 && entry.exit_at < end) entry.exit_at = end;
}

/** Step 1 of settling: results, slashes, records. The sum of the slashes. `held`: the voters wait for the end of the case. */
function judge(m, roster, found, won, held) {
  let slashed = 0n;
  for (const seat of found.panel) {
    seat.result = resultOf(seat, larger(found, won));
    const waits = held && sided(seat);
    if (waits) seat.flags |= HELD;
    const entry = entryOf(roster, seat);
    if (!entry) continue;
    const { withheld, absence, exposure, later } = pays(found, seat.weight);
    if (seat.result === 4) slashed += slash(m, roster, seat, has(seat, COMMITTED) ? withheld : absence);
    if (!waits) entry.live -= 1;
    entry.locked -= waits ? exposure - later : exposure;
    entry.seated += 1;
    if (COUNTER[seat.result]) entry[COUNTER[seat.result]] += 1;
    answers(m, found, entry);
  }
  return slashed;
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

function undecided(m, task) {
  const outcome = { 1: 2, 2: 1, 3: 3 }[task.on_undecided];
  const [creator, worker] = lostUndecided(task);
  Object.assign(task, { outcome, resolution: 5 });
  step(m, task, 11);
  if (outcome === 1) reward(m, task);
  if (outcome === 2) pay(m, 'creator', 2, take(task, 'escrow'));
  if (outcome === 3) {
    const escrow = take(task, 'escrow');
    worth(m, task, escrow / 2n);
    pay(m, 'creator', 2, escrow - escrow / 2n);
  }
  pay(m, 'worker', 3, take(task, 'worker_bond') - worker);
  pay(m, 'creator', 3, take(task, 'creator_bond') - creator);
  pay(m, 'worker', 6, take(task, 'claim_bond'));
}

function decided(m, task, won) {
  const accepted = won === ACCEPT;
  Object.assign(task, { outcome: accepted ? 1 : 2, resolution: 4 });
  step(m, task, 8);
  const [winner, loser] = accepted ? ['worker', 'creator'] : ['creator', 'worker'];
  task[`${loser}_bond`] = 0n;
  if (accepted) reward(m, task);
  else pay(m, 'creator', 2, take(task, 'escrow'));
  pay(m, winner, 3, take(task, `${winner}_bond`));
  m.open(`${winner}_agent`).cases_won += 1;
  m.open(`${loser}_agent`).cases_lost += 1;
  pay(m, 'worker', 6, take(task, 'claim_bond'));
}

/** The end of a case: what is lost goes to the Roster, and what its voters do not get to the Pot. */
function end(m, found, roster, { verdict: won, level }, bond, slashed) {
  Object.assign(found, { status: won === 3 ? UNDECIDED : DECIDED, verdict: won, level, settled_at: m.now });
  const golden = slashed + payVoters(m, roster, found, bond);
  const pot = m.open('pot');
  if (m.at.verdict) return fed(m, bond, golden); // a dispute of others allows no golden cases
  const allowance = pot.allowance + BigInt(found.golden_bps);
  pot.allowance = allowance < 2_560_000n ? allowance : 2_560_000n;
  return fed(m, bond, golden);
}

function fed(m, bond, golden) {
  m.move(m.at.task, m.at.roster, bond);
  feed(m, golden);
  return golden;
}

/** The end of a dispute of others: the task is over, and the verdict final. */
function disputeOver(m, found, task) {
  const { verdict: won, round, level, settled_at, accept_weight, reject_weight, abstain_weight, seated_weight } = found;
  Object.assign(task, { worker_bond: 0n, outcome: won, resolution: won === 3 ? 5 : 4 });
  step(m, task, won === 3 ? 11 : 8);
  const result = { is_final: 1, verdict: won, level, round, joined: task.dispute, decided_at: settled_at };
  const weights = { accept_weight, reject_weight, abstain_weight, seated_weight };
  Object.assign(m.open('verdict'), { ...result, ...weights, facts: facts(m.chain.program, task, found) });
}

function settle(m, found, roster, task) {
  const before = structuredClone(found);
  const counted = verdict(found);
  const [accept, reject] = sides(found);
  const tallied = counted === 0 || 100n * accept <= 66n * (accept + reject) ? counted && REJECT : ACCEPT;
  const appealed = found.appeal_seats > 0;
  const against = appealed && tallied !== 0 && tallied !== found.first_verdict;
  const own = tallied === ACCEPT ? found.accept_weight : found.reject_weight;
  const weight = found.first_verdict === 3 ? found.accept_weight + found.reject_weight : own;
  const light = against && !suffices(weight, votesFor(found, found.first_verdict));
  const won = light ? 0 : tallied;
  const last = found.round === found.max_rounds * (appealed ? 2 : 1);
  const say = won === 0 ? 3 : won;
  const held = (won !== 0 || last) && !appealed && appealSeats(roster, task, found, say) > 0;
  const slashed = judge(m, roster, found, won, held);
  const told = { ...tally(found), bond: 0n, golden: slashed };
  if (won === 0 && !last && !light) {
    feed(m, slashed);
    wait(m, found, found.round + 1);
    settled(m, found, before, { verdict: 0, ...told });
    return opened(m, found);
  }
  if (appealed) {
    feed(m, slashed);
    settled(m, found, before, { verdict: won === 0 ? 3 : won, ...told });
    return finish(m, found, roster, task, won);
  }
  if (held) {
    feed(m, slashed);
    Object.assign(found, { status: APPEALABLE, verdict: say, appeal_by: m.now + BigInt(found.appeal_seconds) });
    settled(m, found, before, { verdict: say, ...told });
    return m.log('Appealable', { task: found.task, verdict: say, appeal_by: found.appeal_by });
  }
  if (won !== 0) {
    const bond = won === ACCEPT ? task.creator_bond : task.worker_bond;
    const golden = end(m, found, roster, { verdict: won, level: 1 }, bond, slashed);
    settled(m, found, before, { ...told, verdict: won, bond, golden });
    return decided(m, task, won);
  }
  giveUp(m, found, roster, task, slashed, before, tally(found));
}

/** Whether a round may be settled. */
function ripe(m, found) {
  m.need(found.status === COMMIT || found.status === REVEAL, 'WrongStatus');
  const past = found.status === REVEAL || m.now >= found.commit_ends;
  const open = found.panel.some((seat) => seat.flags === COMMITTED);
  m.need(m.now >= found.reveal_ends || (past && !open), 'NotYetSettleable');
}

/** A round waits for its draw. */
function wait(m, found, round) {
  const seed_slot = m.chain.slot + BigInt(found.draw_delay_slots);
  Object.assign(found, { status: DRAW, round, seed_slot, draw_by: m.now + BigInt(found.draw_seconds) });
}

/** The end of a case that the first panel decided: by that verdict, or by `won` of the appeal. */
function finish(m, found, roster, task, won) {
  const [level, final] = won === 0 ? [1, found.verdict] : [2, won];
  if (found.appeal_seats > 0 && level === 1) {
    for (const name of WEIGHTS) found[name] = found[`first_${name}`];
  }
  for (const seat of found.appeal_seats > 0 ? found.first : found.panel) {
    const held = has(seat, HELD);
    if (held) seat.flags -= HELD;
    const entry = entryOf(roster, seat);
    if (!entry) continue;
    answers(m, found, entry);
    if (!held) continue;
    entry.live -= 1;
    entry.locked -= pays(found, seat.weight).later;
  }
  const lost = final === ACCEPT ? [task.creator_bond, 0n] : [0n, task.worker_bond];
  const [creator, worker] = final === 3 ? lostUndecided(task) : lost;
  const bond = creator + worker;
  const golden = end(m, found, roster, { verdict: final, level }, bond, 0n);
  const seats = [...found.first ?? [], ...found.panel].map(({ slashed, earned }) => ({ slashed, earned }));
  m.log('CaseFinished', { task: found.task, verdict: final, level, bond, golden, at: m.now, seats });
  if (final === 3) return undecided(m, task);
  return decided(m, task, final);
}

const WEIGHTS = ['seated_weight', 'accept_weight', 'reject_weight', 'abstain_weight'];

/** The party that the verdict is against; of an undecided case that is divided, the one that asks. */
function loserOf(found, task, by) {
  if (found.verdict !== 3) return found.verdict === ACCEPT ? 'creator' : 'worker';
  return task.on_undecided === 2 || (task.on_undecided === 3 && by === task.creator) ? 'creator' : 'worker';
}

/** Opens the second level of a case. */
export function hear(m, found, task, by, bond) {
  const seats = appealSeats(m.chain.get(m.at.roster), task, found, found.verdict);
  m.need(seats > 0, 'TooFewImpartial');
  if (bond > 0n) {
    const [agent, party] = [m.open('agent'), loserOf(found, task, by)];
    m.need(agent.vault >= bond, 'NotEnoughInVault');
    agent.vault -= bond;
    task[`${party}_bond`] += bond;
    m.move(m.at.agent, m.at.task, bond);
  }
  const appeal_rent = m.chain.rent(96 * seats) - m.chain.rent(0);
  m.move(by, m.at.case, appeal_rent);
  for (const name of WEIGHTS) [found[`first_${name}`], found[name]] = [found[name], 0n];
  Object.assign(found, {
    first: found.panel, first_seats: found.seats, first_verdict: found.verdict, first_round: found.round, panel: [], seats: 0,
    committed: 0, revealed: 0, appeal_seats: seats, appeal_rent, appellant: by,
  });
  wait(m, found, found.max_rounds + 1);
  m.log('Appealed', { task: found.task, party: by, seats, bond, at: m.now });
  opened(m, found);
}

/** The case ends without a verdict. `counted` is the tally to tell. */
function giveUp(m, found, roster, task, slashed, before, counted, told) {
  const [creator, worker] = lostUndecided(task);
  const golden = end(m, found, roster, { verdict: 3, level: 1 }, creator + worker, slashed);
  settled(m, found, before, { verdict: 3, ...counted, bond: creator + worker, golden }, told);
  undecided(m, task);
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
    if (m.chain.blocks.at(-1).slot > found.seed_slot || m.chain.slot > found.seed_slot + 512n || !season(m.chain.get(m.at.roster), found.seed_slot)) {
      found.seed_slot = m.chain.slot + BigInt(found.draw_delay_slots);
      return opened(m, found);
    }
    const block = blocks.at(-1);
    const roster = m.open('roster');
    const seats = panel(drawSeed(m.chain.program, m.at.task, found.round, block), roster, task, found);
    m.need(seats, 'TooFewJudges');
    if (found.appeal_seats === 0) found.season = (roster.season + (season(roster, found.seed_slot).owner === 1 ? 0 : 255)) % 256;
    const empty = { commitment: NO_HASH, slashed: 0n, earned: 0n, choice: 0, flags: 0, result: 0 };
    for (const { index, weight } of seats) {
      roster.entries[index].live += 1;
      roster.entries[index].locked += pays(found, weight).exposure;
    }
    const weight = seats.reduce((sum, seat) => sum + seat.weight, 0n);
    const commit_ends = m.now + BigInt(found.commit_seconds);
    const slot_hash = hex(keyBytes(block.hash));
    Object.assign(found, {
      status: COMMIT, seats: seats.length, panel: seats.map((seat) => ({ ...empty, ...seat })), committed: 0, revealed: 0,
      drawn_slot: block.slot, slot_hash, commit_ends, reveal_ends: commit_ends + BigInt(found.reveal_seconds),
      seated_weight: weight, accept_weight: 0n, reject_weight: 0n, abstain_weight: 0n,
    });
    const listed = seats.map(({ index, weight: of }) => ({ index, weight: of }));
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
    m.need(m.chain.get(m.at.task).dispute === 0, 'WrongStatus');
    ripe(m, found);
    settle(m, found, m.open('roster'), m.open('task'));
  },

  appeal(m) {
    const [found, task] = [m.open('case'), m.open('task')];
    m.need(task[loserOf(found, task, m.at.party)] === m.at.party, 'NotLoser');
    m.need(found.status === APPEALABLE, 'WrongStatus');
    m.need(m.now < found.appeal_by, 'TooLate');
    hear(m, found, task, m.at.party, found.fee * 28n);
  },

  finish_case(m) {
    const [found, task] = [m.open('case'), m.open('task')];
    const shared = found.verdict === 3 && task.on_undecided === 3;
    const waives = m.now < found.appeal_by && m.at.loser !== undefined && m.at.loser !== null && !shared;
    if (waives) m.need(m.at.loser === task[loserOf(found, task)], 'WrongAddress');
    m.need(found.status === APPEALABLE, 'WrongStatus');
    m.need(waives || m.now >= found.appeal_by, 'TooEarly');
    finish(m, found, m.open('roster'), task, 0);
  },

  expire_case(m) {
    const found = m.open('case');
    m.need(m.chain.get(m.at.task).dispute === 0, 'WrongStatus');
    m.need(found.status === DRAW, 'WrongStatus');
    m.need(m.now >= found.draw_by, 'TooEarly');
    if (found.appeal_seats > 0) {
      const task = m.open('task');
      const party = ['creator', 'worker'].find((each) => task[each] === found.appellant);
      if (found.seats === 0 && party) {
        task[`${party}_bond`] -= found.fee * 28n;
        pay(m, party, 3, found.fee * 28n);
      }
      return finish(m, found, m.open('roster'), task, 0);
    }
    const votes = (side) => found.panel.filter((seat) => (seat.flags & 6) === 2 && seat.choice === side);
    const weighs = (side) => votes(side).reduce((all, seat) => all + seat.weight, 0n);
    const now = { ...found, accept_weight: weighs(ACCEPT), reject_weight: weighs(REJECT), seed_slot: found.drawn_slot };
    if (found.seats > 0 && appealSeats(m.open('roster'), m.chain.get(m.at.task), now, 3) > 0) {
      Object.assign(found, now, { status: APPEALABLE, round: found.round - 1, verdict: 3, appeal_by: m.now + BigInt(found.appeal_seconds) });
      return m.log('Appealable', { task: found.task, verdict: 3, appeal_by: found.appeal_by });
    }
    const before = structuredClone(found);
    const nothing = { accept: 0n, reject: 0n, abstain: 0n, seated: 0n };
    giveUp(m, found, m.open('roster'), m.open('task'), 0n, before, nothing, true);
  },

  settle_dispute(m) {
    const [found, roster, task, told] = ['case', 'roster', 'task', 'verdict'].map((role) => m.open(role));
    m.need(found.task === m.at.task, 'WrongAddress');
    m.need(told, 'WrongOwner');
    m.need(told.subject === m.at.task, 'WrongAddress');
    m.need(task.worker_operator === m.at.payer, 'WrongAddress');
    const before = structuredClone(found);
    const fee = task.worker_bond;
    if (found.status === DRAW) {
      m.need(m.now >= found.draw_by, 'TooEarly');
      const bond = found.panel.length > 0 ? fee : 0n;
      const golden = end(m, found, roster, { verdict: 3, level: 1 }, bond, 0n);
      settled(m, found, before, { verdict: 3, accept: 0n, reject: 0n, abstain: 0n, seated: 0n, bond, golden }, true);
      disputeOver(m, found, task);
      if (bond !== 0n) return;
      m.move(m.at.task, m.at.payer, fee);
      return m.log('Paid', { task: m.at.task, to: m.at.payer, kind: 3, amount: fee });
    }
    ripe(m, found);
    const won = verdict(found);
    const slashed = judge(m, roster, found, won, false);
    if (won === 0 && found.round < found.max_rounds) {
      feed(m, slashed);
      wait(m, found, found.round + 1);
      settled(m, found, before, { verdict: 0, ...tally(found), bond: 0n, golden: slashed });
      return opened(m, found);
    }
    const golden = end(m, found, roster, { verdict: won || 3, level: 1 }, fee, slashed);
    settled(m, found, before, { verdict: won || 3, ...tally(found), bond: fee, golden });
    disputeOver(m, found, task);
  },

  slash_equivocation(m) {
    const [found, roster] = [m.open('case'), m.open('roster')];
    const { network } = m.chain.get(m.at.config);
    const base = found.appeal_seats > 0 ? found.panel_seats : 0;
    const first = m.args.seat < base;
    const number = m.args.seat - (first ? 0 : base);
    const seat = (first ? found.first : found.panel)[number];
    m.need(seat, 'NotSeated');
    const entry = entryOf(roster, seat);
    m.need(entry, 'NotOnRoster');
    m.need(!has(seat, EQUIVOCATED), 'Equivocated');
    const present = found.drawn_slot >= found.seed_slot ? found.round : found.round - 1;
    const round = first ? found.first_round : present;
    m.need(proven(m, network, found, seat, entry.peer, round), 'BadEvidence');
    const waits = (seat.flags & 2) !== 0 && seat.choice !== ABSTAIN && ((first && !over(found)) || found.status === APPEALABLE);
    seat.flags |= EQUIVOCATED;
    entry.equivocated += 1;
    const amount = slash(m, roster, seat, entry.stake);
    feed(m, amount);
    const voting = found.status === COMMIT || found.status === REVEAL;
    if (first || !voting) seat.result = 5;
    if (waits) found[`${first ? 'first_' : ''}${TALLY[seat.choice]}`] -= seat.weight;
    else if (!first && voting && has(seat, REVEALED)) found[TALLY[seat.choice]] -= seat.weight;
    if (!first) beginRevealIfComplete(m, found);
    m.log('Slashed', { task: found.task, round, seat: number, judge: seat.judge, amount });
  },

  publish_verdict(m) {
    const [task, found] = [m.chain.get(m.at.task), m.chain.get(m.at.case)];
    m.need(found.task === m.at.task, 'WrongAddress');
    m.need(!m.chain.get(m.at.verdict), 'AlreadyExists');
    m.need(over(found), 'WrongStatus');
    const { verdict, round, settled_at, accept_weight, reject_weight, abstain_weight, seated_weight } = found;
    m.create('verdict', m.at.payer, {
      kind: 'VerdictAccount', bump: m.at.bumps.verdict, is_final: 1, verdict, level: found.level, round, joined: 0, subject: found.task, engine: NOBODY,
      decided_at: settled_at, accept_weight, reject_weight, abstain_weight, seated_weight,
      facts: facts(m.chain.program, task, found), creator: task.creator, worker: task.worker, result_hash: task.result_hash,
      reward: task.reward,
    });
  },

  close_case(m) {
    const found = m.chain.get(m.at.case);
    const shared = found.appeal_rent > 0n && found.appellant !== found.payer;
    if (shared) {
      m.need(m.at.appellant, 'NotEnoughAccounts');
      m.need(m.at.appellant === found.appellant, 'WrongAddress');
    }
    m.need(over(found), 'WrongStatus');
    m.need(m.now >= found.settled_at + BigInt(found.evidence_seconds), 'TooEarly');
    if (shared) {
      m.move(m.at.case, found.appellant, found.appeal_rent);
      m.log('Closed', { account: m.at.case, to: found.appellant, amount: found.appeal_rent });
      return m.close('case', m.at.wallet, found.appeal_rent);
    }
    m.close('case', m.at.wallet);
  },
};
