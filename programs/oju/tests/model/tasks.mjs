// A task from the offer to the counter-objection.

import { NOBODY, NO_HASH, ascii, hex, sha256 } from '../lib/bytes.mjs';
import { inForce } from './agents.mjs';
import { pay, step, take } from './step.mjs';
import { BPS, bond, drawable, fee, market, price, run } from './rule.mjs';

const MONTH = 2_592_000;
const YEAR = 31_536_000;

const S = {
  Created: 1, Claimed: 2, InProgress: 3, Verification: 5, Disputed: 6, Judiciary: 7, Complete: 8,
  Cancelled: 9, Expired: 10, Undecided: 11,
};

/** The rules that a task is under. */
const rulesOf = (m, task) => {
  const rules = m.chain.get(m.at.rules);
  m.need(rules.number === task.rules, 'WrongRules');
  return rules;
};

const only = (m, task, party, status) => {
  m.need(task[party] === m.at[party], party === 'creator' ? 'NotCreator' : 'NotWorker');
  m.need(task.status === status, 'WrongStatus');
};

const inTime = (m, task) => m.need(m.now < task.deadline, 'TooLate');

function terms(m, rules) {
  const a = m.args;
  const firstCome = a.auction === 0;
  m.need(rules.min_reward <= a.reward_min && a.reward_min <= a.reward_max, 'BadReward');
  m.need(!firstCome || a.reward_min === a.reward_max, 'BadReward');
  m.need(firstCome ? a.auction_seconds === 0 : a.auction_seconds >= 1 && a.auction_seconds <= MONTH, 'BadDuration');
  m.need(a.work_seconds >= rules.min_work_seconds && a.work_seconds <= YEAR, 'BadDuration');
  m.need(a.claim_by === 0n || a.claim_by > m.now, 'BadDuration');
  m.need(a.auction <= 1 && a.on_undecided >= 1 && a.on_undecided <= 3, 'BadTerm');
  const smaller = [7, 14].filter((seats) => rules.min_seats <= seats && seats < rules.panel_seats);
  m.need([0, rules.panel_seats, ...smaller].includes(a.seats), 'BadTerm');
  m.need(a.fee_min * BigInt((a.seats || rules.panel_seats) + 28) <= a.reward_min, 'BadTerm');
  engine(m, rules, a);
  m.need(a.task_hash !== NO_HASH && a.seal !== NO_HASH, 'MissingHash');
}

/** What the terms say of another engine. */
function engine(m, rules, a) {
  const paid = a.engine_agent !== NOBODY;
  if (a.engine === NOBODY) {
    const nothing = !paid && a.engine_group === NOBODY && a.engine_fee === 0n && a.engine_seconds === 0 && a.on_silence === 0;
    return m.need(nothing, 'WrongEngine');
  }
  m.need(a.engine_seconds >= rules.commit_seconds + rules.reveal_seconds && a.engine_seconds <= MONTH, 'BadDuration');
  m.need(a.on_silence <= 1, 'BadTerm');
  return m.need(paid === (a.engine_fee !== 0n) && a.engine_fee <= a.reward_min / 10n, 'WrongEngine');
}

/** Another program decides the task, or has time for it. */
const waits = (m, task) => m.need(task.status === S.Judiciary && task.deadline !== 0n, 'WrongStatus');

const text = (reason) => hex(sha256(ascii(JSON.stringify({ reason }))));
const UNANSWERED = text('The respondent has not joined this dispute.');
const UNREPLIED = text('The claimant relies on its claim.');

/** The escrow goes as the outcome says: 1 paid, 2 refunded, 3 split. */
function settle(m, task, outcome) {
  if (outcome === 1) return reward(m, task);
  if (outcome === 2) return pay(m, 'creator', 2, take(task, 'escrow'));
  const half = task.escrow / 2n;
  task.escrow -= half;
  worth(m, task, half);
  return pay(m, 'creator', 2, take(task, 'escrow'));
}

