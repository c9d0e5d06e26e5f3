// Whole cases, in all endings, to the lamport.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NOBODY } from '../lib/bytes.mjs';
import { ABSTAIN, ACCEPT, EARNED, REJECT, Scene, all } from '../lib/scene.mjs';
import { SOL, nameOf } from '../lib/world.mjs';

const BOND = SOL / 20n;

describe('life of a task', () => {
  test('accepted: the worker is paid', async () => {
    const scene = await Scene.cast('accepted');
    const task = await scene.verified();
    await scene.ok(act.accept(task));
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [99n * SOL, 100n * SOL + EARNED]);
    assert.equal(scene.pot().golden, SOL / 200n);
    const { tasks_claimed, tasks_paid } = await scene.agentOf('bob');
    assert.deepEqual([tasks_claimed, tasks_paid], [1, 1]);
  });

  test('a task that is over makes no further step', async () => {
    const scene = await Scene.cast('over');
    const task = await scene.verified();
    await scene.ok(act.accept(task));
    const steps = [
      act.cancel, (it) => act.claim(it, 'carol'), act.start, act.submit, act.accept, act.object, act.rework,
      act.counter, act.expire,
    ];
    for (const step of steps) await scene.no('WrongStatus', step(task));
  });
});

describe('life of a case', () => {
  test('19 of 28 pay the worker; the creator\'s bond and the slashes go to the majority', async () => {
    const scene = await Scene.cast('verdict accept', 28);
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.round(task, { ...all(names.slice(0, 19), ACCEPT), ...all(names.slice(19), REJECT) });
    assert.equal(scene.caseOf(task).verdict, ACCEPT);
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [99n * SOL - BOND, 100n * SOL + EARNED]);
    const pot = BOND + 9n * (SOL / 100n);
    const rewards = await Promise.all(names.map(async (name) => (await scene.entry(name)).rewards));
    assert.equal(rewards.reduce((sum, amount) => sum + amount, 0n), pot);
    assert.ok(rewards.slice(0, 19).every((amount) => amount === pot / 19n || amount === pot / 19n + 1n));
    assert.deepEqual([(await scene.agentOf('bob')).cases_won, (await scene.agentOf('alice')).cases_lost], [1, 1]);
    const { outcome, resolution, status } = scene.taskOf(task);
    assert.deepEqual([status, outcome, resolution], [8, 1, 4]);
  });

  test('18 of 28 do not', async () => {
    const scene = await Scene.cast('verdict reject', 28);
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.round(task, { ...all(names.slice(0, 18), ACCEPT), ...all(names.slice(18), REJECT) });
    assert.equal(scene.caseOf(task).verdict, REJECT);
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [100n * SOL, 100n * SOL - BOND]);
    assert.equal((await scene.entry(names[0])).stake, SOL - SOL / 100n);
    assert.deepEqual([(await scene.entry(names[0])).minority, (await scene.entry(names[27])).majority], [1, 1]);
  });

  test('the absent are slashed, those who abstain within their quota are not', async () => {
    const scene = await Scene.cast('absent', 9);
    const task = await scene.seated();
    await scene.commits(task, { ...all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT), j6: ABSTAIN, j7: ACCEPT });
    scene.endCommits(task);
    await scene.reveals(task, { ...all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT), j6: ABSTAIN });
    await scene.no('NotYetSettleable', act.settle(task));
    scene.endRound(task);
    await scene.ok(act.settle(task));
    const stakes = await Promise.all(['j5', 'j6', 'j7', 'j8'].map(async (name) => (await scene.entry(name)).stake));
    assert.deepEqual(stakes, [SOL, SOL, SOL - SOL / 200n, SOL - SOL / 200n]);
    await scene.no('WrongStatus', act.settle(task));
  });

  test('a void round draws again, and what was slashed waits for a majority', async () => {
    const scene = await Scene.cast('void', 9, {}, 2n * SOL);
    const task = await scene.seated();
    await scene.round(task, { j0: ACCEPT, j1: ACCEPT, j2: REJECT, j3: ABSTAIN });
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.round, found.verdict, found.pot], [1, 2, 0, 5n * (SOL / 100n)]);
    assert.equal(scene.roster().pots, found.pot);
    assert.deepEqual([found.seed_slot, found.draw_by], [scene.slot + 2n, scene.time + 1_800n]);
    await scene.draw(task);
    assert.deepEqual([scene.caseOf(task).panel[0].flags, scene.caseOf(task).accept_weight], [0, 0n]);
    await scene.no('WrongRound', act.commit(task, 1, 'j0', ACCEPT));
    await scene.round(task, all(scene.panel(task), REJECT));
    assert.equal(scene.caseOf(task).verdict, REJECT);
    assert.equal(scene.roster().total_rewards, BOND + found.pot);
  });

  for (const [term, name, alice, bob] of [
    [1, 'refund', 100n * SOL, 100n * SOL], [2, 'pay', 99n * SOL, 100n * SOL + EARNED],
    [3, 'split', 99n * SOL + SOL / 2n + 1n, 100n * SOL + EARNED / 2n],
  ]) {
    test(`undecided after three rounds: ${name}`, async () => {
      const scene = await Scene.cast(`undecided ${name}`, 7, {}, 2n * SOL);
      const odd = term === 3 ? 1n : 0n;
      const task = await scene.contested({ on_undecided: term, reward_min: SOL + odd, reward_max: SOL + odd });
      for (let round = 1; round <= 3; round++) {
        await scene.draw(task);
        const names = scene.panel(task);
        await scene.round(task, { [names[0]]: ACCEPT, [names[1]]: REJECT, [names[2]]: ABSTAIN });
      }
      const found = scene.caseOf(task);
      assert.deepEqual([found.status, found.round, found.verdict, found.pot], [5, 3, 3, 0n]);
      assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [alice - odd, bob]);
      assert.equal(scene.taskOf(task).status, 11);
      assert.equal(scene.roster().carry, 0n);
      assert.ok(scene.roster().total_rewards > 0n);
    });
  }

  for (const [on_undecided, bond_bps, told] of [
    [1, 500, ['alice 2', 'bob 3', 'alice 3', 'bob 6']], [2, 500, ['bob 1', 'pot 5', 'bob 3', 'alice 3', 'bob 6']],
    [3, 500, ['bob 1', 'pot 5', 'alice 2', 'bob 3', 'alice 3', 'bob 6']], [3, 0, ['bob 1', 'pot 5', 'alice 2', 'bob 6']],
  ]) {
    test(`payments are told in order, those of nothing not at all: term ${on_undecided}, bond ${bond_bps}`, async () => {
      const scene = await Scene.cast(`paid ${on_undecided} ${bond_bps}`, 7, { max_rounds: 1, bond_bps, min_bond: 0n });
      const task = await scene.seated({ on_undecided });
      const { events } = await scene.round(task, { j0: ACCEPT });
      const paid = events.filter(({ event }) => event === 'Paid');
      assert.deepEqual(paid.map(({ to, kind }) => `${to === NOBODY ? 'pot' : nameOf(to)} ${kind}`), told);
    });
  }

  for (const [choice, told] of [[ACCEPT, ['bob 1', 'pot 5', 'bob 3', 'bob 6']], [REJECT, ['alice 2', 'alice 3', 'bob 6']]]) {
    test(`a verdict tells the reward before the bond: choice ${choice}`, async () => {
      const scene = await Scene.cast(`paid verdict ${choice}`, 7);
      const task = await scene.seated();
      const { events } = await scene.round(task, all(scene.panel(task), choice));
      const paid = events.filter(({ event }) => event === 'Paid');
      assert.deepEqual(paid.map(({ to, kind }) => `${to === NOBODY ? 'pot' : nameOf(to)} ${kind}`), told);
    });
  }

  test('a judge whose stake was slashed below min_stake is not drawn until it is topped up', async () => {
    const scene = await Scene.cast('slashed below', 8);
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task).filter((name) => name !== 'j5'), ACCEPT));
    assert.ok((await scene.entry('j5')).stake < SOL);
    scene.advance(600);
    const next = await scene.seated();
    assert.ok(!scene.panel(next).includes('j5'));
    await scene.ok(act.topUp('j5', SOL / 200n));
    scene.advance(1);
    assert.ok(scene.panel(await scene.seated()).includes('j5'));
  });

  test('when nobody votes at all, what was slashed is carried to the next case', async () => {
    const scene = await Scene.cast('nobody votes', 7, { max_rounds: 1 });
    const task = await scene.seated();
    scene.pass(419);
    await scene.no('NotYetSettleable', act.settle(task));
    scene.pass(1);
    await scene.ok(act.settle(task));
    const { carry } = scene.roster();
    assert.equal(carry, 7n * (SOL / 200n));
    for (let i = 0; i < 7; i++) await scene.ok(act.topUp(`j${i}`, SOL / 200n));
    const next = await scene.seated();
    await scene.round(next, all(scene.panel(next), ACCEPT));
    assert.deepEqual([scene.roster().carry, scene.roster().total_rewards], [0n, carry + BOND]);
  });

  test('a case that cannot be drawn in time ends by the task\'s term', async () => {
    const scene = await Scene.cast('expire case', 7);
    const task = await scene.contested({ on_undecided: 1 });
    await scene.ok(act.beginExit('j6'));
    scene.reach(task);
    await scene.no('TooFewJudges', act.draw(task));
    await scene.no('WrongStatus', act.settle(task));
    const { draw_by } = scene.caseOf(task);
    scene.at(draw_by - 1n);
    await scene.no('TooEarly', act.expireCase(task));
    scene.at(draw_by);
    await scene.ok(act.expireCase(task));
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [100n * SOL, 100n * SOL]);
    await scene.no('WrongStatus', act.expireCase(task));
    await scene.no('WrongStatus', act.draw(task));
  });

  test('a case that expires after a void round pays those who voted in it', async () => {
    const scene = await Scene.cast('expire after void', 9);
    const task = await scene.seated();
    await scene.no('WrongStatus', act.expireCase(task));
    await scene.round(task, { j0: ACCEPT, j1: REJECT });
    const { pot } = scene.caseOf(task);
    scene.pass(1_800);
    await scene.ok(act.expireCase(task));
    assert.deepEqual([(await scene.entry('j0')).rewards, (await scene.entry('j1')).rewards], [pot / 2n, pot - pot / 2n]);
    assert.equal(scene.caseOf(task).round, 2);
  });

  test('all revealed: settled at once', async () => {
    const scene = await Scene.cast('early settle', 7);
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.commits(task, all(names, ACCEPT));
    await scene.no('NotYetSettleable', act.settle(task));
    await scene.reveals(task, all(names.slice(0, 6), ACCEPT));
    await scene.no('NotYetSettleable', act.settle(task));
    await scene.reveals(task, all(names.slice(6), ACCEPT));
    await scene.ok(act.settle(task));
    assert.ok(scene.time < scene.caseOf(task).reveal_ends);
  });

  test('two cases of one roster are settled apart', async () => {
    const scene = await Scene.cast('two cases', 7);
    const [one, two] = [await scene.contested(), await scene.contested({}, 'carol', 'bob')];
    await scene.draw(one);
    await scene.draw(two);
    assert.deepEqual([(await scene.entry('j0')).live, (await scene.entry('j0')).locked], [2, 2n * SOL]);
    await scene.round(one, { j0: ACCEPT });
    assert.equal(scene.roster().pots, scene.caseOf(one).pot);
    await scene.ok(act.settle(two));
    assert.equal(scene.roster().pots, scene.caseOf(one).pot + scene.caseOf(two).pot);
    assert.deepEqual([(await scene.entry('j0')).live, (await scene.entry('j0')).seated], [0, 2]);
  });

  test('the abstention quota is spent at last', async () => {
    const scene = await Scene.cast('quota', 7, { abstain_free: 1, abstain_bps: 0 });
    for (const stake of [SOL, SOL - SOL / 200n]) {
      const task = await scene.seated();
      await scene.round(task, { ...all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT), j6: ABSTAIN });
      assert.equal((await scene.entry('j6')).stake, stake);
      if (stake === SOL) continue;
      scene.advance(600);
      await scene.ok(act.topUp('j6', SOL / 200n));
    }
  });
});

