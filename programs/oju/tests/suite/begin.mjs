// The court's beginning and its parameters.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NOBODY } from '../lib/bytes.mjs';
import { Court, NETWORK, PARAMS } from '../lib/court.mjs';
import { Scene } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

/** Values just out of range, and just in range, of every parameter; the others are the defaults. */
const RANGES = {
  min_stake: [[0n, 10n * SOL + 1n], [1n, 10n * SOL]],
  max_seat_weight: [[SOL - 1n, 2n ** 50n + 1n], [SOL, 2n ** 50n]],
  fee_min: [[2n ** 50n + 1n], [0n, 2n ** 50n]],
  min_reward: [[0n], [1n, 2n ** 64n - 1n]],
  commit_seconds: [[0, 18_721, 86_401], [1, 18_720]],
  reveal_seconds: [[0, 18_481, 86_401], [1, 18_480]],
  verify_seconds: [[0, 2_592_001], [1, 2_592_000]],
  answer_seconds: [[0, 2_592_001], [1, 2_592_000]],
  cooldown_seconds: [[172_799, 2_592_001], [172_800, 2_592_000]],
  draw_seconds: [[0, 20_101, 86_401], [1, 20_100]],
  evidence_seconds: [[159_601, 2_592_001], [0, 159_600]],
  fee_bps: [[10_001], [0, 10_000]],
  creator_bps: [[10_001], [0, 10_000]],
  worker_bps: [[10_001], [0, 10_000]],
  risk_bps: [[10_001], [0, 10_000]],
  golden_gain: [[0, 5], [6, 65_535]],
  golden_loss: [[0, 2], [3, 65_535]],
  absence: [[41], [0, 40]],
  minority: [[40], [0, 39]],
  reversal: [[40], [0, 39]],
  appeal_seconds: [[76_801, 2_592_001], [0, 76_800]],
  preset: [[0, 3], [1, 2]],
  max_judges: [[6, 10_241], [7, 10_240]],
  draw_delay_slots: [[0, 257], [1, 256]],
  trade_bps: [[1_001], [0, 1_000]],
  claim_bps: [[2_001], [0, 2_000]],
  season_seconds: [[0, 86_401, 604_801], [1, 86_400]],
  cover_bps: [[10_001], [0, 10_000]],
  min_work_seconds: [[0, 86_401], [1, 86_400]],
  max_rounds: [[0, 4], [1, 3]],
  panel_seats: [[0, 6, 29], [7, 28]],
  min_seats: [[0, 29], [1, 28]],
  max_reworks: [[], [0, 255]],
  batch_seconds: [[43_201, 57_601], [0, 1, 43_200]],
  leaf_fee: [[], [0n, 2n ** 64n - 1n]],
  golden_bps: [[5_001], [0, 5_000]],
  credential: [[3, 255], [0, 1, 2]],
};

describe('init_config', () => {
  test('makes Config, an empty Roster and the first rules, once', async () => {
    const court = await Court.begin('init');
    const config = court.config();
    const rules = court.version(1);
    for (const [name, value] of Object.entries(PARAMS)) assert.deepEqual(rules[name], value, name);
    assert.deepEqual([rules.number, rules.from, rules.until], [1, court.time, 0n]);
    assert.deepEqual([config.authority, config.paused, config.agent_count], [court.authority.address, 0, 0n]);
    assert.deepEqual([config.network, config.rules, config.pending_authority], [NETWORK, 1, NOBODY]);
    assert.deepEqual(court.roster().entries, []);
    assert.equal(config.listed, 0);
    assert.equal((await court.dispatch('init_config', [court.instruction(court.init())])).failed, 'AlreadyExists');
  });

  test('is the upgrade authority\'s alone', async () => {
    const court = await Court.bare('init by another');
    const mallory = await court.fund('mallory', SOL);
    const action = court.init();
    await court.no('NotAuthority', { ...action, accounts: { ...action.accounts, authority: mallory } });
    court.deployed(null);
    await court.no('NotAuthority', action);
    court.deployed(mallory.address);
    await court.ok({ ...action, accounts: { ...action.accounts, authority: mallory } });
    assert.equal(court.config().authority, mallory.address);
  });

  test('refuses every parameter out of its range', async () => {
    const court = await Court.bare('init ranges');
    await court.no('BadConfig', court.init({ listed: 2 }));
    for (const [name, [bad]] of Object.entries(RANGES)) {
      for (const value of bad) await court.no('BadConfig', court.init({ [name]: value }));
    }
    for (const [name, [, good]] of Object.entries(RANGES)) {
      for (const value of good) {
        const fresh = await Court.begin('init in range', { [name]: value });
        assert.deepEqual(fresh.version(1)[name], value);
      }
    }
    await court.ok(court.init());
  });

  test('prefunded addresses do not hinder it', async () => {
    const court = await Court.bare('init prefunded');
    const { config, roster } = court.init().accounts;
    court.give(config.address, 1n);
    court.give(roster.address, 50n * SOL);
    court.strays.set(roster.address, 50n * SOL - court.rent(1_352));
    await court.ok(court.init());
  });
});