/** All bonds go back. */
function bonds(m, task) {
  pay(m, 'worker', 3, take(task, 'worker_bond'));
  pay(m, 'creator', 3, take(task, 'creator_bond'));
  pay(m, 'worker', 6, take(task, 'claim_bond'));
}

const BY_TERM = { 1: 2, 2: 1, 3: 3 };

export const tasks = {
  create_task(m) {
    const config = m.chain.get(m.at.config);
    const rules = inForce(m);
    const agent = m.open('agent');
    m.need(agent.authority === m.at.authority, 'NotAuthority');
    m.need(config.paused === 0, 'Paused');
    terms(m, rules);
    const cover = m.chain.get(m.at.roster).weight * BigInt(rules.cover_bps) / BPS;
    m.need(rules.cover_bps === 0 || m.args.reward_max <= cover, 'NotCovered');
    m.need(m.args.engine !== m.chain.program, 'WrongEngine');
    if (m.args.engine_fee !== 0n) {
      m.need(m.args.engine_agent !== agent.authority, 'WrongEngine');
      m.need(m.at.engine_agent, 'NotEnoughAccounts');
      m.need(m.chain.get(m.at.engine_agent).authority === m.args.engine_agent, 'WrongAddress');
    }
    const { task_hash, reward_max } = m.args;
    m.need(agent.vault >= reward_max, 'NotEnoughInVault');
    const creator = agent.authority;
    const task = {
      kind: 'Task', bump: m.at.bumps.task, status: 0, outcome: 0, resolution: 0, ...m.args, seats: m.args.seats || rules.panel_seats, id: agent.tasks_created, creator,
      creator_operator: agent.operator, worker: NOBODY, worker_operator: NOBODY, result_hash: NO_HASH,
      objection_hash: NO_HASH, counter_hash: NO_HASH, reward: 0n, escrow: reward_max, creator_bond: 0n, worker_bond: 0n,
      created_at: m.now, deadline: 0n, submitted_at: 0n, reworks: 0, claims: 0, trade_bps: rules.trade_bps, claim_bps: rules.claim_bps,
      rules: rules.number, last_worker: NOBODY, finished_at: 0n, dispute: 0,
      claim_bond: 0n, auction_from: market(m.chain.get(m.at.config), m.now), auction_run: 0, claimed_at: 0n, released_seconds: 0,
    };
    m.create('task', creator, task);
    agent.vault -= reward_max;
    agent.tasks_created += 1n;
    m.move(m.at.agent, m.at.task, reward_max);
    step(m, task, S.Created, { actor: creator, hash: task_hash, amount: reward_max });
  },

  cancel_task(m) {
    const task = m.open('task');
    m.at.creator_agent = m.at.agent;
    m.at.creator = m.at.authority;
    only(m, task, 'creator', S.Created);
    Object.assign(task, { outcome: 2, resolution: 6 });
    step(m, task, S.Cancelled, { actor: task.creator });
    pay(m, 'creator', 2, take(task, 'escrow'));
  },

  claim_task(m) {
    const task = m.open('task');
    const rules = rulesOf(m, task);
    const { worker } = m.at;
    const agent = m.open('worker_agent');
    m.need(agent.authority === worker, 'NotAuthority');
    m.need(task.creator !== worker, 'OwnTask');
    m.need(task.engine_agent !== worker, 'WrongEngine');
    m.need(task.last_worker !== worker, 'WorkerBarred');
    const config = m.chain.get(m.at.config);
    m.need(config.paused === 0, 'Paused');
    m.need(task.status === S.Created, 'WrongStatus');
    m.need(task.claim_by === 0n || m.now < task.claim_by, 'TooLate');
    const reward = price(task, market(config, m.now));
    task.auction_run = run(task, market(config, m.now));
    m.need(reward >= m.args.min_reward, 'PriceTooLow');
    const parties = { ...task, worker, worker_operator: agent.operator };
    m.need(drawable(m.chain.get(m.at.roster), parties, rules), 'TooFewImpartial');
    const claim_bond = posted(m, 'worker_agent', task.reward_max * BigInt(task.claim_bps) / BPS);
    const claims = Math.min(255, task.claims + 1);
    Object.assign(task, { reward, claim_bond, claimed_at: m.now, worker, worker_operator: agent.operator, claims });
    agent.tasks_claimed += 1;
    step(m, task, S.Claimed, { actor: worker, deadline: m.now + BigInt(task.work_seconds), amount: reward });
  },

  release_task(m) {
    const task = m.open('task');
    const { worker } = m.at;
    m.need(task.worker === worker, 'NotWorker');
    m.need([S.Claimed, S.InProgress].includes(task.status) && task.submitted_at === 0n, 'WrongStatus');
    const time = held(m, task);
    m.need(time < BigInt(Math.floor(task.work_seconds / 10) - task.released_seconds), 'TooLate');
    task.released_seconds += Number(time > 0n ? time : 1n);
    reopen(m, task);
    step(m, task, S.Created, { actor: worker });
    pay(m, 'worker', 6, take(task, 'claim_bond'));
  },

  start_task(m) {
    const task = m.open('task');
    only(m, task, 'worker', S.Claimed);
    inTime(m, task);
    step(m, task, S.InProgress, { actor: task.worker, deadline: task.deadline });
  },

  submit_result(m) {
    const task = m.open('task');
    const rules = rulesOf(m, task);
    const { result_hash } = m.args;
    only(m, task, 'worker', S.InProgress);
    inTime(m, task);
    m.need(result_hash !== NO_HASH, 'MissingHash');
    const excess = task.escrow - task.reward;
    Object.assign(task, { result_hash, submitted_at: m.now, escrow: task.reward });
    const deadline = m.now + BigInt(rules.verify_seconds);
    step(m, task, S.Verification, { actor: task.worker, deadline, hash: result_hash });
    pay(m, 'creator', 4, excess);
  },

  accept(m) {
    const task = m.open('task');
    only(m, task, 'creator', S.Verification);
    Object.assign(task, { outcome: 1, resolution: 1 });
    step(m, task, S.Complete, { actor: task.creator });
    reward(m, task);
    pay(m, 'worker', 6, take(task, 'claim_bond'));
  },

  object(m) {
    const task = m.open('task');
    const rules = rulesOf(m, task);
    const { objection_hash } = m.args;
    only(m, task, 'creator', S.Verification);
    inTime(m, task);
    m.need(objection_hash !== NO_HASH, 'MissingHash');
    const creator_bond = posted(m, 'creator_agent', bond(rules, task, rules.creator_bps));
    Object.assign(task, { objection_hash, creator_bond });
    const deadline = m.now + BigInt(rules.answer_seconds);
    step(m, task, S.Disputed, { actor: task.creator, deadline, hash: objection_hash, amount: creator_bond });
  },

  rework(m) {
    const task = m.open('task');
    const rules = rulesOf(m, task);
    only(m, task, 'worker', S.Disputed);
    inTime(m, task);
    m.need(task.reworks < rules.max_reworks, 'ReworksExhausted');
    task.reworks += 1;
    step(m, task, S.InProgress, { actor: task.worker, deadline: m.now + BigInt(task.work_seconds) });
    pay(m, 'creator', 3, take(task, 'creator_bond'));
  },

  counter_object(m) {
    const task = m.open('task');
    const rules = rulesOf(m, task);
    const { counter_hash } = m.args;
    only(m, task, 'worker', S.Disputed);
    inTime(m, task);
    m.need(counter_hash !== NO_HASH, 'MissingHash');
    const worker_bond = posted(m, 'worker_agent', bond(rules, task, rules.worker_bps));
    Object.assign(task, { counter_hash, worker_bond });
    const waiting = task.engine !== NOBODY;
    const deadline = waiting ? m.now + BigInt(task.engine_seconds) : 0n;
    step(m, task, S.Judiciary, { actor: task.worker, deadline, hash: counter_hash, amount: worker_bond });
    if (waiting) return;
    m.create('case', task.worker, freshCase(m, rules, task, task.worker), task.seats);
    opened(m, m.records.get(m.at.case));
  },

  settle_by_engine(m) {
    const task = m.open('task');
    waits(m, task);
    m.need(task.dispute === 0, 'WrongStatus');
    inTime(m, task);
    const said = m.chain.foreign(m.at.verdict, { ...task, address: m.at.task });
    m.need(!said.error, said.error);
    const outcome = said.verdict === 3 ? BY_TERM[task.on_undecided] : said.verdict;
    Object.assign(task, { outcome, resolution: 8 });
    step(m, task, said.verdict === 3 ? S.Undecided : S.Complete);
    settle(m, task, outcome);
    if (task.engine_fee !== 0n) {
      const half = task.engine_fee / 2n;
      const parts = { 1: [task.engine_fee, 0n], 2: [0n, task.engine_fee], 3: [half, half] }[said.verdict];
      const [creator, worker] = ['creator_bond', 'worker_bond'].map((bond, i) => (parts[i] < task[bond] ? parts[i] : task[bond]));
      task.creator_bond -= creator;
      task.worker_bond -= worker;
      pay(m, 'engine', 8, creator + worker);
    }
    bonds(m, task);
  },

  open_dispute(m) {
    const rules = inForce(m);
    const { respondent, terms_hash, claim_hash, amount } = m.args;
    const [{ payer, claimant }, roster] = [m.at, m.chain.get(m.at.roster)];
    m.need(!m.chain.get(m.at.task) && !m.chain.get(m.at.verdict), 'AlreadyExists');
    m.need(respondent !== claimant, 'OwnTask');
    m.need(m.chain.get(m.at.config).paused === 0, 'Paused');
    m.need(amount >= rules.min_reward, 'BadReward');
    const seats = m.args.seats || rules.panel_seats;
    const smaller = [7, 14].filter((size) => rules.min_seats <= size && size < rules.panel_seats);
    m.need([rules.panel_seats, ...smaller].includes(seats), 'BadTerm');
    m.need(respondent !== NOBODY && terms_hash !== NO_HASH && claim_hash !== NO_HASH, 'MissingHash');
    const task = {
      kind: 'Task', bump: m.at.bumps.task, status: 0, on_silence: 0, auction: 0, on_undecided: 3, outcome: 0, resolution: 0, id: 0n,
      creator: respondent, creator_operator: NOBODY, worker: claimant, worker_operator: payer,
      task_hash: terms_hash, result_hash: claim_hash, objection_hash: UNANSWERED, counter_hash: UNREPLIED,
      reward_min: amount, reward_max: amount, reward: amount, escrow: 0n, creator_bond: 0n, worker_bond: 0n,
      created_at: m.now, claim_by: 0n, deadline: 0n, submitted_at: 0n, auction_seconds: 0, work_seconds: 0, reworks: 0, claims: 0,
      trade_bps: rules.trade_bps, claim_bps: 0, seats, dispute: 1, last_worker: NOBODY, finished_at: 0n, claim_bond: 0n,
      auction_from: 0n, claimed_at: 0n, released_seconds: 0, rules: rules.number, engine: NOBODY, engine_group: NOBODY,
      engine_agent: NOBODY, engine_fee: 0n, engine_seconds: 0, auction_run: 0, seal: NO_HASH, fee_min: 0n,
    };
    m.need(drawable(roster, task, rules), 'TooFewImpartial');
    m.need(rules.cover_bps === 0 || amount <= roster.weight * BigInt(rules.cover_bps) / BPS, 'NotCovered');
    task.worker_bond = fee(rules, task) * BigInt(seats);
    m.create('task', payer, task);
    m.create('verdict', payer, {
      kind: 'VerdictAccount', bump: m.at.bumps.verdict, is_final: 0, verdict: 0, level: 0, round: 0, joined: 1, subject: m.at.task,
      engine: NOBODY, decided_at: 0n, accept_weight: 0n, reject_weight: 0n, abstain_weight: 0n, seated_weight: 0n, facts: NO_HASH,
      creator: respondent, worker: claimant, result_hash: claim_hash, reward: amount,
    });
    m.move(payer, m.at.task, task.worker_bond);
    const deadline = m.now + BigInt(rules.answer_seconds);
    step(m, task, S.Judiciary, { actor: claimant, deadline, hash: claim_hash, amount: task.worker_bond });
  },

  join_dispute(m) {
    const task = m.open('task');
    const { answer_hash } = m.args;
    m.need(task.creator === m.at.respondent, 'NotCreator');
    waits(m, task);
    m.need(task.dispute === 1, 'WrongStatus');
    inTime(m, task);
    m.need(answer_hash !== NO_HASH, 'MissingHash');
    Object.assign(task, { objection_hash: answer_hash, dispute: 2 });
    step(m, task, S.Judiciary, { actor: task.creator, deadline: m.now, hash: answer_hash });
  },

  open_case(m) {
    const task = m.open('task');
    const rules = rulesOf(m, task);
    m.need(!m.chain.get(m.at.case), 'AlreadyExists');
    waits(m, task);
    m.need(task.on_silence === 0, 'WrongStatus');
    m.need(m.now >= task.deadline, 'TooEarly');
    step(m, task, S.Judiciary);
    m.create('case', m.at.payer, freshCase(m, rules, task, m.at.payer), task.seats);
    opened(m, m.records.get(m.at.case));
  },

  expire(m) {
    const task = m.open('task');
    const over = (time) => m.need(m.now >= time, 'TooEarly');
    switch (task.status) {
      case S.Created:
        m.need(task.claim_by !== 0n, 'TooEarly');
        over(task.claim_by);
        Object.assign(task, { outcome: 2, resolution: 7 });
        step(m, task, S.Expired);
        return pay(m, 'creator', 2, take(task, 'escrow'));
      case S.Claimed:
      case S.InProgress:
        over(task.deadline);
        m.open('worker_agent').tasks_missed += 1;
        reopen(m, task);
        step(m, task, S.Created);
        return lost(m, task);
      case S.Verification:
        over(task.deadline);
        Object.assign(task, { outcome: 1, resolution: 2 });
        step(m, task, S.Complete);
        reward(m, task);
        return pay(m, 'worker', 6, take(task, 'claim_bond'));
      case S.Judiciary: {
        waits(m, task);
        m.need(task.on_silence === 1, 'WrongStatus');
        over(task.deadline);
        const outcome = BY_TERM[task.on_undecided];
        Object.assign(task, { outcome, resolution: 9 });
        step(m, task, S.Undecided);
        settle(m, task, outcome);
        const [creator, worker] = lostUndecided(task);
        task.creator_bond -= creator;
        task.worker_bond -= worker;
        give(m, 9, creator + worker);
        return bonds(m, task);
      }
      case S.Disputed:
        over(task.deadline);
        Object.assign(task, { outcome: 2, resolution: 3 });
        step(m, task, S.Complete);
        pay(m, 'creator', 2, take(task, 'escrow'));
        pay(m, 'creator', 3, take(task, 'creator_bond'));
        return pay(m, 'worker', 6, take(task, 'claim_bond'));
      default:
        return m.need(false, 'WrongStatus');
    }
  },

  close_task(m) {
    const task = m.chain.get(m.at.task);
    const rules = rulesOf(m, task);
    m.need(!m.chain.get(m.at.pledge), 'AlreadyExists');
    m.need(m.at.wallet === (task.dispute === 0 ? task.creator : task.worker_operator), 'WrongAddress');
    m.need(task.status >= S.Complete, 'WrongStatus');
    const judged = task.resolution === 4 || task.resolution === 5;
    const until = task.finished_at + BigInt(rules.evidence_seconds);
    m.need(!judged || m.now >= until, 'TooEarly');
    m.close('task', m.at.wallet);
  },
};

