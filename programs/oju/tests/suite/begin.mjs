// The court's beginning and its parameters.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Court, PARAMS, digest } from '../lib/court.mjs';
import { SOL } from '../lib/world.mjs';

/** Values just out of range, and just in range, of every parameter; the others are the defaults. */
const RANGES = {
  min_stake: [[0n, 10n * SOL + 1n], [1n, 10n * SOL]],
  max_seat_weight: [[SOL - 1n, 2n ** 50n + 1n], [SOL, 2n ** 50n]],
  min_bond: [[], [0n, 2n ** 64n - 1n]],
  min_reward: [[0n], [1n, 2n ** 64n - 1n]],
  commit_seconds: [[0, 26_821, 86_401], [1, 26_820]],
  reveal_seconds: [[0, 26_581, 86_401], [1, 26_580]],
  verify_seconds: [[0, 2_592_001], [1, 2_592_000]],
  answer_seconds: [[0, 2_592_001], [1, 2_592_000]],
  cooldown_seconds: [[93_599], [93_600, 2 ** 32 - 1]],
  draw_seconds: [[0, 28_201, 86_401], [1, 28_200]],
  evidence_seconds: [[165_601, 2_592_001], [0, 165_600]],
  bond_bps: [[10_001], [0, 10_000]],
  absent_bps: [[10_001], [0, 10_000]],
  minority_bps: [[10_001], [0, 10_000]],
  equivocation_bps: [[10_001], [0, 10_000]],
  abstain_bps: [[10_001], [0, 10_000]],
  abstain_free: [[], [0, 65_535]],
  max_judges: [[6, 513], [7, 512]],
  draw_delay_slots: [[0, 257], [1, 256]],
  trade_bps: [[1_001], [0, 1_000]],
  claim_bps: [[2_001], [0, 2_000]],
  min_work_seconds: [[0, 86_401], [1, 86_400]],
  max_rounds: [[0, 4], [1, 3]],
  panel_seats: [[0, 6, 29], [7, 28]],
  min_seats: [[0, 29], [1, 28]],
  max_reworks: [[], [0, 255]],
};

describe('init_config', () => {
  test('makes Config and an empty Roster, once', async () => {
    const court = await Court.begin('init');
    const config = court.config();
    for (const [name, value] of Object.entries(PARAMS)) assert.deepEqual(config[name], value, name);
    assert.deepEqual([config.authority, config.paused, config.agent_count], [court.authority.address, 0, 0n]);
    assert.deepEqual(court.roster().entries, []);
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
    for (const [name, [bad]] of Object.entries(RANGES)) {
      for (const value of bad) await court.no('BadConfig', court.init({ [name]: value }));
    }
    await court.ok(court.init());
  });

  test('prefunded addresses do not hinder it', async () => {
    const court = await Court.bare('init prefunded');
    const { config, roster } = court.init().accounts;
    court.give(config.address, 1n);
    court.give(roster.address, 50n * SOL);
    court.strays.set(roster.address, 50n * SOL - court.rent(64));
    await court.ok(court.init());
  });
});

describe('update_config', () => {
  test('takes every parameter in its range and refuses the others', async () => {
    const court = await Court.begin('update ranges');
    for (const [name, [bad, good]] of Object.entries(RANGES)) {
      for (const value of bad) await court.no('BadConfig', court.update({ [name]: value }));
      for (const value of good) {
        await court.ok(court.update({ [name]: value }));
        assert.deepEqual(court.config()[name], value);
      }
      await court.ok(court.update(PARAMS));
    }
    await court.no('BadConfig', court.update({ paused: 2 }));
  });

  test('cannot change the network', async () => {
    const court = await Court.begin('update network');
    await court.no('BadConfig', court.update({ network: digest('another') }));
  });

  test('hands the authority over', async () => {
    const court = await Court.begin('update authority');
    const next = await court.fund('next', SOL);
    const { authority } = court;
    await court.ok(court.update({ authority: next.address, paused: 1 }));
    await court.no('NotAuthority', court.update());
    court.authority = next;
    await court.ok(court.update({ paused: 0 }));
    assert.notEqual(court.config().authority, authority.address);
  });
});
