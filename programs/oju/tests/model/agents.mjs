// Config, agents, vaults, data.

import { NOBODY, ascii, hex } from '../lib/bytes.mjs';
import { PARAMS } from '../lib/call.mjs';
import { TOKEN, TOKEN_2022 } from '../lib/coin.mjs';
import { stood } from './rule.mjs';

const DAY = 86_400;
const MONTH = 2_592_000;
const PARAM_NAMES = PARAMS.trim().split(/\s+/).map((field) => field.split(':')[0]);

const params = (args) => Object.fromEntries(PARAM_NAMES.map((name) => [name, args[name]]));

function inRange(c) {
  const within = (value, low, high) => value >= low && value <= high;
  return within(c.min_stake, 1n, c.max_seat_weight) && c.max_seat_weight <= 2n ** 50n && c.min_reward >= 1n
    && within(c.max_rounds, 1, 3) && within(c.panel_seats, 1, 28) && within(c.min_seats, 1, c.panel_seats)
    && within(c.max_judges, c.min_seats, 10_240) && within(c.draw_delay_slots, 1, 256)
    && [c.commit_seconds, c.reveal_seconds, c.draw_seconds].every((seconds) => within(seconds, 1, DAY))
    && [c.verify_seconds, c.answer_seconds].every((seconds) => within(seconds, 1, MONTH))
    && c.evidence_seconds <= MONTH
    && [c.cover_bps, c.fee_bps, c.creator_bps, c.worker_bps, c.risk_bps].every((bps) => bps <= 10_000) && c.fee_min <= 2n ** 50n
    && within(c.preset, 1, 2) && c.absence <= c.golden_gain * c.golden_loss && c.minority < c.golden_gain * c.golden_loss
    && c.reversal < c.golden_gain * c.golden_loss && c.appeal_seconds <= MONTH
    && c.trade_bps <= 1_000 && c.claim_bps <= 2_000 && within(c.min_work_seconds, 1, DAY) && within(c.season_seconds, 1, 7 * DAY)
    && c.golden_bps <= 5_000 && c.credential <= 2 && timely(c)
    && within(
      c.cooldown_seconds,
      Math.max(c.evidence_seconds + longest(c), 2 * c.season_seconds),
      MONTH,
    );
}

/** The time of a case with all its rounds, and those of its appeal. */
export function longest(c) {
  const round = c.draw_seconds + c.commit_seconds + c.reveal_seconds;
  return c.appeal_seconds + (c.appeal_seconds > 0 ? 2 : 1) * c.max_rounds * round;
}

/** A batch is open, challenged and applied while its cases exist, and its fee is at most half of the least bond. */
function timely(c) {
  if (c.batch_seconds === 0) return true;
  return c.batch_seconds <= DAY / 2 && c.challenge_seconds >= longest(c)
    && c.batch_seconds + 2 * c.challenge_seconds <= c.evidence_seconds && c.leaf_fee <= 28n * c.fee_min;
}

const TIMES = ['commit_seconds', 'reveal_seconds', 'verify_seconds', 'answer_seconds', 'draw_seconds', 'evidence_seconds', 'appeal_seconds'];

const most = (a, b) => (a > b ? a : b);

/** Whether these parameters may follow those of the version before. */
function follows(c, old) {
  return inRange(c) && TIMES.every((name) => c[name] >= Math.min(60, old[name])) && c.cooldown_seconds >= old.cooldown_seconds
    && c.cooldown_seconds <= Math.max(604_800, 2 * old.cooldown_seconds)
    && c.min_reward <= most(10_000_000n, 2n * old.min_reward) && c.min_stake <= most(1_000_000_000n, 2n * old.min_stake)
    && c.min_seats >= Math.min(7, old.min_seats)
    && c.season_seconds >= Math.min(600, old.season_seconds)
    && c.season_seconds <= Math.max(old.season_seconds, Math.floor(old.cooldown_seconds / 2))
    && c.risk_bps <= Math.max(1_000, old.risk_bps)
    && c.draw_seconds >= Math.min(old.draw_seconds, Math.floor(c.draw_delay_slots * 2 / 5) + 30)
    && c.fee_min <= most(10_000_000n, 2n * old.fee_min)
    && c.max_seat_weight >= old.max_seat_weight / 2n && c.max_seat_weight <= 2n * old.max_seat_weight
    && (old.cover_bps === 0 || (c.cover_bps >= Math.min(100, old.cover_bps) && c.cover_bps <= Math.max(1_000, old.cover_bps)));
}

/** The version of the rules in the role, which has to be in force. */
export function inForce(m) {
  const rules = m.chain.get(m.at.rules);
  m.need(rules.from <= m.now && (rules.until === 0n || m.now < rules.until), 'WrongRules');
  return rules;
}