/** How long the present claim was held. */
const held = (m, task) => (m.now > task.claimed_at ? m.now - task.claimed_at : 0n);

/** The task returns to the market, and its auction goes on from where it was at the claim. */
function reopen(m, task) {
  Object.assign(task, {
    auction_from: market(m.chain.get(m.at.config), m.now) - BigInt(task.auction_run), reward: 0n, submitted_at: 0n, last_worker: task.worker, worker: NOBODY,
    worker_operator: NOBODY, result_hash: NO_HASH, objection_hash: NO_HASH,
  });
}

/** The whole escrow goes to the worker, but for the share of the Pot. */
export function reward(m, task) {
  m.open('worker_agent').tasks_paid += 1;
  worth(m, task, take(task, 'escrow'));
}

/** The worker is paid, and the Pot has its share of it. */
export function worth(m, task, amount) {
  const share = amount * BigInt(task.trade_bps) / BPS;
  pay(m, 'worker', 1, amount - share);
  give(m, 5, share);
}

/** Lamports of the task go to the Pot. */
function give(m, kind, amount) {
  if (amount === 0n) return;
  m.open('pot').golden += amount;
  m.move(m.at.task, m.at.pot, amount);
  m.log('Paid', { task: m.at.task, to: NOBODY, kind, amount });
}