describe('closing', () => {
  test('a task without a case at once, to its creator', async () => {
    const scene = await Scene.cast('close task');
    const task = await scene.created();
    await scene.no('WrongStatus', act.closeTask(task));
    await scene.ok(act.cancel(task));
    const before = await scene.balance('alice');
    await scene.ok(act.closeTask(task));
    assert.equal(await scene.balance('alice') - before, scene.rent(448));
    assert.equal(scene.raw(task.address), null);
  });

  test('a judged task and its case when the time for evidence is over', async () => {
    const scene = await Scene.cast('close case', 7);
    const task = await scene.seated();
    await scene.no('WrongStatus', act.closeCase(task));
    await scene.round(task, all(scene.panel(task), ACCEPT));
    scene.pass(86_399);
    await scene.no('TooEarly', act.closeTask(task));
    await scene.no('TooEarly', act.closeCase(task));
    scene.pass(1);
    const before = await scene.balance('bob');
    await scene.ok(act.closeTask(task));
    await scene.ok(act.closeCase(task));
    assert.equal(await scene.balance('bob') - before, scene.rent(2_960));
  });

  test('gifts go with the account', async () => {
    const scene = await Scene.cast('close with gift');
    const task = await scene.created();
    await scene.ok(act.cancel(task));
    const account = scene.raw(task.address);
    scene.set({ ...account, lamports: account.lamports + SOL });
    scene.strays.set(task.address, SOL);
    await scene.ok(act.closeTask(task));
  });
});
