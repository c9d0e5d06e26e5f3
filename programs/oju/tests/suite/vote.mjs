// Commit and reveal.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NO_HASH } from '../lib/bytes.mjs';
import { digest } from '../lib/court.mjs';
import { ABSTAIN, ACCEPT, REJECT, Scene, all } from '../lib/scene.mjs';

describe('commit', () => {
  test('is the seated judge\'s, once, in time', async () => {
    const scene = await Scene.cast('commit', 7);
    const task = await scene.contested();
    await scene.no('NotSeated', act.commit(task, 1, 'j0', ACCEPT));
    await scene.draw(task);
    await scene.no('NotSeated', act.commit(task, 1, 'alice', ACCEPT));
    await scene.no('WrongRound', act.commit(task, 2, 'j0', ACCEPT));
    await scene.no('MissingHash', act.commit(task, 1, 'j0', ACCEPT, { hash: NO_HASH }));
    for (const sealed of [1, 92, 94]) await scene.no('BadSealed', act.commit(task, 1, 'j0', ACCEPT, { sealed }));
    await scene.ok(act.commit(task, 1, 'j0', ACCEPT));
    await scene.no('AlreadyCommitted', act.commit(task, 1, 'j0', REJECT));
    await scene.ok(act.commit(task, 1, 'j1', ACCEPT, { sealed: 0 }));
    scene.pass(419);
    assert.ok((await scene.trial(act.commit(task, 1, 'j2', ACCEPT))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.commit(task, 1, 'j2', ACCEPT));
  });

  test('the last one begins the reveal', async () => {
    const scene = await Scene.cast('last commit', 7);
    const task = await scene.seated();
    const names = scene.panel(task);
    scene.pass(100);
    await scene.commits(task, all(names.slice(0, 6), ACCEPT));
    await scene.no('TooEarly', act.reveal(task, 1, names[0], ACCEPT));
    await scene.commits(task, all(names.slice(6), REJECT));
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.commit_ends, found.reveal_ends], [3, scene.time, scene.time + 180n]);
    await scene.no('WrongStatus', act.commit(task, 1, names[0], ACCEPT));
    await scene.ok(act.reveal(task, 1, names[0], ACCEPT));
  });
});

describe('reveal', () => {
  test('is taken from the end of the commits to the end of the reveals', async () => {
    const scene = await Scene.cast('reveal times', 7);
    const task = await scene.contested();
    await scene.no('WrongStatus', act.reveal(task, 1, 'j0', ACCEPT));
    await scene.draw(task);
    await scene.commits(task, { j0: ACCEPT, j1: REJECT, j2: ABSTAIN });
    scene.pass(419);
    await scene.no('TooEarly', act.reveal(task, 1, 'j0', ACCEPT));
    scene.pass(1);
    await scene.ok(act.reveal(task, 1, 'j0', ACCEPT));
    assert.equal(scene.caseOf(task).status, 3);
    await scene.no('WrongStatus', act.commit(task, 1, 'j3', ACCEPT));
    scene.pass(179);
    assert.ok((await scene.trial(act.reveal(task, 1, 'j1', REJECT))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.reveal(task, 1, 'j1', REJECT));
  });

  test('has to open the commitment of that seat in that round', async () => {
    const scene = await Scene.cast('reveal opening', 7);
    const task = await scene.seated();
    await scene.commits(task, { j0: ACCEPT, j1: REJECT });
    scene.endCommits(task);
    const wrong = [
      { opinion_hash: digest('other') }, { receipts_root: digest('other') }, { salt: digest('other') }, { choice: REJECT },
    ];
    for (const changes of wrong) await scene.no('WrongOpening', act.reveal(task, 1, 'j0', ACCEPT, changes));
    for (const choice of [0, 4, 255]) await scene.no('BadChoice', act.reveal(task, 1, 'j0', choice));
    await scene.no('WrongOpening', act.reveal(task, 1, 'j0', ACCEPT, { judge: await act.key('j1') }));
    await scene.no('WrongRound', act.reveal(task, 2, 'j0', ACCEPT));
    await scene.no('NotSeated', act.reveal(task, 1, 'alice', ACCEPT));
    await scene.no('NotCommitted', act.reveal(task, 1, 'j2', ACCEPT));
    await scene.ok(act.reveal(task, 1, 'j0', ACCEPT));
    await scene.no('AlreadyRevealed', act.reveal(task, 1, 'j0', ACCEPT));
    const { accept_weight, reject_weight, revealed } = scene.caseOf(task);
    assert.deepEqual([accept_weight, reject_weight, revealed], [1_000_000_000n, 0n, 1]);
  });

  test('a choice that does not exist can be committed but not revealed', async () => {
    const scene = await Scene.cast('bad choice', 7);
    const task = await scene.seated();
    await scene.ok(act.commit(task, 1, 'j0', 4));
    scene.endCommits(task);
    await scene.no('BadChoice', act.reveal(task, 1, 'j0', 4));
  });
});
