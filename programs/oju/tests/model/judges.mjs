// The Roster: joining, staking, leaving, being paid.

import { passed } from './golden.mjs';
import { NOBODY } from '../lib/bytes.mjs';
import { cosigned, inForce, longest } from './agents.mjs';
import { counted, joinProof } from './rule.mjs';

const ENTRY_BYTES = 224;
const FREE = 0;
const ACTIVE = 1;
const EXITING = 2;

const free = () => ({
  authority: NOBODY, peer: NOBODY, operator: NOBODY, withdraw: NOBODY, stake: 0n, rewards: 0n, locked: 0n, exit_at: 0n, joined_at: 0n,
  seated: 0, majority: 0, minority: 0, absent: 0, abstained: 0, equivocated: 0, live: 0, state: FREE, right: 0, wrong: 0, seen: 0, since: 0,
  owned: 0, weight: 0n, weight_before: 0n, exit_slot: 0n,
});

/** Whether a record in golden cases lets its judge sit. */
const holds = (entry) => {
  const { right, wrong, seen } = entry;
  const able = passed(entry) ? seen < 20 || 100 * right >= 65 * (right + wrong) : 3 * wrong < 2 * right + 14;
  return able && (seen < 20 || 100 * (right + wrong) >= 50 * seen);
};

/** The place of a judge, who has to be there. */
function place(m, roster, judge) {
  const index = roster.entries.findIndex(({ authority, state }) => state !== FREE && authority === judge);
  m.need(index >= 0, 'NotOnRoster');
  return index;
}

function proven(m, network, authority) {
  const signatures = m.chain.before;
  if (signatures?.length !== 1) return false;
  const [{ key, message }] = signatures;
  return key === m.args.peer && Buffer.compare(message, joinProof(network, m.chain.program, authority)) === 0;
}

/** The entry of a judge whose withdraw key signs. */
function held(m, roster) {
  const entry = roster.entries[place(m, roster, m.args.judge)];
  m.need(entry.withdraw === m.at.withdraw, 'NotAuthority');
  return entry;
}

/** Lamports go to their owner's account or to another wallet, not to an account of a program. */
function wallet(m, owner) {
  m.need(m.at.wallet === owner || !m.chain.get(m.at.wallet), 'WrongOwner');
}