/** What the parties lose if nobody decides their task: the side that profits pays. */
export function lostUndecided({ on_undecided, creator_bond, worker_bond }) {
  return { 1: [creator_bond, 0n], 2: [0n, worker_bond], 3: [creator_bond / 2n, worker_bond / 2n] }[on_undecided];
}

/** The bond of a missed claim goes to the creator, or to the Pot if others used the time to give the task back. */
function lost(m, task) {
  const bond = take(task, 'claim_bond');
  if (task.released_seconds > 0) return give(m, 7, bond);
  return pay(m, 'creator', 7, bond);
}

/** A bond goes from a vault to the task. */
function posted(m, role, amount) {
  const agent = m.open(role);
  m.need(agent.vault >= amount, 'NotEnoughInVault');
  agent.vault -= amount;
  m.move(m.at[role], m.at.task, amount);
  return amount;
}

const PARAMETERS = ['max_rounds', 'min_seats', 'draw_delay_slots', 'commit_seconds', 'reveal_seconds',
  'evidence_seconds', 'draw_seconds', 'preset', 'risk_bps', 'golden_gain', 'golden_loss', 'absence', 'minority', 'golden_bps', 'reversal', 'appeal_seconds',
  'min_stake', 'max_seat_weight'];

function freshCase(m, rules, task, payer) {
  return {
    kind: 'Case', bump: m.at.bumps.case, ...Object.fromEntries(PARAMETERS.map((name) => [name, rules[name]])), appeal_seconds: task.dispute ? 0 : rules.appeal_seconds, panel_seats: task.seats, status: 1,
    round: 1, verdict: 0, seats: 0, committed: 0, revealed: 0, task: m.at.task, payer, opened_at: m.now,
    seed_slot: m.chain.slot + BigInt(rules.draw_delay_slots), draw_by: m.now + BigInt(rules.draw_seconds),
    drawn_slot: 0n, slot_hash: NO_HASH, commit_ends: 0n, reveal_ends: 0n, settled_at: 0n, seated_weight: 0n,
    accept_weight: 0n, reject_weight: 0n, abstain_weight: 0n, fee: fee(rules, task), golden: 0, applied: 0, batch: 0n, panel: [],
    level: 0, first_round: 0, appeal_by: 0n, first_verdict: 0, first_seats: 0, appeal_seats: 0, season: 0, appeal_rent: 0n,
    appellant: NOBODY, first_seated_weight: 0n, first_accept_weight: 0n, first_reject_weight: 0n,
    first_abstain_weight: 0n,
  };
}

/** A round waits for its draw. */
export function opened(m, { task, round, seed_slot, draw_by }) {
  m.log('CaseOpened', { task, round, seed_slot, draw_by, at: m.now });
}
