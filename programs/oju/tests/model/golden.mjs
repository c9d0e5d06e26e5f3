// Golden cases: proctors, batches, leaves, challenges.

import { ABSTAIN, asked, denied, exposure, leastDeposit, pays, placed, sealOf, stood } from './rule.mjs';
import { inForce } from './agents.mjs';
import { hear } from './cases.mjs';
import { NOBODY, NO_HASH } from '../lib/bytes.mjs';

const DECIDED = 4;
const UNDECIDED = 5;
const APPEALABLE = 6;
const ACCEPT = 1;

const counting = (batch) => batch.opened - batch.void;

function fair(batch) {
  const share = 100 * batch.accepts;
  const of = counting(batch);
  const few = 10 * batch.void <= batch.leaves || (batch.void === 1 && batch.leaves >= 8);
  const level = Math.abs(2 * batch.accepts - of) <= batch.void;
  return batch.opened === batch.leaves && few && (level || (share >= 45 * of && share <= 55 * of));
}

/** Ends a batch; all that is left of it goes to the proctor. */
function over(m, batch, outcome, spent) {
  const address = m.at.batch;
  const amount = m.chain.lamports(address) - spent;
  m.move(address, m.at.wallet, amount);
  m.records.set(address, null);
  m.log('BatchClosed', { batch: batch.number, proctor: batch.proctor, outcome, amount });
}

function byAuthority(m) {
  const { authority } = m.chain.get(m.at.config);
  m.need(authority === m.at.authority, 'NotAuthority');
}

const sided = (seat) => (seat.flags & 2) !== 0 && (seat.flags & 4) === 0 && seat.choice !== ABSTAIN;

/** Whether 14 of these judges, however heavy, leave seven others with half of their weight. */
function divisible(seats) {
  const weights = seats.map(({ weight }) => weight).sort((a, b) => (a < b ? 1 : -1));
  const [heavy, rest] = [weights.slice(0, 14), weights.slice(14)].map((of) => of.reduce((all, weight) => all + weight, 0n));
  return rest.length >= 7 && 2n * rest >= heavy;
}

/** The roster entry of a seat, or undefined if it is no longer its judge's. */
function entryOf(roster, seat) {
  const entry = roster.entries[seat.index];
  return entry && entry.state !== 0 && entry.authority === seat.judge ? entry : undefined;
}

/** Whether a judge is proven, or its first golden cases prove it. */
export const passed = ({ owned, right, wrong }) => (owned & 4) !== 0 || 2 * right >= 3 * wrong + 28;

/** Counts a golden case in a record. */
function note(entry, seat, answer) {
  entry.seen += 1;
  entry.since = Math.min(entry.since + 1, 255);
  if (sided(seat)) entry[seat.choice === answer ? 'right' : 'wrong'] += 1;
  if (passed(entry)) entry.owned |= 4;
  if (entry.seen < (passed(entry) ? 64 : 200)) return;
  for (const field of ['right', 'wrong', 'seen']) entry[field] = Math.floor(entry[field] / 2);
}

