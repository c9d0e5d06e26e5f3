// Agents' data, and grants for the length of a task.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NOBODY, ascii, hex } from '../lib/bytes.mjs';
import { Scene } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

const contentOf = async (scene, name, label) => Buffer.from((scene.get((await act.dataAt(name, label)).address)).content, 'hex').toString();

describe('write_data', () => {
  test('makes, grows, shrinks and writes', async () => {
    const scene = await Scene.cast('data');
    await scene.ok(act.write('alice', 'notes', { text: 'hello' }));
    await scene.ok(act.write('alice', 'notes', { text: ' world', offset: 5, len: 12 }));
    assert.equal(await contentOf(scene, 'alice', 'notes'), 'hello world\0');
    await scene.ok(act.write('alice', 'notes', { text: 'J', len: 5 }));
    assert.equal(await contentOf(scene, 'alice', 'notes'), 'Jello');
    await scene.ok(act.write('alice', 'notes', { len: 0 }));
    await scene.ok(act.write('alice', 'notes', { len: 3 }));
    assert.equal(await contentOf(scene, 'alice', 'notes'), '\0\0\0');
    await scene.ok(act.write('alice', 'a.b_c-9', { len: 9_216 }));
    await scene.ok(act.write('alice', 'z'.repeat(32), { text: 'x'.repeat(900), offset: 8_316, len: 9_216 }));
  });

  test('refuses what is too large', async () => {
    const scene = await Scene.cast('data too large');
    await scene.no('DataTooLarge', act.write('alice', 'notes', { len: 9_217 }));
    await scene.no('DataTooLarge', act.write('alice', 'notes', { text: 'x'.repeat(901) }));
    await scene.no('DataTooLarge', act.write('alice', 'notes', { text: 'xx', offset: 4, len: 5 }));
    await scene.no('DataTooLarge', act.write('alice', 'notes', { text: 'x', offset: 2 ** 32 - 1, len: 5 }));
    await scene.ok(act.write('alice', 'notes', { text: 'xx', len: 2 }));
    await scene.no('DataTooLarge', act.write('alice', 'notes', { text: 'x', offset: 2, len: 2 }));
  });

  test('refuses names of other letters or lengths', async () => {
    const scene = await Scene.cast('data names');
    for (const name of ['', 'A', 'a b', 'é', 'a/b', 'z'.repeat(33)]) {
      await scene.no('BadName', act.write('alice', name, { text: 'x' }));
    }
  });

  test('is the agent\'s, or that of who holds a write grant for a task that is not over', async () => {
    const scene = await Scene.cast('data grants');
    const task = await scene.claimed();
    const bob = await act.key('bob');
    const theft = { text: 'mine!', writer: 'bob', task };
    await scene.no('NotAuthority', act.write('alice', 'notes', theft));
    await scene.ok(act.write('alice', 'notes', { text: 'hello' }));
    await scene.no('NoGrant', act.write('alice', 'notes', theft));
    await scene.ok(act.grant('alice', 'notes', task, bob, 1));
    await scene.no('NoGrant', act.write('alice', 'notes', theft));
    await scene.ok(act.grant('alice', 'notes', task, bob, 3));
    await scene.no('NotAuthority', act.write('alice', 'notes', { ...theft, len: 6 }));
    await scene.no('NoGrant', act.write('alice', 'notes', { ...theft, writer: 'carol' }));
    const other = await scene.claimed();
    await scene.no('NoGrant', act.write('alice', 'notes', { ...theft, task: other }));
    await scene.ok(act.write('alice', 'notes', theft));
    assert.equal(await contentOf(scene, 'alice', 'notes'), 'mine!');
    await scene.ok(act.revoke('alice', 'notes', task, bob));
    await scene.no('NoGrant', act.write('alice', 'notes', theft));
  });

  test('a grant to nobody is the worker\'s, and ends with the task', async () => {
    const scene = await Scene.cast('data worker');
    const task = await scene.created();
    await scene.ok(act.write('alice', 'notes', { text: 'hello' }));
    await scene.ok(act.grant('alice', 'notes', task, NOBODY, 2));
    const theft = { text: 'mine!', writer: 'bob', task };
    await scene.no('NoGrant', act.write('alice', 'notes', theft));
    await scene.claim(task, 'bob');
    await scene.ok(act.write('alice', 'notes', theft));
    for (const step of [act.start, act.submit, act.accept]) await scene.ok(step(task));
    await scene.no('NoGrant', act.write('alice', 'notes', theft));
    await scene.ok(act.write('alice', 'notes', { text: 'own' }));
  });

  test('a prefunded address is made all the same', async () => {
    const scene = await Scene.cast('data prefunded');
    const { address } = await act.dataAt('alice', 'notes');
    scene.give(address, SOL);
    scene.strays.set(address, SOL - scene.rent(669));
    await scene.ok(act.write('alice', 'notes', { text: 'hello' }));
    scene.strays.set(address, SOL - scene.rent(674));
    await scene.ok(act.write('alice', 'notes', { text: 'hello', len: 10 }));
    scene.strays.set(address, 0n);
    await scene.ok(act.write('alice', 'notes', { text: 'hell' }));
  });
});

