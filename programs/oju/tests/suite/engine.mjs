// Tasks that another program decides (docs/protocol.md, settle_by_engine).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { address } from '../lib/bytes.mjs';
import { ACCEPT, CREATORS, EARNED, REJECT, Scene, WORKERS, all } from '../lib/scene.mjs';
import { PROGRAM, SOL } from '../lib/world.mjs';

const UNDECIDED = 3;
const FEE = 4_000_000n;
const OTHER = address(new Uint8Array(32).fill(12));

async function cast(name) {
  const scene = await Scene.cast(name, 7);
  await scene.agent('engineer');
  await scene.fund('carol', SOL);
  return scene;
}

const vaults = async (scene) => [await scene.vault('alice'), await scene.vault('bob'), await scene.vault('engineer')];

describe('an engine', () => {
  for (const [verdict, on_undecided, creator, worker] of [
    [ACCEPT, 1, 0n, EARNED], [REJECT, 2, SOL, 0n], [UNDECIDED, 1, SOL, 0n], [UNDECIDED, 2, 0n, EARNED],
    [UNDECIDED, 3, SOL / 2n, EARNED / 2n],
  ]) {
    test(`decides ${verdict}, undecided ${on_undecided}: both bonds come back, and who lost pays its fee`, async () => {
      const scene = await cast(`engine ${verdict} ${on_undecided}`);
      const task = await scene.contested(await act.engineTerms({ on_undecided }));
      assert.equal(scene.raw(task.case.address), null);
      const before = await vaults(scene);
      const dues = { [ACCEPT]: [FEE + 1n, 0n], [REJECT]: [0n, FEE + 1n], [UNDECIDED]: [FEE / 2n, FEE / 2n] }[verdict];
      await scene.says(task, verdict);
      await scene.ok(act.settleByEngine(task));
      const after = await vaults(scene);
      assert.deepEqual(after.map((vault, i) => vault - before[i]),
        [creator + CREATORS - dues[0], worker + WORKERS + SOL / 50n - dues[1], dues[0] + dues[1]]);
      await scene.no('WrongStatus', act.settleByEngine(task)); // twice
      await scene.ok(act.closeTask(task));
    });
  }

  test('decides twice, and the first read counts', async () => {
    const scene = await cast('engine twice');
    const task = await scene.contested(await act.engineTerms());
    await scene.says(task, ACCEPT);
    await scene.ok(act.settleByEngine(task));
    await scene.says(task, REJECT);
    await scene.no('WrongStatus', act.settleByEngine(task));
    assert.equal(scene.taskOf(task).outcome, 1);
  });

  test('is not another program, another subject, an open verdict or the court', async () => {
    const scene = await cast('engine others');
    const [task, other] = [await scene.contested(await act.engineTerms()), await scene.contested(await act.engineTerms())];
    await scene.no('WrongOwner', act.settleByEngine(task)); // nothing there
    await scene.says(task, ACCEPT, { owner: OTHER });
    await scene.no('WrongOwner', act.settleByEngine(task));
    await scene.says(task, ACCEPT, { engine: OTHER });
    await scene.no('WrongOwner', act.settleByEngine(task, { engine: OTHER }));
    await scene.says(task, ACCEPT, { subject: other.address });
    await scene.no('WrongAddress', act.settleByEngine(task));
    await scene.says(task, ACCEPT, { is_final: 0 });
    await scene.no('NotFinal', act.settleByEngine(task));
    for (const changes of [{ is_final: 2 }, { verdict: 0 }, { verdict: 4 }]) {
      await scene.says(task, ACCEPT, changes);
      await scene.no('WrongAccount', act.settleByEngine(task));
    }
    await scene.says(task, REJECT);
    await scene.ok(act.settleByEngine(task));
  });

  test('is one group of a program, and no other group of it', async () => {
    const scene = await cast('engine groups');
    const [ours, theirs] = [address(new Uint8Array(32).fill(13)), address(new Uint8Array(32).fill(14))];
    const task = await scene.contested(await act.engineTerms({ engine_group: ours }));
    for (const group of [undefined, theirs]) {
      await scene.says(task, ACCEPT, { group });
      await scene.no('WrongAddress', act.settleByEngine(task, { group }));
    }
    await scene.says(task, REJECT, { group: ours });
    await scene.ok(act.settleByEngine(task, { group: ours }));
    assert.equal(scene.taskOf(task).outcome, 2);
    await scene.no('WrongEngine', act.create(await act.handle('alice', 1n), { engine_group: ours })); // of no program
  });

  test('does not decide a task of the court', async () => {
    const scene = await cast('engine of a court task');
    const task = await scene.contested();
    await scene.says(task, REJECT);
    await scene.no('WrongStatus', act.settleByEngine(task, { paid: null }));
    await scene.no('WrongStatus', act.expire(task));
    await scene.no('AlreadyExists', act.openCase(task));
  });

  test('is silent, and the court takes the task', async () => {
    const scene = await cast('engine silent');
    const task = await scene.contested(await act.engineTerms());
    await scene.no('TooEarly', act.openCase(task));
    scene.pass(600);
    await scene.no('WrongStatus', act.expire(task));
    await scene.says(task, ACCEPT);
    await scene.no('TooLate', act.settleByEngine(task));
    await scene.ok(act.openCase(task));
    await scene.no('WrongStatus', act.settleByEngine(task)); // a late word
    await scene.no('AlreadyExists', act.openCase(task));
    await scene.draw(task);
    await scene.round(task, all(scene.panel(task), REJECT));
    assert.equal(scene.taskOf(task).outcome, 2);
    assert.equal(await scene.vault('engineer'), 100n * SOL);
  });

  test('is silent, and the term decides', async () => {
    const scene = await cast('engine silent term');
    const task = await scene.contested(await act.engineTerms({ on_silence: 1 }));
    const before = await vaults(scene);
    const pot = scene.pot().golden;
    await scene.no('TooEarly', act.expire(task));
    scene.pass(600);
    await scene.no('WrongStatus', act.openCase(task));
    await scene.ok(act.expire(task));
    const after = await vaults(scene);
    assert.deepEqual(after.map((vault, i) => vault - before[i]),
      [SOL / 2n + CREATORS / 2n, EARNED / 2n + WORKERS / 2n + SOL / 50n, 0n]);
    assert.equal(scene.pot().golden - pot, SOL / 400n + CREATORS / 2n + WORKERS / 2n);
  });

  for (const [on_undecided, parts] of [[1, [SOL, WORKERS + SOL / 50n]], [2, [CREATORS, EARNED + SOL / 50n]]]) {
    test(`is silent, and the side that profits pays with its bond: ${on_undecided}`, async () => {
      const scene = await cast(`engine silent term ${on_undecided}`);
      const task = await scene.contested(await act.engineTerms({ on_silence: 1, on_undecided }));
      const [alice, bob] = await vaults(scene);
      scene.pass(600);
      await scene.ok(act.expire(task));
      const after = await vaults(scene);
      assert.deepEqual([after[0] - alice, after[1] - bob], parts);
    });
  }

  test('pays no party its fee, and nobody who is not there', async () => {
    const scene = await cast('engine payees');
    await scene.no('WrongEngine', act.create(await act.handle('alice', 0n), await act.engineTerms({ engine_agent: await act.key('alice') })));
    const ghost = await act.create(await act.handle('alice', 0n), await act.engineTerms({ engine_agent: await act.key('ghost') }));
    const { name, args, accounts } = ghost;
    const sent = await scene.dispatch(name, [scene.instruction({ name, args, accounts })]);
    assert.equal(sent.failed, 'WrongOwner');
    await scene.no('WrongEngine', act.create(await act.handle('alice', 0n), await act.engineTerms({ engine: PROGRAM })));
    const task = await scene.created(await act.engineTerms());
    await scene.no('WrongEngine', act.claim(task, 'engineer'));
    await scene.ok(act.cancel(task));
  });
});