export const judges = {
  join_roster(m) {
    const roster = m.open('roster');
    const config = m.chain.get(m.at.config);
    const rules = inForce(m);
    const { authority } = m.at;
    const { peer, operator, withdraw, stake } = m.args;
    cosigned(m, operator);
    const used = roster.entries.filter(({ state }) => state !== FREE);
    m.need(config.paused === 0, 'Paused');
    if (config.listed) m.need(m.chain.get(m.at.admission)?.judge === authority, 'NotAdmitted');
    m.need(!used.some((entry) => entry.authority === authority), 'AlreadyOnRoster');
    m.need(!used.some((entry) => entry.peer === peer), 'PeerTaken');
    m.need(proven(m, config.network, authority), 'BadPeerProof');
    m.need(used.length < rules.max_judges, 'RosterFull');
    m.need(withdraw !== NOBODY, 'NoWithdrawKey');
    m.need(stake >= rules.min_stake, 'StakeTooSmall');
    let index = roster.entries.findIndex(({ state }) => state === FREE);
    if (index < 0) {
      index = roster.entries.push(free()) - 1;
      roster.count += 1;
      m.move(authority, m.at.roster, m.chain.rent(ENTRY_BYTES) - m.chain.rent(0));
    }
    const { weight, weight_before } = roster.entries[index];
    const who = { authority, peer, operator, withdraw, stake, joined_at: m.now, state: ACTIVE };
    roster.entries[index] = { ...free(), ...who, weight, weight_before };
    roster.active += 1;
    roster.total_stake += stake;
    m.move(authority, m.at.roster, stake);
    m.log('StakeMoved', { judge: authority, index, delta: stake, stake, kind: 1 });
  },

  top_up(m) {
    const roster = m.open('roster');
    const { amount } = m.args;
    const judge = m.at.authority;
    const index = place(m, roster, judge);
    m.need(amount > 0n, 'ZeroAmount');
    const entry = roster.entries[index];
    m.need(entry.stake + amount < 2n ** 64n, 'Overflow');
    entry.stake += amount;
    roster.total_stake += amount;
    m.move(judge, m.at.roster, amount);
    m.log('StakeMoved', { judge, index, delta: amount, stake: entry.stake, kind: 2 });
  },

  begin_season(m) {
    const rules = inForce(m);
    const roster = m.open('roster');
    const { slot } = m.chain;
    const seconds = BigInt(rules.season_seconds);
    const weighed = roster.entries.filter(({ weight, weight_before, owned }) =>
      (weight > 0n && owned % 2 === 1) || (weight_before > 0n && (owned & 2) !== 0));
    const slots = seconds < 512n ? seconds : 512n;
    const now = roster.entries.filter(({ weight, owned }) => weight > 0n && owned % 2 === 1);
    const lasts = now.length < rules.min_seats && longest(rules) < rules.season_seconds ? BigInt(longest(rules)) : seconds;
    const due = m.now >= roster.season_at + lasts || weighed.length < rules.min_seats;
    m.need(due && (roster.season_slot === 0n || slot > roster.season_slot + slots), 'SeasonRuns');
    Object.assign(roster, { pages_before: roster.pages, pages: Array(80).fill(0n) });
    const stays = (entry) => entry.state === ACTIVE && entry.stake > 0n && entry.stake >= rules.min_stake / 2n;
    const asks = rules.credential > 0;
    const few = asks && roster.entries.filter((entry) => stays(entry) && holds(entry)).length < rules.min_seats;
    const staked = ({ stake }) => (stake < rules.max_seat_weight ? stake : rules.max_seat_weight);
    const novice = (entry) => !passed(entry);
    const smaller = (a, b) => (a < b ? a : b);
    const larger = (a, b) => (a > b ? a : b);
    const base = ({ weight, owned }) => larger(owned % 2 === 1 ? weight : 0n, rules.min_stake);
    const borne = (entry) => smaller(staked(entry), base(entry) * (entry.since >= 5 ? 2n : 1n));
    const proven = roster.entries.filter((entry) => stays(entry) && holds(entry) && !novice(entry));
    const novices = BigInt(roster.entries.filter((entry) => stays(entry) && holds(entry) && novice(entry)).length);
    let room = proven.reduce((sum, entry) => sum + borne(entry), 0n) / 9n;
    const least = larger(rules.min_stake / 4n, 1n);
    const each = larger(room / larger(novices, 1n), least);
    const apart = rules.credential === 2 && BigInt(proven.length) + smaller(novices, room / least) >= BigInt(rules.min_seats);
    roster.weight = 0n;
    for (const [index, entry] of roster.entries.entries()) {
      const before = entry.owned % 2 === 1 && entry.weight > 0n;
      const counts = stays(entry) && (!asks || holds(entry) || (few && before));
      let weight = counts ? staked(entry) : 0n;
      if (counts && apart && novice(entry)) {
        weight = smaller(smaller(weight, each), room);
        if (weight < least) weight = 0n;
        room -= weight;
      } else if (counts && apart && holds(entry)) {
        weight = borne(entry);
        if (weight > base(entry)) entry.since = 0;
      }
      roster.weight += weight;
      entry.weight_before = entry.weight;
      entry.weight = weight;
      entry.owned = 1 + (entry.owned % 2) * 2 + (entry.owned & 4);
      roster.pages[Math.floor(index / 128)] += entry.weight;
    }
    roster.season += 1;
    roster.before_slot = roster.season_slot;
    Object.assign(roster, { season_slot: slot, season_at: m.now });
    m.log('SeasonBegun', { weight: roster.weight, at: m.now, few: few || (rules.credential === 2 && !apart) ? 1 : 0 });
  },

  begin_exit(m) {
    const rules = inForce(m);
    const entry = held(m, m.open('roster'));
    m.need(entry.state === ACTIVE, 'AlreadyExiting');
    entry.state = EXITING;
    entry.exit_slot = m.chain.slot;
    entry.exit_at = m.now + BigInt(rules.cooldown_seconds);
    m.open('roster').active -= 1;
    m.log('JudgeExiting', { judge: entry.authority, exit_at: entry.exit_at });
  },

  withdraw_stake(m) {
    const roster = m.open('roster');
    const { judge } = m.args;
    const index = place(m, roster, judge);
    wallet(m, m.at.withdraw);
    const entry = held(m, roster);
    const { state, live, exit_at, stake, rewards, weight, weight_before } = entry;
    m.need(state === EXITING, 'NotExiting');
    m.need(live === 0, 'StakeLocked');
    m.need(m.now >= exit_at, 'TooEarly');
    m.need(!counted(entry), 'SeasonRuns');
    roster.entries[index] = { ...free(), weight, weight_before };
    roster.total_stake -= stake;
    roster.total_rewards -= rewards;
    m.move(m.at.roster, m.at.wallet, stake + rewards);
    m.log('StakeMoved', { judge, index, delta: -stake, stake: 0n, kind: 3 });
    if (rewards > 0n) m.log('RewardClaimed', { judge, amount: rewards });
  },

  change_withdraw(m) {
    const entry = held(m, m.open('roster'));
    m.need(m.args.withdraw !== NOBODY, 'NoWithdrawKey');
    entry.withdraw = m.args.withdraw;
    m.log('WithdrawKeySet', m.args);
  },

  claim_reward(m) {
    const roster = m.open('roster');
    const { judge } = m.args;
    const entry = roster.entries[place(m, roster, judge)];
    if (m.at.wallet !== entry.withdraw) {
      m.need(m.at.withdraw, 'NotEnoughAccounts');
      m.need(m.at.withdraw === entry.withdraw, 'WrongAddress');
      wallet(m, entry.withdraw);
    }
    const amount = entry.rewards;
    m.need(amount > 0n, 'NothingToClaim');
    entry.rewards = 0n;
    roster.total_rewards -= amount;
    m.move(m.at.roster, m.at.wallet, amount);
    m.log('RewardClaimed', { judge, amount });
  },
};