export const golden = {
  admit_proctor(m) {
    m.need(!m.chain.get(m.at.proctor), 'AlreadyExists');
    byAuthority(m);
    const { proctor } = m.args;
    m.create('proctor', m.at.authority, { kind: 'Proctor', bump: m.at.bumps.proctor, proctor, payer: m.at.authority });
    m.log('ProctorSet', { proctor, admitted: 1 });
  },

  revoke_proctor(m) {
    const found = m.chain.get(m.at.proctor);
    m.need(found, 'WrongOwner');
    m.need(found.payer === m.at.wallet, 'WrongAddress');
    byAuthority(m);
    m.log('ProctorSet', { proctor: found.proctor, admitted: 0 });
    m.close('proctor', m.at.wallet);
  },

  commit_batch(m) {
    const rules = inForce(m);
    const { root, leaves, deposit } = m.args;
    const proctor = m.at.authority;
    m.need(m.chain.get(m.at.proctor)?.proctor === proctor, 'NotProctor');
    const pot = m.open('pot');
    const open_by = m.now + BigInt(rules.batch_seconds);
    m.need(rules.until === 0n || open_by <= rules.until, 'WrongRules');
    m.need(rules.batch_seconds > 0 && leaves >= 2 && leaves <= 256 && root !== NO_HASH, 'BadBatch');
    m.need(BigInt(leaves) * 10_000n <= pot.allowance, 'TooManyLeaves');
    m.need(deposit >= leastDeposit(rules, leaves), 'DepositTooSmall');
    const number = pot.batches;
    m.create('batch', proctor, {
      kind: 'Batch', bump: m.at.bumps.batch, leaves, number, proctor, root, deposit, earned: 0n, exposed: 0n, committed_at: m.now,
      open_by, complete_at: 0n, keep_until: m.now + BigInt(rules.evidence_seconds), leaf_fee: rules.leaf_fee,
      challenge_seconds: rules.challenge_seconds, opened: 0, void: 0, accepts: 0, applied: 0, open: NO_HASH,
      paused_before: stood(m.chain.get(m.at.config), m.now),
    });
    m.move(proctor, m.at.batch, deposit);
    pot.allowance -= BigInt(leaves) * 10_000n;
    pot.batches += 1n;
    m.log('BatchCommitted', { batch: number, proctor, root, leaves, deposit, open_by, at: m.now });
  },

  open_leaf(m) {
    const batch = m.open('batch');
    const { index, answer, generator, seed } = m.args;
    m.need(batch.proctor === m.at.authority, 'NotProctor');
    m.need(m.now < batch.open_by, 'TooLate');
    m.need([1, 2].includes(answer), 'BadChoice');
    const leaf = { ...m.args, address: m.at.task };
    m.need(placed(leaf, index, batch.leaves, m.args.path) === batch.root, 'NotInBatch');
    const open = Buffer.from(batch.open, 'hex');
    m.need(!(open[index >> 3] & (1 << (index & 7))), 'LeafOpen');
    open[index >> 3] |= 1 << (index & 7);
    batch.open = open.toString('hex');
    batch.opened += 1;
    if (batch.opened === batch.leaves) batch.complete_at = m.now;
    const task = m.chain.get(m.at.task);
    const hashes = ['task_hash', 'result_hash', 'objection_hash', 'counter_hash'];
    const counts = task?.kind === 'Task' && task.seal === sealOf(leaf) && hashes.every((name) => task[name] === leaf[name])
      && task.created_at >= batch.committed_at && task.engine === NOBODY;
    if (counts) {
      m.need(m.at.case, 'NotEnoughAccounts');
      const found = m.open('case');
      m.need(found.task === m.at.task, 'WrongAddress');
      m.need([DECIDED, UNDECIDED].includes(found.status), 'WrongStatus');
      m.need(found.golden === 0, 'LeafOpen');
      batch.exposed += exposure(found);
      m.need(batch.exposed <= batch.deposit, 'DepositTooSmall');
      Object.assign(found, { golden: answer, batch: batch.number });
      if (answer === ACCEPT) batch.accepts += 1;
    } else {
      batch.void += 1;
    }
    const told = { batch: batch.number, index, task: m.at.task, answer, generator, seed };
    m.log('LeafOpened', { ...told, void: counts ? 0 : 1, at: m.now });
  },

  apply_leaf(m) {
    const [batch, found, roster, pot] = ['batch', 'case', 'roster', 'pot'].map((role) => m.open(role));
    const config = m.chain.get(m.at.config);
    m.need(found.golden !== 0 && found.applied === 0 && found.batch === batch.number, 'NotGolden');
    m.need(config.paused === 0, 'Paused');
    m.need(fair(batch), 'BatchIncomplete');
    const paused = Math.max(config.paused_seconds - batch.paused_before, 0);
    m.need(m.now >= batch.complete_at + BigInt(batch.challenge_seconds + paused), 'TooEarly');
    const answer = found.golden;
    const votes = [...found.first ?? [], ...found.panel];
    const seats = votes.map(() => ({ result: 0, slashed: 0n, earned: 0n }));
    let taken = 0n;
    votes.forEach((seat, i) => {
      const entry = entryOf(roster, seat);
      if (entry) note(entry, seat, answer);
      if (!sided(seat)) return;
      seats[i].result = seat.choice === answer ? 1 : 2;
      if (seat.choice === answer || !entry) return;
      const due = pays(found, seat.weight).withheld;
      const amount = due < entry.stake ? due : entry.stake;
      entry.stake -= amount;
      roster.total_stake -= amount;
      seat.slashed += amount;
      seats[i].slashed = amount;
      taken += amount;
    });
    const right = seats.filter(({ result }) => result === 1).length;
    let paid = 0n;
    votes.forEach((seat, i) => {
      const entry = entryOf(roster, seat);
      if (seats[i].result !== 1 || !entry) return;
      const [most, gain] = [(pot.golden + taken) / BigInt(right), pays(found, seat.weight).pay * BigInt(found.golden_gain)];
      const amount = gain < most ? gain : most;
      entry.rewards += amount;
      roster.total_rewards += amount;
      seat.earned += amount;
      seats[i].earned = amount;
      paid += amount;
    });
    pot.golden += taken - paid;
    m.move(m.at.roster, m.at.pot, taken);
    m.move(m.at.pot, m.at.roster, paid);
    const judged = seats.some(({ result }) => result !== 0);
    const fee = !judged ? 0n : batch.leaf_fee < pot.golden ? batch.leaf_fee : pot.golden;
    pot.golden -= fee;
    batch.earned += fee;
    m.move(m.at.pot, m.at.batch, fee);
    found.applied = 1;
    batch.applied += 1;
    m.log('LeafApplied', { task: found.task, batch: batch.number, answer, taken, paid, fee, at: m.now, seats });
  },

  close_batch(m) {
    const batch = m.chain.get(m.at.batch);
    const config = m.chain.get(m.at.config);
    m.need(batch.proctor === m.at.wallet, 'WrongAddress');
    if (fair(batch)) {
      m.need(batch.applied === counting(batch) || m.now >= batch.keep_until, 'TooEarly');
      return over(m, batch, 1, 0n);
    }
    m.need(batch.opened === batch.leaves || m.now >= batch.open_by, 'TooEarly');
    const paused = 10 * (stood(config, m.now) - batch.paused_before);
    const stopped = batch.opened === batch.leaves && batch.void > 0 && BigInt(paused) >= batch.open_by - batch.committed_at;
    if (stopped) return over(m, batch, 3, 0n);
    m.open('pot').golden += batch.deposit;
    m.move(m.at.batch, m.at.pot, batch.deposit);
    return over(m, batch, 2, batch.deposit);
  },

  uphold_challenge(m) {
    const batch = m.chain.get(m.at.batch);
    const [task, found] = [m.chain.get(m.at.golden_task), m.chain.get(m.at.golden_case)];
    m.need(found.task === m.at.golden_task, 'WrongAddress');
    m.need(found.golden !== 0 && found.batch === batch.number, 'NotGolden');
    const leaf = { ...task, ...m.args, address: m.at.golden_task, answer: found.golden };
    m.need(sealOf(leaf) === task.seal, 'NotInBatch');
    const [challenge, decided] = [m.chain.get(m.at.task), m.chain.get(m.at.case)];
    m.need(decided, 'WrongOwner'); // another engine decided: there is no case
    m.need(decided.task === m.at.task, 'WrongAddress');
    m.need(batch.proctor === m.at.wallet, 'WrongAddress');
    m.need(batch.applied === 0, 'TooLate');
    const accepted = decided.status === DECIDED && decided.verdict === ACCEPT && challenge.dispute === 0;
    const full = decided.panel_seats === 28 && (decided.appeal_seconds === 0 || !divisible(decided.panel));
    const waited = decided.panel_seats >= 14 && decided.settled_at >= decided.appeal_by;
    const once = decided.appeal_by === 0n ? full : waited;
    const appealed = decided.appeal_seats > 0;
    const doubted = appealed && decided.level === 1 && decided.panel_seats >= 14;
    const heard = appealed ? decided.first_verdict === ACCEPT && (decided.level === 2 || doubted) : once;
    m.need(accepted && heard && challenge.task_hash === asked(leaf) && challenge.result_hash === denied, 'NotFalse');
    const tenth = batch.deposit / 10n;
    const amount = tenth < challenge.reward ? tenth : challenge.reward;
    const worker = m.open('worker_agent');
    worker.vault += amount;
    m.move(m.at.batch, m.at.worker_agent, amount);
    const rest = batch.deposit - amount;
    const lost = doubted ? rest / 2n : rest;
    m.open('pot').golden += lost;
    m.move(m.at.batch, m.at.pot, lost);
    m.log('ChallengeUpheld', { batch: batch.number, golden: m.at.golden_task, task: m.at.task, to: worker.authority, amount });
    over(m, batch, doubted ? 5 : 4, amount + lost);
  },

  appeal_challenge(m) {
    const batch = m.chain.get(m.at.batch);
    const [task, found] = [m.chain.get(m.at.golden_task), m.chain.get(m.at.golden_case)];
    m.need(found.task === m.at.golden_task, 'WrongAddress');
    m.need(found.golden !== 0 && found.batch === batch.number, 'NotGolden');
    const leaf = { ...task, ...m.args, address: m.at.golden_task, answer: found.golden };
    m.need(sealOf(leaf) === task.seal, 'NotInBatch');
    const [challenge, decided] = [m.chain.get(m.at.task), m.open('case')];
    m.need(decided.task === m.at.task, 'WrongAddress');
    m.need(batch.proctor === m.at.authority, 'NotProctor');
    const asks = challenge.task_hash === asked(leaf) && challenge.result_hash === denied && challenge.dispute === 0;
    m.need(asks && decided.verdict === ACCEPT && challenge.creator !== batch.proctor, 'NotLoser');
    m.need(decided.status === APPEALABLE, 'WrongStatus');
    m.need(m.now < decided.appeal_by, 'TooLate');
    hear(m, decided, challenge, m.at.authority, 0n);
  },
};