/** Config, to be changed by its authority. */
function byAuthority(m) {
  const config = m.open('config');
  m.need(config.authority === m.at.authority && config.authority !== NOBODY, 'NotAuthority');
  return config;
}

function told(m, { authority, pending_authority, paused, listed }) {
  m.log('ConfigSet', { authority, pending_authority, paused, listed });
}

function goodName(name) {
  return /^[a-z0-9._-]{1,32}$/.test(Buffer.from(name).toString('latin1'));
}

/** A declared operator signs. */
export function cosigned(m, operator) {
  if (operator === NOBODY) return;
  m.need(m.at.operator, 'NotEnoughAccounts');
  m.need(m.at.operator === operator, 'WrongAddress');
}

const sameGrant = (args) => ({ task, grantee }) => task === args.task && grantee === args.grantee;

export const agents = {
  init_config(m) {
    const { authority } = m.at;
    m.need(m.chain.upgrader === authority, 'NotAuthority');
    m.need(inRange(m.args), 'BadConfig');
    const { network, listed } = m.args;
    m.need(listed <= 1, 'BadConfig');
    const config = { kind: 'Config', bump: m.at.bumps.config, paused: 0, listed, rules: 1, authority, pending_authority: NOBODY };
    m.create('config', authority, { ...config, agent_count: 0n, network, resumed_at: 0n, paused_at: 0n, paused_seconds: 0 });
    const roster = { kind: 'Roster', bump: m.at.bumps.roster, count: 0, active: 0, season: 0, entries: [] };
    m.create('roster', authority, { ...roster, total_stake: 0n, total_rewards: 0n, weight: 0n, season_at: 0n, season_slot: 0n, before_slot: 0n,
      pages: Array(80).fill(0n), pages_before: Array(80).fill(0n) });
    m.create('pot', authority, { kind: 'Pot', bump: m.at.bumps.pot, golden: 0n, batches: 0n, allowance: 0n });
    const rules = { kind: 'Rules', bump: m.at.bumps.rules, number: 1, from: m.now, until: 0n, ...params(m.args) };
    m.create('rules', authority, rules);
    told(m, config);
    m.log('RulesSet', { number: 1, from: m.now });
  },

  propose_rules(m) {
    const last = m.open('rules');
    m.need(last.number === m.chain.get(m.at.config).rules, 'WrongRules');
    const config = byAuthority(m);
    m.need(last.from <= m.now, 'RulesAnnounced');
    m.need(follows(m.args, last), 'BadConfig');
    const number = last.number + 1;
    const from = m.now + BigInt(last.cooldown_seconds);
    const next = { kind: 'Rules', bump: m.at.bumps.next, number, from, until: 0n, ...params(m.args) };
    m.create('next', m.at.authority, next);
    last.until = from;
    config.rules = number;
    m.log('RulesSet', { number, from });
  },

  withdraw_rules(m) {
    const [last, announced] = [m.open('rules'), m.chain.get(m.at.next)];
    const latest = m.chain.get(m.at.config).rules;
    m.need(last && announced, 'WrongOwner');
    m.need(announced.number === latest && last.number + 1 === latest, 'WrongRules');
    const config = byAuthority(m);
    m.need(m.now < announced.from, 'TooLate');
    last.until = 0n;
    config.rules = last.number;
    m.log('RulesSet', { number: last.number, from: last.from });
    m.close('next', m.at.authority);
  },

  propose_authority(m) {
    const config = byAuthority(m);
    config.pending_authority = m.args.authority;
    told(m, config);
  },

  accept_authority(m) {
    const config = m.open('config');
    const { pending_authority } = config;
    m.need(pending_authority === m.at.authority && pending_authority !== NOBODY, 'NotAuthority');
    Object.assign(config, { authority: pending_authority, pending_authority: NOBODY });
    told(m, config);
  },

  give_up(m) {
    const config = byAuthority(m);
    m.need(config.paused === 0, 'Paused');
    m.need(config.listed === 0, 'CourtListed');
    Object.assign(config, { authority: NOBODY, pending_authority: NOBODY });
    told(m, config);
  },

  pause(m) {
    const config = byAuthority(m);
    m.need(m.args.paused <= 1, 'BadConfig');
    if (config.paused < m.args.paused) config.paused_at = m.now;
    if (config.paused > m.args.paused) Object.assign(config, { paused_seconds: stood(config, m.now), resumed_at: m.now });
    config.paused = m.args.paused;
    told(m, config);
  },

  open_court(m) {
    const config = byAuthority(m);
    m.need(config.listed === 1, 'CourtOpen');
    config.listed = 0;
    told(m, config);
  },

  admit_judge(m) {
    const config = m.chain.get(m.at.config);
    const { authority } = m.at;
    const { judge } = m.args;
    m.need(!m.chain.get(m.at.admission), 'AlreadyExists');
    m.need(config.authority === authority && authority !== NOBODY, 'NotAuthority');
    m.need(config.listed === 1, 'CourtOpen');
    m.create('admission', authority, { kind: 'Admission', bump: m.at.bumps.admission, judge, payer: authority });
    m.log('AdmissionSet', { judge, admitted: 1 });
  },

  revoke_admission(m) {
    const config = m.chain.get(m.at.config);
    const admission = m.chain.get(m.at.admission);
    m.need(admission, 'WrongOwner');
    m.need(m.at.wallet === admission.payer, 'WrongAddress');
    m.need(config.listed === 0 || config.authority === m.at.signer, 'NotAuthority');
    m.log('AdmissionSet', { judge: admission.judge, admitted: 0 });
    m.close('admission', admission.payer);
  },

  register_agent(m) {
    const config = m.open('config');
    const { authority } = m.at;
    const { operator, card_hash, page } = m.args;
    cosigned(m, operator);
    m.need(BigInt(page) === config.agent_count / 128n, 'WrongPage');
    const entry = { authority, agent: m.at.agent };
    const counters = { tasks_created: 0n, tasks_claimed: 0, tasks_paid: 0, tasks_missed: 0, cases_won: 0, cases_lost: 0 };
    const agent = { kind: 'Agent', bump: m.at.bumps.agent, page, authority, operator, card_hash, vault: 0n, ...counters };
    m.create('agent', authority, { ...agent, registered_at: m.now });
    if (config.agent_count % 128n === 0n) {
      m.create('page', authority, { kind: 'RegistryPage', bump: m.at.bumps.page, page, count: 1, entries: [entry] }, 1);
    } else {
      const listed = m.open('page');
      m.move(authority, m.at.page, m.chain.rent(64) - m.chain.rent(0));
      listed.count += 1;
      listed.entries.push(entry);
    }
    config.agent_count += 1n;
    m.log('AgentSet', { ...entry, operator, card_hash, page });
  },

  update_agent(m) {
    const agent = m.open('agent');
    const { operator, card_hash } = m.args;
    if (operator !== agent.operator) cosigned(m, operator);
    m.need(agent.authority === m.at.authority, 'NotAuthority');
    Object.assign(agent, { operator, card_hash });
    m.log('AgentSet', { authority: agent.authority, agent: m.at.agent, operator, card_hash, page: agent.page });
  },

  deposit(m) {
    const agent = m.open('agent');
    const { amount } = m.args;
    m.need(amount > 0n, 'ZeroAmount');
    m.need(agent.vault + amount < 2n ** 64n, 'Overflow');
    agent.vault += amount;
    m.move(m.at.from, m.at.agent, amount);
    m.log('VaultMoved', { authority: agent.authority, delta: amount, vault: agent.vault });
  },

  withdraw(m) {
    const agent = m.open('agent');
    const { amount } = m.args;
    m.need(agent.authority === m.at.authority, 'NotAuthority');
    m.need(amount > 0n, 'ZeroAmount');
    m.need(agent.vault >= amount, 'NotEnoughInVault');
    agent.vault -= amount;
    m.move(m.at.agent, m.at.authority, amount);
    m.log('VaultMoved', { authority: agent.authority, delta: -amount, vault: agent.vault });
  },

  withdraw_tokens(m) {
    const { authority } = m.chain.get(m.at.agent);
    const { token_program } = m.at;
    m.need([TOKEN, TOKEN_2022].includes(token_program), 'WrongOwner');
    for (const role of ['mint', 'source', 'destination']) m.need(m.chain.owner(m.at[role]) === token_program, 'WrongOwner');
    m.need(authority === m.at.authority, 'NotAuthority');
    m.need(m.chain.holder(m.at.destination) === authority, 'NotAuthority');
    m.need(m.args.amount > 0n, 'ZeroAmount');
  },

  pledge_tokens(m) {
    const { authority } = m.at;
    const task = m.chain.get(m.at.task);
    m.need(!m.chain.get(m.at.pledge), 'AlreadyExists');
    m.need(task.creator === authority, 'NotCreator');
    m.need(task.status === 1, 'WrongStatus');
    m.need(m.chain.get(m.at.agent).authority === authority, 'NotAuthority');
    m.need(m.args.amount > 0n, 'ZeroAmount');
    const record = { creator_paid: 0, worker_paid: 0, task: m.at.task, mint: m.at.mint, amount: m.args.amount };
    m.create('pledge', authority, { kind: 'Pledge', bump: m.at.bumps.pledge, ...record });
  },

  pay_pledge(m) {
    const pledge = m.open('pledge');
    m.need(pledge, 'WrongOwner');
    const task = m.chain.get(m.at.task);
    const { authority } = m.chain.get(m.at.agent);
    const parties = [['creator', task.creator], ['worker', task.worker]];
    const [party] = parties.find(([, key]) => key === authority) ?? [];
    m.need(party, 'WrongAddress');
    m.need(m.chain.holder(m.at.destination) === m.at.agent, 'WrongAddress');
    m.need(task.status >= 8, 'WrongStatus');
    const worker = { 1: pledge.amount, 3: pledge.amount / 2n }[task.outcome] ?? 0n;
    const due = { creator: pledge.creator_paid ? 0n : pledge.amount - worker, worker: pledge.worker_paid ? 0n : worker };
    m.need(due[party] > 0n, 'NothingToClaim');
    pledge[`${party}_paid`] = 1;
    if (due[party === 'creator' ? 'worker' : 'creator'] > 0n) return;
    m.move(m.at.holding, m.at.wallet, m.chain.lamports(m.at.holding));
    m.close('pledge', m.at.wallet);
  },

  write_data(m) {
    m.need(goodName(m.args.name), 'BadName');
    const { authority } = m.chain.get(m.at.agent);
    const { offset, len, bytes } = m.args;
    const old = m.chain.get(m.at.data);
    const own = authority === m.at.writer;
    if (!own && old) mayWrite(m, old);
    m.need(own || old, 'NotAuthority');
    m.need(len <= 9_216 && bytes.length <= 900 && offset + bytes.length <= len, 'DataTooLarge');
    const data = old ? m.open('data') : freshData(m, authority);
    if (old) resize(m, old.len, len);
    const content = Buffer.alloc(len);
    Buffer.from(data.content, 'hex').copy(content);
    Buffer.from(bytes).copy(content, offset);
    Object.assign(data, { len, content: content.toString('hex'), updated_at: m.now });
    m.log('DataSet', { authority, data: m.at.data, len });
  },

  grant(m) {
    const data = m.open('data');
    const { task, grantee, flags } = m.args;
    m.need(data.authority === m.at.authority, 'NotAuthority');
    m.need(flags >= 1 && flags <= 3, 'BadFlags');
    const found = data.grants.find(sameGrant(m.args));
    m.need(found || data.grants.length < 8, 'GrantsFull');
    if (found) found.flags = flags;
    else data.grants.push({ task, grantee, flags });
    data.grant_count = data.grants.length;
    m.log('GrantSet', { data: m.at.data, task, grantee, flags });
  },

  revoke(m) {
    const data = m.open('data');
    const { task, grantee } = m.args;
    const over = () => {
      const found = m.chain.get(m.at.task);
      if (found) return found.status >= 8;
      return m.args.id < m.chain.get(m.at.creator_agent).tasks_created && m.at.task === m.at.numbered;
    };
    m.need(data.authority === m.at.signer || over(), 'NotAuthority');
    const place = data.grants.findIndex(sameGrant(m.args));
    m.need(place >= 0, 'NoGrant');
    data.grants.splice(place, 1);
    data.grant_count = data.grants.length;
    m.log('GrantSet', { data: m.at.data, task, grantee, flags: 0 });
  },

  close_data(m) {
    const { authority } = m.chain.get(m.at.data);
    m.need(authority === m.at.authority, 'NotAuthority');
    m.log('DataSet', { authority, data: m.at.data, len: 0 });
    m.close('data', authority);
  },
};

function mayWrite(m, data) {
  const task = m.chain.get(m.at.task);
  const granted = data.grants.some(({ task: of, grantee, flags }) =>
    of === m.at.task && (flags & 2) !== 0 && (grantee === NOBODY ? task.worker : grantee) === m.at.writer);
  m.need(granted && task.status < 8, 'NoGrant');
  m.need(data.len === m.args.len, 'NotAuthority');
}

function freshData(m, authority) {
  const name = Buffer.alloc(32);
  Buffer.from(m.args.name).copy(name);
  const data = {
    kind: 'AgentData', bump: m.at.bumps.data, name_len: m.args.name.length, grant_count: 0, len: m.args.len, authority,
    name: hex(name), updated_at: m.now, grants: [], content: hex(ascii('')),
  };
  return m.create('data', authority, data, m.args.len);
}

function resize(m, from, to) {
  const [rent, held] = [m.chain.rent(664 + to), m.chain.lamports(m.at.data)];
  if (from === to) return;
  if (held < rent) m.move(m.at.writer, m.at.data, rent - held);
  if (to < from && held > rent) m.move(m.at.data, m.at.writer, held - rent);
}
