// Equivocation: two statements of one judge for one round.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { ed25519 } from '../lib/call.mjs';
import { digest } from '../lib/court.mjs';
import { ACCEPT, CREATORS, PAY, REJECT, Scene, all } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

const seatOf = (scene, task, name) => scene.panel(task).indexOf(name);
const slash = (scene, task, round, name, changes) =>
  act.slash(task, seatOf(scene, task, name), act.evidence(task, round, name, changes));

describe('slash_equivocation', () => {
  test('takes the stake into the golden pot, and the vote from the tally', async () => {
    const scene = await Scene.cast('slash in the round', 8);
    const task = await scene.seated();
    await scene.commits(task, { j0: ACCEPT, j1: ACCEPT });
    await scene.ok(slash(scene, task, 1, 'j2'));
    await scene.no('Equivocated', slash(scene, task, 1, 'j2'));
    await scene.no('Equivocated', act.commit(task, 1, 'j2', ACCEPT));
    scene.endCommits(task);
    await scene.reveals(task, { j0: ACCEPT });
    await scene.ok(slash(scene, task, 1, 'j0'));
    await scene.ok(slash(scene, task, 1, 'j1'));
    await scene.no('Equivocated', act.reveal(task, 1, 'j1', ACCEPT));
    const found = scene.caseOf(task);
    assert.deepEqual([found.accept_weight, scene.pot().golden], [0n, 3n * SOL]);
    assert.deepEqual([(await scene.entry('j0')).stake, (await scene.entry('j0')).equivocated], [0n, 1]);
    await scene.ok(act.settle(task));
    assert.equal((await scene.entry('j0')).equivocated, 1);
    assert.equal(scene.caseOf(task).panel[seatOf(scene, task, 'j0')].result, 5);
  });

  test('the last seat that could commit having equivocated, the reveal begins', async () => {
    const scene = await Scene.cast('slash begins reveal', 7);
    const task = await scene.seated();
    await scene.commits(task, all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT));
    await scene.ok(slash(scene, task, 1, 'j6'));
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.commit_ends], [3, scene.time]);
    await scene.reveals(task, all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT));
    await scene.ok(act.settle(task));
    assert.equal(scene.caseOf(task).verdict, ACCEPT);
    assert.equal(scene.roster().total_rewards, 6n * PAY);
    assert.equal(scene.pot().golden, SOL + CREATORS - 6n * PAY + SOL / 200n);
  });

  test('after the verdict it is the golden pot\'s, and no other seat gets anything', async () => {
    const scene = await Scene.cast('slash after verdict', 7);
    const task = await scene.seated();
    await scene.round(task, { ...all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT), j6: REJECT });
    const { golden } = scene.pot();
    await scene.ok(slash(scene, task, 1, 'j0'));
    await scene.ok(slash(scene, task, 1, 'j6'));
    assert.equal(scene.caseOf(task).panel[seatOf(scene, task, 'j6')].result, 5);
    for (const name of ['j0', 'j1', 'j6']) assert.equal((await scene.entry(name)).rewards, PAY);
    assert.equal(scene.pot().golden, golden + 2n * SOL);
  });

  test('after a void round its statements name that round', async () => {
    const scene = await Scene.cast('slash after void', 7);
    const task = await scene.seated();
    await scene.round(task, { j0: ACCEPT, j1: REJECT });
    await scene.no('BadEvidence', slash(scene, task, 2, 'j0'));
    await scene.ok(slash(scene, task, 1, 'j0'));
    scene.pass(1_800);
    await scene.ok(act.expireCase(task));
    assert.deepEqual([(await scene.entry('j0')).rewards, (await scene.entry('j1')).rewards], [0n, PAY]);
  });

  test('a case that expired keeps the seats of the round before, and evidence names that round', async () => {
    const scene = await Scene.cast('slash after expiry', 7);
    const task = await scene.seated();
    await scene.round(task, { j0: ACCEPT, j1: REJECT });
    scene.pass(1_800);
    await scene.ok(act.expireCase(task));
    await scene.no('BadEvidence', slash(scene, task, 2, 'j0'));
    const { events } = await scene.ok(slash(scene, task, 1, 'j0'));
    assert.deepEqual(events.map(({ event, round }) => [event, round]), [['Slashed', 1]]);
    assert.equal((await scene.entry('j1')).rewards, PAY);
  });

  test('when commits are over the reveal has begun, and its end stays', async () => {
    const scene = await Scene.cast('slash after commits', 7);
    const task = await scene.seated();
    const { commit_ends, reveal_ends } = scene.caseOf(task);
    await scene.commits(task, all(['j0', 'j1', 'j2', 'j3', 'j4', 'j5'], ACCEPT));
    scene.endCommits(task);
    await scene.ok(slash(scene, task, 1, 'j6'));
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.commit_ends, found.reveal_ends], [2, commit_ends, reveal_ends]);
    await scene.reveals(task, { j0: ACCEPT });
    assert.equal(scene.caseOf(task).reveal_ends, reveal_ends);
  });

  test('is part of what the seat lost, and counts as nothing else in the record', async () => {
    const scene = await Scene.cast('slash in the record', 7);
    const task = await scene.seated();
    await scene.ok(slash(scene, task, 1, 'j0'));
    const { events } = await scene.round(task, { j1: ACCEPT, j2: REJECT });
    const record = async (name) => {
      const { seated, majority, minority, abstained, absent, equivocated } = await scene.entry(name);
      return [seated, majority, minority, abstained, absent, equivocated];
    };
    assert.deepEqual(await record('j0'), [1, 0, 0, 0, 0, 1]);
    assert.deepEqual(await record('j1'), [1, 0, 0, 0, 0, 0]);
    assert.deepEqual(await record('j3'), [1, 0, 0, 0, 1, 0]);
    const seat = seatOf(scene, task, 'j0');
    assert.equal(scene.caseOf(task).panel[seat].slashed, SOL);
    const { seats } = events.find(({ event }) => event === 'RoundSettled');
    assert.deepEqual(seats[seat], { result: 5, slashed: 0n, earned: 0n }, 'it was told by Slashed');
    await scene.ok(slash(scene, task, 1, 'j3'));
    assert.equal(scene.caseOf(task).panel[seatOf(scene, task, 'j3')].slashed, SOL);
  });

  test('a judge that has left is not slashed', async () => {
    const scene = await Scene.cast('slash when some have left', 7, { evidence_seconds: 86_400 });
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), ACCEPT));
    await scene.ok(act.beginExit('j1'));
    scene.pass(172_800);
    await scene.released('j1');
    await scene.ok(act.withdrawStake('j1'));
    await scene.judge('new');
    await scene.ok(slash(scene, task, 1, 'j0'));
    assert.equal((await scene.entry('new')).rewards, 0n);
    await scene.no('NotOnRoster', slash(scene, task, 1, 'j1'));
  });

  test('needs two statements of that judge\'s node for that place, and nothing else', async () => {
    const scene = await Scene.cast('bad evidence', 7);
    const task = await scene.contested();
    await scene.no('NotSeated', act.slash(task, 0, act.evidence(task, 1, 'j0')));
    await scene.draw(task);
    const seat = seatOf(scene, task, 'j0');
    const say = (text, changes, round = 1) => act.said(task, round, 'j0', text, changes);
    const [one, two] = [await say('one'), await say('two')];
    const other = await scene.created();
    const pairs = {
      none: null,
      'one signature': ed25519([one]),
      'three signatures': ed25519([one, two, await say('three')]),
      'the same statement twice': ed25519([one, one]),
      'another node': await act.evidence(task, 1, 'j0', { node: 'j1' }),
      'one of another node': ed25519([one, await say('two', { node: 'j1' })]),
      'another judge': await act.evidence(task, 1, 'j1', { node: 'j0' }),
      'another round': await act.evidence(task, 2, 'j0'),
      'one of another round': ed25519([one, await say('two', {}, 2)]),
      'another task': await act.evidence(task, 1, 'j0', { at: other.address }),
      'another network': await act.evidence(task, 1, 'j0', { network: digest('testnet') }),
      'another program': await act.evidence(task, 1, 'j0', { program: await act.key('x') }),
      'a longer message': ed25519([one, await act.longer(one, 'j0')]),
      'not the Ed25519 program': scene.instruction(scene.idle()),
    };
    for (const [what, before] of Object.entries(pairs)) {
      const result = await scene.call(act.slash(task, seat, before));
      assert.equal(result.failed, 'BadEvidence', what);
    }
    for (const at of [[0, 0xffff, 0xffff], [0xffff, 0, 0xffff], [0xffff, 0xffff, 0]]) {
      await scene.no('BadEvidence', act.slash(task, seat, ed25519([one, two], at)));
    }
    await scene.no('NotSeated', act.slash(task, 7, act.evidence(task, 1, 'j0')));
    await scene.no('NotSeated', act.slash(task, 255, act.evidence(task, 1, 'j0')));
    await scene.ok(act.slash(task, seat, ed25519([one, two])));
  });

  test('takes all of the stake, also what was added since', async () => {
    const scene = await Scene.cast('slash weight', 7);
    scene.advance(600);
    const task = await scene.seated();
    await scene.ok(act.topUp('j0', SOL / 2n));
    await scene.ok(slash(scene, task, 1, 'j0'));
    assert.equal((await scene.entry('j0')).stake, 0n);
    assert.equal(scene.pot().golden, SOL + SOL / 2n);
  });
});
