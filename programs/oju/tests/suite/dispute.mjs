// Verification, objection, rework, counter-objection, and silence.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { digest } from '../lib/court.mjs';
import { CREATORS, EARNED, PAY, Scene, WORKERS } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

describe('verification', () => {
  test('begins with the result and lasts eight hours', async () => {
    const scene = await Scene.cast('verification');
    const task = await scene.verified();
    assert.equal(scene.taskOf(task).deadline, scene.time + 28_800n);
    await scene.no('NotCreator', act.accept(task, 'bob'));
    await scene.no('NotCreator', act.object(task, 'objection', 'bob'));
    await scene.no('MissingHash', act.object(task, null));
    scene.pass(28_799);
    await scene.no('TooEarly', act.expire(task));
    assert.ok((await scene.trial(act.object(task))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.object(task));
    assert.ok((await scene.trial(act.expire(task))).ok);
    await scene.ok(act.accept(task));
  });

  test('a silent creator pays', async () => {
    const scene = await Scene.cast('creator silent');
    const task = await scene.verified();
    scene.pass(28_800);
    await scene.ok(act.expire(task));
    assert.equal(await scene.vault('bob'), 100n * SOL + EARNED);
    assert.deepEqual([scene.taskOf(task).outcome, scene.taskOf(task).resolution], [1, 2]);
    await scene.no('WrongStatus', act.expire(task));
  });
});

describe('objection', () => {
  test('posts a bond that a rework returns', async () => {
    const scene = await Scene.cast('rework');
    const task = await scene.disputed();
    assert.equal(scene.taskOf(task).creator_bond, CREATORS);
    await scene.no('NotWorker', act.rework(task, 'carol'));
    await scene.ok(act.rework(task));
    assert.equal(await scene.vault('alice'), 99n * SOL);
    await scene.ok(act.submit(task, 'better'));
    assert.equal(scene.taskOf(task).result_hash, digest('better'));
    await scene.ok(act.accept(task));
    assert.equal(await scene.vault('bob'), 100n * SOL + EARNED);
  });

  test('needs the bond in the vault', async () => {
    const scene = await Scene.cast('no bond');
    const task = await scene.verified();
    await scene.ok(act.withdraw('alice', 99n * SOL - CREATORS + 1n));
    await scene.no('NotEnoughInVault', act.object(task));
    await scene.ok(act.deposit('alice', 1n));
    await scene.ok(act.object(task));
    assert.equal(await scene.vault('alice'), 0n);
  });

  test('the bond is at least the fees of the panel and of an appeal', async () => {
    const free = await Scene.cast('no bond', 7, { worker_bps: 0, fee_bps: 0, fee_min: 0n });
    const unbound = await free.contested();
    assert.equal(free.taskOf(unbound).worker_bond, 0n);
    const scene = await Scene.cast('min bond');
    const task = await scene.disputed({ reward_min: 1_000_000n, reward_max: 1_000_000n });
    assert.equal(scene.taskOf(task).creator_bond, 56n * 2n * PAY);
    await scene.ok(scene.announce({ worker_bps: 0, fee_bps: 0, fee_min: 0n })); // not for this task
    await scene.ok(act.counter(task));
    assert.equal(scene.taskOf(task).worker_bond, 56n * 2n * PAY);
  });

  test('reworks are exhausted', async () => {
    const scene = await Scene.cast('reworks');
    const task = await scene.disputed();
    for (let i = 0; i < 3; i++) {
      await scene.ok(act.rework(task));
      await scene.ok(act.submit(task, `again ${i}`));
      await scene.ok(act.object(task));
    }
    await scene.no('ReworksExhausted', act.rework(task));
    await scene.ok(act.counter(task));
  });

  test('a missed rework returns the task to the market without its hashes', async () => {
    const scene = await Scene.cast('missed rework');
    const task = await scene.disputed();
    await scene.ok(act.rework(task));
    scene.pass(3_600);
    await scene.ok(act.expire(task));
    const { result_hash, objection_hash, status } = scene.taskOf(task);
    assert.deepEqual([BigInt(`0x${result_hash}`), BigInt(`0x${objection_hash}`), status], [0n, 0n, 1]);
  });

  test('a silent worker is not paid', async () => {
    const scene = await Scene.cast('worker silent');
    const task = await scene.disputed();
    scene.pass(28_799);
    await scene.no('TooEarly', act.expire(task));
    assert.ok((await scene.trial(act.rework(task))).ok);
    assert.ok((await scene.trial(act.counter(task))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.rework(task));
    await scene.no('TooLate', act.counter(task));
    await scene.ok(act.expire(task));
    assert.equal(await scene.vault('alice'), 100n * SOL);
    assert.deepEqual([scene.taskOf(task).outcome, scene.taskOf(task).resolution], [2, 3]);
  });
});

describe('counter-objection', () => {
  test('posts a bond and opens the case with a copy of the parameters', async () => {
    const scene = await Scene.cast('counter');
    const task = await scene.disputed();
    await scene.no('NotWorker', act.counter(task, 'counter', 'carol'));
    await scene.no('MissingHash', act.counter(task, null));
    await scene.ok(act.withdraw('bob', 100n * SOL - SOL / 50n - WORKERS + 1n));
    await scene.no('NotEnoughInVault', act.counter(task));
    await scene.ok(act.deposit('bob', 1n));
    await scene.ok(act.counter(task));
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.round, found.payer], [1, 1, await act.key('bob')]);
    assert.deepEqual([found.seed_slot, found.draw_by], [scene.slot + 2n, scene.time + 1_800n]);
    assert.deepEqual([scene.taskOf(task).status, scene.taskOf(task).deadline], [7, 0n]);
    await scene.no('WrongStatus', act.expire(task));
  });

  test('goes by the seats and the fee of the task\'s terms', async () => {
    const scene = await Scene.cast('terms of a case', 20);
    for (const [terms, seats, bond] of [[{ seats: 7 }, 7, SOL / 10n], [{ seats: 14, fee_min: 3_000_000n }, 14, 126_000_000n]]) {
      const task = await scene.disputed(terms);
      await scene.ok(act.counter(task));
      const found = scene.caseOf(task);
      assert.deepEqual([found.panel_seats, found.fee], [seats, terms.fee_min ?? 1_000_000n]);
      assert.deepEqual([scene.taskOf(task).worker_bond, scene.taskOf(task).seats], [bond, seats]);
      assert.equal(scene.lamports(task.case.address), scene.rent(360 + 96 * seats));
      await scene.draw(task);
      assert.equal(scene.caseOf(task).seats, seats);
    }
  });

  test('a prefunded case is made all the same', async () => {
    const scene = await Scene.cast('case prefunded');
    const task = await scene.disputed();
    scene.give(task.case.address, 1_000_000n);
    await scene.ok(act.counter(task));
    assert.equal(scene.lamports(task.case.address), scene.rent(360 + 96 * 28));
  });
});
