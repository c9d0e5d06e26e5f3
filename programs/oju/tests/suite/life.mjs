// Whole cases, in all endings, to the lamport.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NOBODY } from '../lib/bytes.mjs';
import { ABSTAIN, ACCEPT, CREATORS, EARNED, PAY, REJECT, RESERVED, Scene, WITHHELD, WORKERS, all } from '../lib/scene.mjs';
import { SOL, nameOf } from '../lib/world.mjs';

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
  test('19 of 28 pay the worker; each vote earns the same, and the golden pot gets the rest', async () => {
    const scene = await Scene.cast('verdict accept', 28);
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.round(task, { ...all(names.slice(0, 19), ACCEPT), ...all(names.slice(19), REJECT) });
    assert.equal(scene.caseOf(task).verdict, ACCEPT);
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [99n * SOL - CREATORS, 100n * SOL + EARNED]);
    const entries = await Promise.all(names.map((name) => scene.entry(name)));
    assert.ok(entries.every(({ stake, rewards }) => stake === SOL && rewards === PAY));
    assert.equal(scene.pot().golden, CREATORS - 28n * PAY + SOL / 200n);
    assert.deepEqual([(await scene.agentOf('bob')).cases_won, (await scene.agentOf('alice')).cases_lost], [1, 1]);
    const { outcome, resolution, status } = scene.taskOf(task);
    assert.deepEqual([status, outcome, resolution], [8, 1, 4]);
  });

  test('18 of 28 do not, and are the majority all the same', async () => {
    const scene = await Scene.cast('verdict reject', 28);
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.round(task, { ...all(names.slice(0, 18), ACCEPT), ...all(names.slice(18), REJECT) });
    assert.equal(scene.caseOf(task).verdict, REJECT);
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [100n * SOL, 100n * SOL - WORKERS]);
    assert.equal((await scene.entry(names[0])).stake, SOL);
    assert.deepEqual([(await scene.entry(names[0])).majority, (await scene.entry(names[27])).minority], [1, 1]);
  });

  test('preset seed: a clear majority shares what the loser and the minority lose', async () => {
    const scene = await Scene.cast('preset seed', 9, { preset: 2, minority: 7 });
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.round(task, { ...all(names.slice(0, 7), ACCEPT), ...all(names.slice(7), REJECT) });
    const entries = await Promise.all(names.map((name) => scene.entry(name)));
    assert.deepEqual(entries.slice(7).map(({ stake, rewards }) => [stake, rewards]), Array(2).fill([SOL - 7n * PAY, 0n]));
    assert.equal(entries.reduce((sum, { rewards }) => sum + rewards, 0n), CREATORS + 14n * PAY);
    assert.equal(scene.pot().golden, SOL / 200n);
  });

  test('who never commits loses two pays, who withholds a vote forty, who abstains nothing', async () => {
    const scene = await Scene.cast('absent', 9);
    const task = await scene.seated();
    await scene.commits(task, { ...all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT), j6: ABSTAIN, j7: ACCEPT });
    scene.endCommits(task);
    await scene.reveals(task, { ...all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT), j6: ABSTAIN });
    await scene.no('NotYetSettleable', act.settle(task));
    scene.endRound(task);
    await scene.ok(act.settle(task));
    const stakes = await Promise.all(['j5', 'j6', 'j7', 'j8'].map(async (name) => (await scene.entry(name)).stake));
    assert.deepEqual(stakes, [SOL, SOL, SOL - WITHHELD, SOL - 2n * PAY]);
    await scene.no('WrongStatus', act.settle(task));
  });

  test('a void round draws again, and what was slashed goes to the golden pot', async () => {
    const scene = await Scene.cast('void', 9, {}, 2n * SOL);
    const task = await scene.seated();
    await scene.round(task, { j0: ACCEPT, j1: ACCEPT, j2: REJECT, j3: ABSTAIN });
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.round, found.verdict], [1, 2, 0]);
    assert.deepEqual([scene.pot().golden, scene.roster().total_rewards], [5n * 2n * PAY, 0n]);
    assert.deepEqual([found.seed_slot, found.draw_by], [scene.slot + 2n, scene.time + 1_800n]);
    await scene.draw(task);
    assert.deepEqual([scene.caseOf(task).panel[0].flags, scene.caseOf(task).accept_weight], [0, 0n]);
    await scene.no('WrongRound', act.commit(task, 1, 'j0', ACCEPT));
    await scene.round(task, all(scene.panel(task), REJECT));
    assert.equal(scene.caseOf(task).verdict, REJECT);
    assert.equal(scene.roster().total_rewards, 9n * PAY);
  });

  test('abstentions are a quorum, but not alone', async () => {
    const scene = await Scene.cast('abstain', 7);
    for (const [sides, verdict] of [[3, 0], [4, ACCEPT]]) {
      const task = await scene.seated();
      const names = scene.panel(task);
      await scene.round(task, { ...all(names.slice(0, sides), ACCEPT), ...all(names.slice(sides), ABSTAIN) });
      assert.equal(scene.caseOf(task).verdict, verdict);
    }
  });

  for (const [term, name, alice, bob] of [
    [1, 'refund', 100n * SOL - CREATORS, 100n * SOL], [2, 'pay', 99n * SOL, 100n * SOL + EARNED - WORKERS],
    [3, 'split', 99n * SOL + SOL / 2n + 1n - CREATORS / 2n, 100n * SOL + EARNED / 2n - WORKERS / 2n],
  ]) {
    test(`undecided after two rounds, and who profits pays: ${name}`, async () => {
      const scene = await Scene.cast(`undecided ${name}`, 7, {}, 2n * SOL);
      const odd = term === 3 ? 1n : 0n;
      const task = await scene.contested({ on_undecided: term, reward_min: SOL + odd, reward_max: SOL + odd });
      for (let round = 1; round <= 2; round++) {
        await scene.draw(task);
        const names = scene.panel(task);
        await scene.round(task, { [names[0]]: ACCEPT, [names[1]]: REJECT, [names[2]]: ABSTAIN });
      }
      const found = scene.caseOf(task);
      assert.deepEqual([found.status, found.round, found.verdict], [5, 2, 3]);
      assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [alice - odd, bob]);
      assert.equal(scene.taskOf(task).status, 11);
      assert.equal(scene.roster().total_rewards, 2n * PAY);
    });
  }

  for (const [on_undecided, bps, told] of [
    [1, 1_000, ['alice 2', 'bob 3', 'bob 6']], [2, 1_000, ['bob 1', 'pot 5', 'alice 3', 'bob 6']],
    [3, 1_000, ['bob 1', 'pot 5', 'alice 2', 'bob 3', 'alice 3', 'bob 6']], [3, 0, ['bob 1', 'pot 5', 'alice 2', 'bob 6']],
  ]) {
    test(`payments are told in order, those of nothing not at all: term ${on_undecided}, bonds ${bps}`, async () => {
      const changes = { max_rounds: 1, creator_bps: bps, worker_bps: bps, fee_min: 0n, fee_bps: 0 };
      const scene = await Scene.cast(`paid ${on_undecided} ${bps}`, 7, changes);
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

  test('a judge sits until what is free does not cover a seat', async () => {
    const scene = await Scene.cast('slashed below', 8, { fee_min: SOL / 40n, absence: 40, risk_bps: 5_000 });
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task).filter((name) => name !== 'j5'), ACCEPT));
    assert.equal((await scene.entry('j5')).stake, SOL / 2n);
    for (const name of ['j0', 'j1', 'j2', 'j3', 'j4', 'j6', 'j7']) await scene.ok(act.topUp(name, SOL * 9n / 10n));
    const again = await scene.seated();
    assert.ok(scene.panel(again).includes('j5'));
    const next = await scene.seated();
    assert.ok(scene.panel(next).includes('j5'), 'all of it is reserved');
    const last = await scene.seated();
    assert.ok(!scene.panel(last).includes('j5'), 'nothing is free');
    await scene.round(last, all(scene.panel(last), ACCEPT));
    scene.advance(600);
    await scene.ok(act.topUp('j5', SOL / 2n));
    scene.advance(1);
    assert.ok(scene.panel(await scene.seated()).includes('j5'));
  });

  test('when nobody votes at all, what was slashed and lost is the golden pot\'s', async () => {
    const scene = await Scene.cast('nobody votes', 7, { max_rounds: 1 });
    const task = await scene.seated();
    scene.pass(419);
    await scene.no('NotYetSettleable', act.settle(task));
    scene.pass(1);
    await scene.ok(act.settle(task));
    assert.equal(scene.roster().total_rewards, 0n);
    assert.equal(scene.pot().golden, 7n * 2n * PAY + (CREATORS + WORKERS) / 2n + SOL / 400n);
  });

  test('a case that cannot be drawn in time ends by the task\'s term', async () => {
    const scene = await Scene.cast('expire case', 7);
    const other = await scene.seated();
    const [alice, bob] = [await scene.vault('alice'), await scene.vault('bob')];
    const task = await scene.contested({ on_undecided: 1 });
    await scene.ok(act.slash(other, scene.panel(other).indexOf('j6'), act.evidence(other, 1, 'j6')));
    scene.reach(task);
    await scene.no('TooFewJudges', act.draw(task));
    await scene.no('WrongStatus', act.settle(task));
    const { draw_by } = scene.caseOf(task);
    scene.at(draw_by - 1n);
    await scene.no('TooEarly', act.expireCase(task));
    scene.at(draw_by);
    await scene.ok(act.expireCase(task));
    assert.deepEqual([await scene.vault('alice'), await scene.vault('bob')], [alice - CREATORS, bob]);
    await scene.no('WrongStatus', act.expireCase(task));
    await scene.no('WrongStatus', act.draw(task));
  });

  test('a case that expires after a void round pays those who voted in it', async () => {
    const scene = await Scene.cast('expire after void', 9);
    const task = await scene.seated();
    await scene.no('WrongStatus', act.expireCase(task));
    await scene.round(task, { j0: ACCEPT, j1: REJECT });
    scene.pass(1_800);
    await scene.ok(act.expireCase(task));
    assert.deepEqual([(await scene.entry('j0')).rewards, (await scene.entry('j1')).rewards], [PAY, PAY]);
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
    assert.deepEqual([(await scene.entry('j0')).live, (await scene.entry('j0')).locked], [2, 2n * RESERVED]);
    await scene.round(one, { j0: ACCEPT });
    assert.deepEqual([(await scene.entry('j0')).live, (await scene.entry('j0')).locked], [1, RESERVED]);
    await scene.ok(act.settle(two));
    assert.equal(scene.pot().golden, 6n * 2n * PAY + 7n * 2n * PAY);
    assert.deepEqual([(await scene.entry('j0')).live, (await scene.entry('j0')).seated], [0, 2]);
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
    assert.equal(await scene.balance('alice') - before, scene.rent(600));
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
    assert.equal(await scene.balance('bob') - before, scene.rent(360 + 96 * 28));
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