/** Of each parameter that a version is held to: the predecessor's value, values that may follow, and values that may not. */
const STEPS = {
  commit_seconds: [420, [60], [59]],
  reveal_seconds: [180, [60], [59]],
  verify_seconds: [5, [5, 60], [4]],
  answer_seconds: [28_800, [60], [59]],
  draw_seconds: [30, [30], [29]],
  evidence_seconds: [86_400, [60], [59]],
  cooldown_seconds: [172_800, [172_800, 604_800], [172_799, 604_801]],
  min_reward: [1_000_000n, [10_000_000n], [10_000_001n]],
  min_stake: [SOL, [2n * SOL], [2n * SOL + 1n]],
  min_seats: [7, [8, 7], [6]],
  risk_bps: [5_000, [5_000, 0], [5_001]],
  season_seconds: [86_400, [600, 86_400], [599, 86_401]],
  cover_bps: [500, [100, 1_000], [0, 99, 1_001]],
  fee_min: [1_000_000n, [10_000_000n], [10_000_001n]],
  max_seat_weight: [10n * SOL, [5n * SOL], [5n * SOL - 1n, 20n * SOL + 1n]],
  draw_delay_slots: [3, [256], []],
  appeal_seconds: [3_600, [60], [0, 59]],
};

describe('propose_rules', () => {
  test('refuses every parameter out of its range', async () => {
    const court = await Court.begin('rules ranges');
    for (const [name, [bad]] of Object.entries(RANGES)) {
      for (const value of bad) await court.no('BadConfig', court.announce({ [name]: value }));
    }
  });

  test('holds a version to the one before', async () => {
    for (const [name, [old, good, bad]] of Object.entries(STEPS)) {
      const court = await Court.begin(`rules after ${name}`, { [name]: old });
      for (const value of bad) await court.no('BadConfig', court.announce({ [name]: value }));
      for (const value of good) {
        await court.enact({ [name]: value });
        assert.deepEqual(court.version(court.config().rules)[name], value);
        await court.enact({ cooldown_seconds: 604_800 });
        if (name !== 'cooldown_seconds') break;
      }
    }
  });

  test('announces, and takes effect after the cooldown', async () => {
    const scene = await Scene.cast('rules announced', 8);
    const before = await scene.created();
    await scene.ok(scene.announce({ min_reward: 10_000_000n, max_reworks: 9 }));
    assert.deepEqual([scene.version(1).until, scene.version(2).from], [scene.time + 172_800n, scene.time + 172_800n]);
    await scene.no('RulesAnnounced', scene.announce());
    await scene.created();
    scene.pass(172_799);
    await scene.no('RulesAnnounced', scene.announce());
    const old = scene.rulesFor({});
    await scene.created();
    scene.pass(1);
    const late = await act.create(await act.handle('alice', 3n), { reward_min: 9_999_999n });
    await scene.no('WrongRules', { ...late, accounts: { ...late.accounts, rules: old } });
    await scene.no('WrongRules', { ...await act.beginExit('j0'), accounts: { ...(await act.beginExit('j0')).accounts, rules: old } });
    await scene.no('BadReward', late);
    const claim = await act.claim(before, 'bob');
    await scene.no('WrongRules', { ...claim, accounts: { ...claim.accounts, rules: scene.rulesFor({}) } });
    await scene.ok(claim);
    const { authority } = scene;
    const again = scene.announce();
    await scene.no('WrongRules', { ...again, accounts: { ...again.accounts, rules: old, next: again.accounts.rules } });
    scene.authority = await scene.fund('mallory', SOL);
    await scene.no('NotAuthority', scene.announce());
    scene.authority = authority;
    await scene.ok(again);
  });
});

