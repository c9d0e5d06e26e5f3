// Commitments that others bring to the chain.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NO_HASH } from '../lib/bytes.mjs';
import { ed25519 } from '../lib/call.mjs';
import { digest } from '../lib/court.mjs';
import { ACCEPT, REJECT, Scene, all } from '../lib/scene.mjs';

describe('relay_commit', () => {
  test('is a commit that nobody but the payer signs, and is revealed like one', async () => {
    const scene = await Scene.cast('relay', 7);
    const task = await scene.contested();
    await scene.no('NotSeated', act.relay(task, 1, 'j0', ACCEPT));
    await scene.draw(task);
    const { events } = await scene.ok(act.relay(task, 1, 'j0', ACCEPT));
    assert.deepEqual(events.map(({ event, judge }) => [event, judge]), [['Committed', await act.key('j0')]]);
    await scene.no('AlreadyCommitted', act.relay(task, 1, 'j0', ACCEPT));
    await scene.no('AlreadyCommitted', act.commit(task, 1, 'j0', ACCEPT));
    await scene.ok(act.relay(task, 1, 'j1', REJECT, { sealed: 0 }));
    await scene.ok(act.commit(task, 1, 'j2', ACCEPT));
    await scene.no('AlreadyCommitted', act.relay(task, 1, 'j2', ACCEPT));
    scene.pass(419);
    assert.ok((await scene.trial(act.relay(task, 1, 'j3', ACCEPT))).ok);
    scene.pass(1);
    await scene.no('TooLate', act.relay(task, 1, 'j3', ACCEPT));
    await scene.reveals(task, { j0: ACCEPT, j1: REJECT });
    await scene.no('WrongStatus', act.relay(task, 1, 'j3', ACCEPT));
  });

  test('the last one begins the reveal', async () => {
    const scene = await Scene.cast('last relay', 7);
    const task = await scene.seated();
    const names = scene.panel(task);
    await scene.commits(task, all(names.slice(0, 6), ACCEPT));
    await scene.ok(act.relay(task, 1, names[6], ACCEPT));
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.committed, found.commit_ends], [3, 7, scene.time]);
  });

  test('is held to what a commit is held to', async () => {
    const scene = await Scene.cast('relay arguments', 7);
    const task = await scene.seated();
    await scene.no('NotSeated', act.relay(task, 1, 'alice', ACCEPT));
    await scene.no('WrongRound', act.relay(task, 2, 'j0', ACCEPT));
    await scene.no('MissingHash', act.relay(task, 1, 'j0', ACCEPT, { hash: NO_HASH }));
    for (const sealed of [1, 92, 94]) await scene.no('BadSealed', act.relay(task, 1, 'j0', ACCEPT, { sealed }));
    await scene.ok(act.slash(task, scene.panel(task).indexOf('j0'), act.evidence(task, 1, 'j0')));
    await scene.no('Equivocated', act.relay(task, 1, 'j0', ACCEPT));
  });

  test('is not taken for who has left', async () => {
    const scene = await Scene.cast('relay for who has left', 7);
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), ACCEPT));
    await scene.ok(act.beginExit('j1'));
    scene.pass(172_800);
    await scene.released('j1');
    await scene.ok(act.withdrawStake('j1'));
    await scene.no('NotOnRoster', act.relay(task, 1, 'j1', ACCEPT));
  });

  test('needs the request of that judge\'s node for just this, and nothing else', async () => {
    const scene = await Scene.cast('bad relay', 7);
    const task = await scene.seated();
    const other = await scene.created();
    const good = await act.relay(task, 1, 'j0', ACCEPT);
    const changed = async (changes) => ed25519([await act.asked(good.args, task, 'j0', changes)]);
    const request = await act.asked(good.args, task, 'j0');
    const requests = {
      none: null,
      'no signature': ed25519([]),
      'another node': await changed({ node: 'j1' }),
      'another network': await changed({ network: digest('testnet') }),
      'another program': await changed({ program: await act.key('x') }),
      'another task': await changed({ task: other.address }),
      'another round': await changed({ round: 2 }),
      'another judge': await changed({ judge: await act.key('j1') }),
      'another commitment': await changed({ commitment: digest('x') }),
      'another sealed opening': await changed({ sealed: new Uint8Array(93) }),
      'no sealed opening': await changed({ sealed: new Uint8Array() }),
      'a statement': ed25519([await act.said(task, 1, 'j0', 'one')]),
      'a longer message': ed25519([await act.longer(request, 'j0')]),
      'two signatures': ed25519([request, await act.said(task, 1, 'j0', 'one')]),
      'twice the same': ed25519([request, request]),
      'not the Ed25519 program': scene.instruction(scene.idle()),
    };
    for (const [what, before] of Object.entries(requests)) {
      const result = await scene.call(act.relay(task, 1, 'j0', ACCEPT, { before }));
      assert.equal(result.failed, 'BadRelay', what);
    }
    for (const at of [[0, 0xffff, 0xffff], [0xffff, 0, 0xffff], [0xffff, 0xffff, 0]]) {
      await scene.no('BadRelay', act.relay(task, 1, 'j0', ACCEPT, { before: ed25519([request], at) }));
    }
    await scene.ok(good);
  });

  test('a statement of the commitment itself is no request', async () => {
    const scene = await Scene.cast('statement as request', 7);
    const task = await scene.seated();
    const { args } = await act.relay(task, 1, 'j0', ACCEPT);
    const before = ed25519([await act.stated(args, task, 'j0')]);
    await scene.no('BadRelay', act.relay(task, 1, 'j0', ACCEPT, { before }));
  });
});
