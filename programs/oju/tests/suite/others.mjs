// Disputes of others, without a task (docs/protocol.md, open_dispute).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { ACCEPT, REJECT, Scene, all } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

const ABSTAIN = 3;
const FEE = 7_000_000n;

async function cast(name, params = {}) {
  const scene = await Scene.cast(name, 7, params);
  for (const person of ['claire', 'rex', 'paula']) await scene.fund(person, 10n * SOL);
  return scene;
}

/** A dispute whose panel of seven sits. */
async function seated(scene, dispute, terms = {}) {
  await scene.ok(act.openDispute(dispute, { seats: 7, ...terms }));
  scene.pass(28_800);
  await scene.ok(act.openCase(dispute, 'paula'));
  await scene.draw(dispute);
}

async function votes(scene, dispute, choice) {
  const panel = scene.panel(dispute);
  await scene.commits(dispute, all(panel, choice));
  scene.endCommits(dispute);
  await scene.reveals(dispute, all(panel, choice));
  return scene.ok(act.settleDispute(dispute));
}

const verdictOf = async (scene, dispute) => scene.get((await act.verdictAt(dispute.address)).address);

describe('a dispute of others', () => {
  for (const [choice, verdict] of [[ACCEPT, 1], [REJECT, 2], [ABSTAIN, 3]]) {
    test(`ends with ${verdict}, and the fee is the court's`, async () => {
      const scene = await cast(`others ${choice}`);
      const dispute = await act.brought('claire', 'rex');
      await seated(scene, dispute);
      const before = scene.roster().total_rewards + scene.pot().golden;
      await votes(scene, dispute, choice);
      if (verdict === 3) {
        await scene.draw(dispute);
        await votes(scene, dispute, choice);
      }
      assert.equal(scene.roster().total_rewards + scene.pot().golden - before, FEE);
      const told = await verdictOf(scene, dispute);
      assert.deepEqual([told.is_final, told.verdict, told.joined, told.reward], [1, verdict, 1, SOL]);
      await scene.no('WrongStatus', act.settleDispute(dispute));
      scene.pass(86_400);
      await scene.ok(act.closeCase(dispute, 'paula'));
      await scene.ok(act.closeTask(dispute, 'claire'));
      await scene.no('AlreadyExists', act.openDispute(dispute, { seats: 7 })); // nobody brings it twice
    });
  }

  test('is answered by its respondent alone, in time and once', async () => {
    const scene = await cast('others joined');
    const dispute = await act.brought('claire', 'rex');
    dispute.payer = 'paula';
    await scene.ok(act.openDispute(dispute));
    await scene.no('TooEarly', act.openCase(dispute, 'paula'));
    await scene.no('NotCreator', act.joinDispute(dispute, 'answer', 'claire'));
    await scene.no('MissingHash', act.joinDispute(dispute, null));
    assert.ok((await scene.trial(act.joinDispute(dispute))).ok);
    scene.pass(28_800);
    await scene.no('TooLate', act.joinDispute(dispute));
    const other = await act.brought('claire', 'rex', 'other terms');
    await scene.ok(act.openDispute(other, { seats: 7 }));
    await scene.ok(act.joinDispute(other));
    await scene.no('WrongStatus', act.joinDispute(other, 'once more'));
    await scene.ok(act.openCase(other, 'paula'));
    await scene.draw(other);
    await votes(scene, other, REJECT);
    assert.deepEqual([(await verdictOf(scene, other)).joined, scene.taskOf(other).dispute], [2, 2]);
  });

  test('has lawful terms, parties that differ, and judges for them', async () => {
    const scene = await cast('others terms', { cover_bps: 500 });
    const dispute = await act.brought('claire', 'rex');
    const most = 7n * SOL / 20n;
    const refused = async (code, changes) => scene.no(code, act.openDispute(dispute, { amount: most, ...changes }));
    await refused('NotCovered', { amount: most + 1n });
    await refused('BadReward', { amount: 1n });
    for (const seats of [6, 8, 29]) await refused('BadTerm', { seats });
    await refused('MissingHash', { claim_hash: '00'.repeat(32) });
    await scene.no('OwnTask', act.openDispute(await act.brought('claire', 'claire'), { amount: most }));
    await scene.no('TooFewImpartial', act.openDispute(await act.brought('claire', 'j0'), { amount: most }));
    await scene.ok(scene.pause(1));
    await refused('Paused', {});
    await scene.ok(scene.pause(0));
    await scene.ok(act.openDispute(dispute, { amount: most }));
    await scene.no('AlreadyExists', act.openDispute(dispute, { amount: most }));
  });

  test('gives the fee back if no judge was ever drawn', async () => {
    const scene = await cast('others undrawn');
    const dispute = await act.brought('claire', 'rex');
    dispute.payer = 'paula';
    await scene.ok(act.openDispute(dispute));
    scene.pass(28_800);
    await scene.ok(act.openCase(dispute, 'rex'));
    await scene.no('TooEarly', act.settleDispute(dispute));
    scene.pass(1_800);
    const { events } = await scene.ok(act.settleDispute(dispute));
    assert.equal(events.find(({ event }) => event === 'Paid').amount, 28_000_000n);
    assert.deepEqual([(await verdictOf(scene, dispute)).verdict, scene.taskOf(dispute).status], [3, 11]);
  });
});
