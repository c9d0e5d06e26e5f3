// Tasks from the offer to the result.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { MAX, NOBODY, NO_HASH } from '../lib/bytes.mjs';
import { ENGINE } from '../lib/court.mjs';
import { Scene } from '../lib/scene.mjs';
import { PROGRAM, SOL, nameOf } from '../lib/world.mjs';

describe('create_task', () => {
  test('holds the highest reward in escrow', async () => {
    const scene = await Scene.cast('create');
    await scene.ok(act.updateAgent('alice', { operator: 'olga' }));
    const task = await scene.created({ reward_min: SOL, reward_max: 3n * SOL, auction: 1, auction_seconds: 100 });
    const found = scene.taskOf(task);
    assert.deepEqual([found.escrow, found.reward, found.id], [3n * SOL, 0n, 0n]);
    assert.equal(found.creator_operator, await act.key('olga'));
    assert.equal(await scene.vault('alice'), 97n * SOL);
    assert.equal((await scene.created()).id, 1n);
    assert.equal((await scene.agentOf('alice')).tasks_created, 2n);
  });

  test('refuses bad terms', async () => {
    const scene = await Scene.cast('terms');
    const task = await act.handle('alice', 0n);
    const auction = { auction: 1, auction_seconds: 60, reward_max: 2n * SOL };
    const now = scene.time;
    const bad = [
      ['BadReward', { reward_min: 999_999n, reward_max: 999_999n }],
      ['BadReward', { reward_min: 2n * SOL }],
      ['BadReward', { reward_max: 2n * SOL }],
      ['BadReward', { ...auction, reward_max: SOL - 1n }],
      ['BadDuration', { auction_seconds: 1 }],
      ['BadDuration', { ...auction, auction_seconds: 0 }],
      ['BadDuration', { ...auction, auction_seconds: 2_592_001 }],
      ['BadDuration', { work_seconds: 59 }],
      ['BadDuration', { work_seconds: 31_536_001 }],
      ['BadDuration', { claim_by: now }],
      ['BadDuration', { claim_by: -1n }],
      ['BadTerm', { ...auction, auction: 2 }],
      ['BadTerm', { on_undecided: 0 }],
      ['BadTerm', { on_undecided: 4 }],
      ...[1, 6, 8, 13, 15, 27, 29, 255].map((seats) => ['BadTerm', { seats }]),
      ['BadTerm', { seats: 7, fee_min: SOL / 35n + 1n }],
      ['BadTerm', { fee_min: SOL / 56n + 1n }],
      ['BadTerm', { ...auction, fee_min: SOL / 56n + 1n }],
      ['BadTerm', { fee_min: MAX }],
      ['WrongEngine', { engine: PROGRAM, engine_seconds: 600 }],
      ['WrongEngine', { on_silence: 1 }],
      ['WrongEngine', { engine_fee: 1n }],
      ['BadDuration', { engine: ENGINE, engine_seconds: 59 }],
      ['BadDuration', { engine: ENGINE, engine_seconds: 2_592_001 }],
      ['BadTerm', { engine: ENGINE, engine_seconds: 600, on_silence: 2 }],
      ['WrongEngine', { engine: ENGINE, engine_seconds: 600, engine_fee: 1n }],
      ['MissingHash', { task_hash: NO_HASH }],
      ['NotEnoughInVault', { reward_min: 100n * SOL + 1n, reward_max: 100n * SOL + 1n }],
      ['NotEnoughInVault', { reward_min: MAX, reward_max: MAX }],
    ];
    for (const [error, terms] of bad) await scene.no(error, act.create(task, terms));
    const good = [
      { reward_min: 1_000_000n, reward_max: 1_000_000n, work_seconds: 60 }, { claim_by: now + 1n, work_seconds: 31_536_000 },
      { ...auction, auction_seconds: 2_592_000, on_undecided: 1 }, { ...auction, auction_seconds: 1, on_undecided: 2 },
      { ...auction, reward_max: SOL }, { seats: 7, fee_min: SOL / 35n }, { seats: 14 }, { seats: 28, fee_min: SOL / 56n },
    ];
    for (const terms of good) await scene.created(terms);
  });

  test('refuses a reward that the judges\' stake does not cover', async () => {
    const scene = await Scene.cast('cover', 8, { cover_bps: 500 }, 10n * SOL);
    const task = await act.handle('alice', 0n);
    const of = (reward) => ({ reward_min: reward, reward_max: reward });
    await scene.no('NotCovered', act.create(task, of(4n * SOL + 1n)));
    const auction = { auction: 1, auction_seconds: 60 };
    await scene.no('NotCovered', act.create(task, { ...auction, reward_max: 4n * SOL + 1n }));
    await scene.created(of(4n * SOL));
    await scene.judge('late', { stake: 10n * SOL });
    await scene.ok(act.beginExit('j1'));
    await scene.no('NotCovered', act.create(await act.handle('alice', 1n), of(4n * SOL + 1n)));
    await scene.ok(act.beginExit('j2'));
    await scene.season();
    await scene.no('NotCovered', act.create(await act.handle('alice', 1n), of(35n * SOL / 10n + 1n)));
    await scene.created(of(35n * SOL / 10n));
  });

  test('is the agent\'s own, and waits while paused', async () => {
    const scene = await Scene.cast('create by another');
    const theft = await act.create(await act.handle('alice', 0n));
    theft.accounts.authority = scene.authority;
    await scene.no('NotAuthority', theft);
    const offered = await scene.created();
    await scene.ok(scene.pause(1));
    await scene.no('Paused', act.create(await act.handle('alice', 1n)));
    await scene.no('Paused', act.claim(offered, 'bob'));
    await scene.ok(act.cancel(offered));
    await scene.ok(scene.pause(0));
    await scene.created();
  });

  test('a prefunded address is made all the same, and the gift is not escrow', async () => {
    const scene = await Scene.cast('task prefunded');
    const task = await act.handle('alice', 0n);
    scene.give(task.address, 5n * SOL);
    scene.strays.set(task.address, 5n * SOL - scene.rent(600));
    await scene.ok(act.create(task));
    await scene.ok(act.cancel(task));
    assert.equal(await scene.vault('alice'), 100n * SOL);
    await scene.ok(act.closeTask(task));
  });
});