describe('grants', () => {
  test('are eight at most, each replaced by its like', async () => {
    const scene = await Scene.cast('eight grants');
    const task = await scene.created();
    await scene.ok(act.write('alice', 'notes', { text: 'x' }));
    for (let i = 0; i < 8; i++) await scene.ok(act.grant('alice', 'notes', task, await act.key(`friend ${i}`), 1));
    await scene.no('GrantsFull', act.grant('alice', 'notes', task, await act.key('friend 8'), 1));
    await scene.ok(act.grant('alice', 'notes', task, await act.key('friend 3'), 3));
    await scene.ok(act.revoke('alice', 'notes', task, await act.key('friend 0')));
    await scene.ok(act.grant('alice', 'notes', task, await act.key('friend 8'), 2));
    await scene.no('NoGrant', act.revoke('alice', 'notes', task, await act.key('friend 0')));
  });

  test('have flags 1 to 3 and are the agent\'s to give', async () => {
    const scene = await Scene.cast('grant flags');
    const task = await scene.created();
    await scene.ok(act.write('alice', 'notes', { text: 'x' }));
    for (const flags of [0, 4, 255]) await scene.no('BadFlags', act.grant('alice', 'notes', task, NOBODY, flags));
    const theft = await act.grant('bob', 'notes', task, NOBODY, 3);
    theft.accounts.data = await act.dataAt('alice', 'notes');
    await scene.no('NotAuthority', theft);
  });

  test('are revoked by anyone when the task is over or gone', async () => {
    const scene = await Scene.cast('revoke');
    const task = await scene.created();
    await scene.ok(act.write('alice', 'notes', { text: 'x' }));
    await scene.ok(act.grant('alice', 'notes', task, await act.key('bob'), 3));
    await scene.ok(act.grant('alice', 'notes', task, NOBODY, 3));
    await scene.no('NotAuthority', act.revoke('alice', 'notes', task, NOBODY, 'carol'));
    await scene.ok(act.cancel(task));
    await scene.ok(act.revoke('alice', 'notes', task, NOBODY, 'carol'));
    await scene.ok(act.closeTask(task));
    await scene.ok(act.revoke('alice', 'notes', task, await act.key('bob'), 'carol'));
    const future = await act.handle('alice', 1n);
    await scene.ok(act.grant('alice', 'notes', future, NOBODY, 3));
    await scene.no('NotAuthority', act.revoke('alice', 'notes', future, NOBODY, 'carol'));
    await scene.no('NotAuthority', act.revoke('alice', 'notes', { ...future, id: 0n }, NOBODY, 'carol'));
    await scene.ok(act.revoke('alice', 'notes', future, NOBODY));
  });

  test('do not outlive the account', async () => {
    const scene = await Scene.cast('close data');
    const task = await scene.claimed();
    await scene.ok(act.write('alice', 'notes', { text: 'x' }));
    await scene.ok(act.grant('alice', 'notes', task, NOBODY, 3));
    const theft = await act.closeData('bob', 'notes');
    theft.accounts.data = await act.dataAt('alice', 'notes');
    await scene.no('NotAuthority', theft);
    await scene.ok(act.closeData('alice', 'notes'));
    assert.equal(scene.get((await act.dataAt('alice', 'notes')).address), null);
    await scene.ok(act.write('alice', 'notes', { text: 'y' }));
    await scene.no('NoGrant', act.write('alice', 'notes', { text: 'z', writer: 'bob', task }));
    assert.equal(hex(ascii('y')), scene.get((await act.dataAt('alice', 'notes')).address).content);
  });
});
