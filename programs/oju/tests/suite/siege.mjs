// Every instruction against wrong data and wrong accounts (docs/protocol.md, section 5).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { CALL_NAMES } from '../lib/call.mjs';
import { Court } from '../lib/court.mjs';
import { GOLDEN } from '../lib/golden.mjs';
import { ACCEPT, Scene, all } from '../lib/scene.mjs';
import { Siege } from '../lib/siege.mjs';
import { everything } from '../lib/story.mjs';

describe('siege', () => {
  test('no instruction takes other data or other accounts than its own', async () => {
    const scene = await Siege.begin('siege', { listed: 1, ...GOLDEN });
    await everything(scene);
    assert.deepEqual([...scene.attacked.keys()].sort(), [...CALL_NAMES].sort());
    for (const [name, times] of scene.attacked) assert.ok(times >= 6, `${name} was attacked ${times} times`);
  });

  test('no instruction takes a task, a case or an agent of others, though they are real', async () => {
    const scene = await Scene.cast('others', 7);
    const refused = async (action, ...roles) => {
      const { name, args, accounts } = await action;
      for (const role of roles) {
        const other = { ...accounts, [role]: strangers[role] ?? carol };
        const instruction = scene.instruction({ name, args, accounts: other });
        assert.equal((await scene.dispatch(name, [instruction])).failed, 'WrongAddress', `${name}: ${role}`);
      }
      return scene.ok(action);
    };
    const carol = await act.agentAt('carol');
    const stranger = await scene.contested();
    const strangers = { task: stranger, case: stranger.case };
    const parties = ['creator_agent', 'worker_agent'];

    await refused(act.cancel(await scene.created()), 'agent');
    const task = await scene.created();
    await scene.ok(act.claim(task, 'bob'));
    task.worker = 'bob';
    await scene.ok(act.start(task));
    await refused(act.submit(task), 'creator_agent');
    await refused(act.object(task), 'creator_agent');
    await refused(act.rework(task), 'creator_agent');
    for (const step of [act.submit, act.object]) await scene.ok(step(task));
    await refused(act.counter(task), 'worker_agent');
    scene.reach(task);
    await refused(act.draw(task), 'task', 'case');
    await scene.commits(task, all(scene.panel(task), ACCEPT));
    await scene.reveals(task, all(scene.panel(task), ACCEPT));
    await refused(act.settle(task), 'task', 'case', ...parties);
    const late = await scene.contested();
    scene.pass(1_800);
    await refused(act.expireCase(late), 'task', 'case', ...parties);
    await refused(act.accept(await scene.verified()), ...parties);
    const silent = await scene.disputed();
    scene.pass(28_800);
    await refused(act.expire(silent), ...parties);
  });

  test('accounts beyond those of an instruction are ignored', async () => {
    const scene = await Scene.cast('more accounts');
    const instruction = scene.instruction(await act.deposit('alice', 1n));
    const accounts = [...instruction.accounts, { ...instruction.accounts[1] }];
    assert.ok((await scene.dispatch('deposit', [{ ...instruction, accounts }])).ok);
  });

  test('a record that was closed is nobody\'s', async () => {
    const scene = await Scene.cast('closed');
    const task = await scene.created();
    await scene.ok(act.cancel(task));
    await scene.ok(act.closeTask(task));
    const instruction = scene.instruction(await act.cancel(task));
    assert.equal((await scene.dispatch('cancel_task', [instruction])).failed, 'WrongOwner');
  });

  test('the program\'s data has to be the loader\'s, of this program', async () => {
    const court = await Court.bare('program data');
    const { program_data } = court.init().accounts;
    const real = court.raw(program_data.address);
    const instruction = court.instruction(court.init());
    const refused = async (error, account, accounts = instruction.accounts) => {
      court.set(account);
      assert.equal((await court.dispatch('init_config', [{ ...instruction, accounts }])).failed, error);
      court.set(real);
    };
    await refused('WrongAccount', { ...real, data: real.data.slice(0, 12) });
    await refused('WrongAccount', { ...real, data: Uint8Array.from([2, ...real.data.slice(1)]) });
    const at = await act.key('elsewhere');
    const moved = instruction.accounts.with(5, { ...instruction.accounts[5], address: at });
    await refused('WrongAddress', { ...real, address: at }, moved);
    await refused('NotAuthority', { ...real, data: real.data.slice(0, 20) });
    await court.ok(court.init());
  });
});