describe('cancel_task', () => {
  test('refunds an unclaimed task to its creator alone', async () => {
    const scene = await Scene.cast('cancel');
    const task = await scene.created();
    await scene.no('NotCreator', act.cancel(task, 'bob'));
    await scene.ok(act.cancel(task));
    assert.equal(await scene.vault('alice'), 100n * SOL);
    await scene.no('WrongStatus', act.cancel(task));
    await scene.no('WrongStatus', act.claim(task, 'bob'));
    await scene.no('WrongStatus', act.cancel(await scene.claimed()));
  });
});

describe('claim_task', () => {
  test('the price of a first come, first served task does not move', async () => {
    const scene = await Scene.cast('first come');
    const task = await scene.created();
    scene.pass(100_000);
    await scene.no('PriceTooLow', act.claim(task, 'bob', SOL + 1n));
    await scene.ok(act.claim(task, 'bob', SOL));
    const found = scene.taskOf(task);
    assert.deepEqual([found.reward, found.escrow, found.deadline], [SOL, SOL, scene.time + 3_600n]);
  });

  test('the price of a reverse Dutch auction rises with the seconds', async () => {
    const scene = await Scene.cast('auction');
    const terms = { auction: 1, auction_seconds: 1_000, reward_min: SOL, reward_max: SOL + 7_777n };
    const at = { 0: 0n, 1: 7n, 128: 995n, 129: 1_003n, 500: 3_888n, 999: 7_769n, 1000: 7_777n, 1001: 7_777n, 99999: 7_777n };
    for (const [seconds, rise] of Object.entries(at)) {
      const task = await scene.created(terms);
      scene.pass(seconds);
      await scene.no('PriceTooLow', act.claim(task, 'bob', SOL + rise + 1n));
      const before = await scene.vault('alice');
      await scene.ok(act.claim(task, 'bob', SOL + rise));
      assert.equal(scene.taskOf(task).reward, SOL + rise);
      assert.equal(await scene.vault('alice') - before, 0n, 'the price is not final before there is a result');
      task.worker = 'bob';
      for (const step of [act.start, act.submit]) await scene.ok(step(task));
      assert.equal(await scene.vault('alice') - before, 7_777n - rise);
    }
  });

  test('leaves enough judges for the two, else nobody may claim', async () => {
    const scene = await Scene.cast('too few impartial', 0);
    await scene.agent('dora', { operator: 'olga' });
    await scene.judges(6);
    await scene.judge('k0', { operator: 'olga' });
    await scene.season();
    await scene.no('TooFewImpartial', act.claim(await scene.created({}, 'dora'), 'bob'));
    await scene.no('TooFewImpartial', act.claim(await scene.created(), 'dora'));
    await scene.claimed();
    await scene.judge('j6');
    await scene.season();
    await scene.claimed({}, 'bob', 'dora');
    await scene.claimed({}, 'dora', 'alice');
    await scene.ok(act.beginExit('j0'));
    await scene.no('TooFewImpartial', act.claim(await scene.created({}, 'dora'), 'bob'));
    await scene.ok(act.beginExit('j1'));
    await scene.no('TooFewImpartial', act.claim(await scene.created(), 'bob'));
  });

  test('a clock that went back counts as no time', async () => {
    const scene = await Scene.cast('clock back');
    const task = await scene.created({ reward_min: SOL, reward_max: 3n * SOL, auction: 1, auction_seconds: 100 });
    scene.at(scene.time - 50n);
    await scene.ok(act.claim(task, 'bob'));
    assert.equal(scene.taskOf(task).reward, SOL);
  });

  test('is for others than the creator', async () => {
    const scene = await Scene.cast('own task');
    const task = await scene.created();
    await scene.no('OwnTask', act.claim(task, 'alice'));
    const theft = await act.claim(task, 'bob');
    theft.accounts.worker_agent = await act.agentAt('carol');
    await scene.no('NotAuthority', theft);
  });

  test('ends at claim_by, to the second', async () => {
    const scene = await Scene.cast('claim by');
    const task = await scene.created({ claim_by: scene.time + 50n });
    scene.pass(49);
    assert.ok((await scene.trial(act.claim(task, 'bob'))).ok);
    await scene.no('TooEarly', act.expire(task));
    scene.pass(1);
    await scene.no('TooLate', act.claim(task, 'bob'));
    await scene.ok(act.expire(task));
    assert.equal(scene.taskOf(task).resolution, 7);
    assert.equal(await scene.vault('alice'), 100n * SOL);
  });

  test('a task without claim_by never expires unclaimed', async () => {
    const scene = await Scene.cast('no claim by');
    const task = await scene.created();
    scene.pass(1_000_000_000);
    await scene.no('TooEarly', act.expire(task));
  });
});