describe('withdraw_rules', () => {
  test('takes an announcement back, and the next one has its number', async () => {
    const scene = await Scene.cast('rules withdrawn', 8);
    await scene.no('WrongOwner', { ...scene.takeBack(2) }); // nothing is announced
    await scene.ok(scene.announce({ min_reward: 10_000_000n }));
    scene.pass(172_799);
    await scene.no('NotAuthority', { ...scene.takeBack(), accounts: { ...scene.takeBack().accounts, authority: await scene.fund('mallory', SOL) } });
    await scene.ok(scene.takeBack());
    assert.deepEqual([scene.config().rules, scene.version(1).until, scene.version(2)], [1, 0n, null]);
    await scene.no('WrongOwner', scene.takeBack(2));
    await scene.ok(scene.announce({ min_reward: 9_000_000n }));
    assert.deepEqual([scene.version(2).from, scene.version(1).until], [scene.time + 172_800n, scene.time + 172_800n]);
    scene.pass(1);
    await scene.created({ reward_min: 8_999_999n, reward_max: SOL, auction: 1, auction_seconds: 60 });
    scene.pass(172_799);
    await scene.no('TooLate', scene.takeBack());
    await scene.no('BadReward', await act.create(await act.handle('alice', 1n), { reward_min: 8_999_999n }));
    await scene.ok(scene.announce());
    await scene.no('WrongRules', scene.takeBack(2));
    const { accounts } = scene.takeBack();
    await scene.no('WrongRules', { ...scene.takeBack(), accounts: { ...accounts, rules: scene.takeBack(2).accounts.rules } });
    await scene.ok(scene.takeBack());
  });
});

describe('the authority', () => {
  test('is handed over in two steps', async () => {
    const court = await Court.begin('hand over');
    const [old, next] = [court.authority, await court.fund('next', SOL)];
    await court.no('NotAuthority', act.take('next'));
    await court.no('NotAuthority', act.propose(next, 'next'));
    await court.ok(act.propose(old, 'mallory'));
    await court.ok(act.propose(old, 'next'));
    await court.fund('mallory', SOL);
    await court.no('NotAuthority', act.take('mallory'));
    await court.ok(court.pause(1));
    await court.ok(act.take('next'));
    assert.deepEqual([court.config().authority, court.config().pending_authority], [next.address, NOBODY]);
    await court.no('NotAuthority', court.pause(0));
    court.authority = next;
    await court.no('BadConfig', court.pause(2));
    await court.ok(court.pause(0));
  });

  test('can withdraw a proposal', async () => {
    const court = await Court.begin('withdrawn');
    await court.fund('next', SOL);
    await court.ok(act.propose(court.authority, 'next'));
    await court.ok({ name: 'propose_authority', args: { authority: NOBODY }, accounts: { authority: court.authority } });
    await court.no('NotAuthority', act.take('next'));
  });

  test('can be given up, but not of a paused court', async () => {
    const court = await Court.begin('given up');
    const giveUp = { name: 'give_up', accounts: { authority: court.authority } };
    await court.ok(court.pause(1));
    await court.no('Paused', giveUp);
    await court.ok(court.pause(0));
    await court.fund('next', SOL);
    await court.ok(act.propose(court.authority, 'next'));
    await court.ok(giveUp);
    for (const action of [giveUp, court.pause(1), court.announce(), act.take('next')]) await court.no('NotAuthority', action);
  });
});
