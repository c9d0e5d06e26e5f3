// A story that uses every instruction.

import * as act from './act.mjs';
import { NOBODY } from './bytes.mjs';
import { Coin, TOKEN } from './coin.mjs';
import { Batch, admit, allow, challenge, expel } from './golden.mjs';
import { ACCEPT, REJECT, all } from './scene.mjs';
import { SOL, wallet } from './world.mjs';

/** Everything that can be done, once at least. */
export async function everything(scene) {
  for (const name of ['alice', 'bob']) await scene.agent(name);
  await scene.judges(15);
  await scene.ok(act.topUp('j0', 1n));
  await scene.ok(act.updateAgent('alice'));
  await scene.agent('eve', { operator: 'olga' });
  await scene.ok(act.updateAgent('eve', { operator: 'oscar' }));
  await scene.judge('hot', { operator: 'oscar', cold: 'cold' });
  await scene.season();
  for (const name of ['cold', 'safe']) await scene.fund(name, SOL);
  await scene.ok(act.withdraw('alice', 1n));
  const coin = new Coin(scene, 'usd', TOKEN);
  await coin.cast('alice');
  await scene.ok(coin.withdraw('alice', 1n));
  await scene.ok(scene.idle());
  await scene.ok(scene.announce());
  await scene.ok(scene.takeBack());
  await scene.ok(act.propose(scene.authority, 'next'));
  await scene.fund('next', SOL);
  scene.authority = await wallet('next');
  await scene.ok(act.take('next'));
  await scene.ok(act.admit(scene.authority, 'gone'));
  await scene.ok(act.expel(scene.authority, 'gone'));
  await scene.ok(scene.announce());
  const left = await scene.claimed();
  await scene.ok(act.release(left));
  const paid = await scene.claimed();
  await scene.ok(act.write('alice', 'notes', { text: 'hello' }));
  await scene.ok(act.write('alice', 'notes', { text: 'hello again' }));
  await scene.ok(act.grant('alice', 'notes', paid, NOBODY, 3));
  await scene.ok(act.revoke('alice', 'notes', paid, NOBODY));
  await scene.ok(act.closeData('alice', 'notes'));
  for (const step of [act.start, act.submit, act.object, act.rework]) await scene.ok(step(paid));
  for (const step of [act.submit, act.accept]) await scene.ok(step(paid));
  await scene.ok(act.cancel(await scene.created()));
  const missed = await scene.claimed();
  scene.pass(3_600);
  await scene.ok(act.expire(missed));
  const unclaimed = await scene.created({ claim_by: scene.time + 1n });
  scene.pass(1);
  await scene.ok(act.expire(unclaimed));
  const expired = await scene.contested();
  scene.pass(1_800);
  await scene.ok(act.expireCase(expired));
  await scene.agent('engineer');
  await scene.fund('carol', SOL);
  const decided = await scene.contested(await act.engineTerms());
  await scene.says(decided, ACCEPT);
  await scene.ok(act.settleByEngine(decided));
  const silent = await scene.contested(await act.engineTerms());
  scene.pass(600);
  await scene.ok(act.openCase(silent));
  const brought = await act.brought('carol', 'bob');
  brought.payer = 'alice';
  await scene.ok(act.openDispute(brought, { seats: 7 }));
  await scene.ok(act.joinDispute(brought));
  await scene.ok(act.openCase(brought));
  await scene.draw(brought);
  scene.endRound(brought);
  await scene.ok(act.settleDispute(brought));
  const judged = await scene.seated();
  await scene.ok(act.relay(judged, 1, 'j0', ACCEPT));
  await scene.commits(judged, all(scene.panel(judged).filter((name) => name !== 'j0'), ACCEPT));
  await scene.reveals(judged, all(scene.panel(judged), ACCEPT));
  await scene.ok(act.settle(judged));
  const [appealed, waived] = [await scene.seated({ seats: 7 }), await scene.seated({ seats: 7 })];
  for (const task of [appealed, waived]) await scene.round(task, all(scene.panel(task), ACCEPT));
  await scene.ok(act.appeal(appealed, 'alice'));
  await scene.draw(appealed);
  await scene.round(appealed, all(scene.panel(appealed), ACCEPT));
  scene.pass(3_600);
  await scene.ok(act.finish(waived));
  await scene.ok(act.publish(judged));
  await goldens(scene);
  await scene.ok(act.slash(judged, scene.panel(judged).indexOf('j1'), act.evidence(judged, 1, 'j1')));
  await scene.ok(act.pull('alice', 'bob', 5n, scene.time + 60n));
  await scene.ok(act.pull('alice', 'bob', 9n, scene.time + 60n));
  await scene.ok(act.claimReward('j0'));
  await scene.ok(act.claimReward('hot', { cold: 'cold', to: 'safe' }));
  await scene.ok(act.changeWithdraw('hot', 'safe', 'cold'));
  await scene.ok(act.beginExit('j2'));
  scene.pass(172_800);
  await scene.released('j2');
  await scene.ok(act.withdrawStake('j2'));
  await scene.ok(act.closeCase(judged));
  await scene.ok(act.closeCase(appealed, 'bob', 'alice'));
  await scene.ok(act.closeTask(judged));
  await coin.cast('bob');
  const promised = await scene.created();
  await scene.ok(coin.pledge(promised, 5n));
  await scene.claim(promised, 'bob');
  for (const step of [act.start, act.submit, act.accept]) await scene.ok(step(promised));
  await scene.ok(coin.pay(promised, 'bob'));
  await scene.ok({ name: 'open_court', accounts: { authority: scene.authority } });
  await scene.ok({ name: 'give_up', accounts: { authority: scene.authority } });
}

/** A batch that is applied, and one with a leaf that two cases find false; its proctor appeals the first. */
async function goldens(scene) {
  await scene.fund('pat', 100n * SOL);
  for (const step of [admit, expel, admit]) await scene.ok(step(scene.authority, 'pat'));
  allow(scene, 4, SOL);
  for (const honest of [true, false]) {
    const batch = await Batch.of(scene, [ACCEPT, REJECT]);
    await scene.ok(batch.commit());
    for (const [i, answer] of [ACCEPT, REJECT].entries()) await batch.judged(i, (panel) => all(panel, answer));
    for (const i of [0, 1]) await scene.ok(batch.open(i));
    if (honest) {
      scene.pass(14_400);
      for (const i of [0, 1]) await scene.ok(batch.apply(i));
      await scene.ok(batch.close());
    } else {
      const few = await challenge(batch, 0, { vote: ACCEPT, terms: { seats: 7 } });
      await scene.ok(batch.appeal(0, few));
      await scene.ok(batch.uphold(0, await challenge(batch, 0, { vote: ACCEPT })));
    }
  }
}