describe('work', () => {
  test('has a deadline, to the second', async () => {
    const scene = await Scene.cast('work');
    const task = await scene.claimed();
    await scene.no('NotWorker', act.start(task, 'carol'));
    scene.pass(3_599);
    await scene.no('TooEarly', act.expire(task));
    await scene.ok(act.start(task));
    await scene.no('NotWorker', act.submit(task, 'result', 'carol'));
    await scene.no('MissingHash', act.submit(task, null));
    assert.ok((await scene.trial(act.submit(task))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.submit(task));
    const other = await scene.claimed();
    scene.pass(3_600);
    await scene.no('TooLate', act.start(other));
  });

  test('a missed deadline returns the task to the market at the same price, without the worker', async () => {
    const scene = await Scene.cast('missed');
    const task = await scene.claimed({ auction: 1, auction_seconds: 1_000, reward_max: 2n * SOL });
    const { reward } = scene.taskOf(task);
    scene.pass(3_600);
    const bond = 2n * SOL / 50n;
    const { events } = await scene.ok(act.expire(task));
    const lost = events.filter(({ event }) => event === 'Paid');
    assert.deepEqual(lost.map(({ to, kind, amount }) => [nameOf(to), kind, amount]), [['alice', 7, bond]]);
    task.worker = undefined;
    const found = scene.taskOf(task);
    assert.deepEqual([found.status, found.worker, found.last_worker], [1, NOBODY, await act.key('bob')]);
    assert.equal((await scene.agentOf('bob')).tasks_missed, 1);
    await scene.no('WorkerBarred', act.claim(task, 'bob'));
    await scene.claim(task, 'carol');
    assert.deepEqual([scene.taskOf(task).reward, scene.taskOf(task).claims], [reward, 2]);
    await scene.ok(act.start(task));
    await scene.ok(act.submit(task));
    await scene.ok(act.accept(task));
    assert.equal(await scene.vault('carol'), 100n * SOL + reward - reward / 200n);
  });

  test('attack: a pause raises the price of an auction', async () => {
    const scene = await Scene.cast('auction in a pause');
    const terms = { auction: 1, auction_seconds: 1_000, reward_max: 2n * SOL };
    const price = SOL + SOL / 10n;
    const [task, other] = [await scene.created(terms), await scene.created(terms)];
    scene.pass(100);
    await scene.claim(other, 'carol');
    await scene.ok(scene.pause(1));
    scene.pass(300);
    await scene.ok(act.release(other));
    scene.pass(600);
    await scene.ok(scene.pause(0));
    await scene.no('PriceTooLow', act.claim(task, 'bob', price + 1n));
    await scene.claim(task, 'bob');
    await scene.claim(other, 'bob');
    assert.deepEqual([scene.taskOf(task).reward, scene.taskOf(other).reward], [price, price]);
    assert.equal(scene.config().paused_seconds, 900);
  });

  test('a claim may be given back in a tenth of the time, which all workers share', async () => {
    const scene = await Scene.cast('release');
    const task = await scene.claimed();
    await scene.no('NotWorker', act.release(task, 'carol'));
    await scene.ok(act.start(task));
    scene.pass(359);
    const { events } = await scene.ok(act.release(task));
    assert.deepEqual(events.at(-1).amount, SOL / 50n);
    assert.equal(await scene.vault('bob'), 100n * SOL);
    assert.deepEqual([scene.taskOf(task).status, scene.taskOf(task).released_seconds], [1, 359]);
    await scene.no('WorkerBarred', act.claim(task, 'bob'));
    await scene.claim(task, 'carol');
    assert.ok((await scene.trial(act.release(task))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.release(task));
    await scene.ok(act.start(task));
    await scene.ok(act.submit(task));
    await scene.no('WrongStatus', act.release(task));
  });

  test('the barred worker may come back after another', async () => {
    const scene = await Scene.cast('barred once');
    const task = await scene.started();
    scene.pass(3_600);
    await scene.ok(act.expire(task));
    await scene.claim(task, 'carol');
    scene.pass(3_600);
    await scene.ok(act.expire(task));
    await scene.claim(task, 'bob');
    await scene.ok(act.start(task));
  });
});
