// Who may join a listed court.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { SYSTEM } from '../lib/bytes.mjs';
import { Court } from '../lib/court.mjs';
import { Scene } from '../lib/scene.mjs';
import { SOL, wallet } from '../lib/world.mjs';

const open = (by) => ({ name: 'open_court', accounts: { authority: by } });
const giveUp = (by) => ({ name: 'give_up', accounts: { authority: by } });

describe('a listed court', () => {
  test('takes the judges that its authority admits', async () => {
    const scene = await Scene.begin('listed', { listed: 1 });
    for (const name of ['j0', 'j1', 'mallory']) await scene.fund(name, 5n * SOL);
    const mallory = await wallet('mallory');
    await scene.no('NotAdmitted', act.join('j0', SOL));
    await scene.no('NotAuthority', act.admit(mallory, 'mallory'));
    await scene.ok(act.admit(scene.authority, 'j0'));
    await scene.no('AlreadyExists', act.admit(scene.authority, 'j0'));
    const stolen = await act.join('j1', SOL);
    await scene.no('NotAdmitted', { ...stolen, accounts: { ...stolen.accounts, admission: await act.admissionAt('j0') } });
    await scene.ok(scene.pause(1));
    await scene.no('Paused', act.join('j0', SOL));
    await scene.ok(scene.pause(0));
    await scene.ok(act.join('j0', SOL));
  });

  test('takes no judge whose admission was revoked, and keeps those that sit', async () => {
    const scene = await Scene.begin('revoked', { listed: 1 });
    const mallory = await scene.fund('mallory', SOL);
    await scene.judges(2);
    await scene.no('NotAuthority', act.expel(mallory, 'j0', scene.authority));
    await scene.no('WrongAddress', act.expel(scene.authority, 'j0', mallory));
    await scene.ok(act.expel(scene.authority, 'j0'));
    await scene.no('WrongOwner', act.expel(scene.authority, 'j0'));
    assert.equal((await scene.entry('j0')).state, 1);
    for (const name of ['j0', 'j1']) await scene.ok(act.beginExit(name));
    scene.pass(172_800);
    for (const name of ['j0', 'j1']) {
      await scene.released(name);
      await scene.ok(act.withdrawStake(name));
    }
    await scene.no('NotAdmitted', act.join('j0', SOL));
    await scene.ok(act.join('j1', SOL)); // an admission is not used up
  });

  test('makes an admission at an address with lamports, and gives them all to the payer', async () => {
    for (const lamports of [1n, 50n * SOL]) {
      const scene = await Scene.begin(`prefunded ${lamports}`, { listed: 1 });
      const { address } = await act.admissionAt('j0');
      scene.restore(address, { address, lamports, programAddress: SYSTEM, data: new Uint8Array() });
      if (lamports > SOL) scene.strays.set(address, lamports - scene.rent(80));
      await scene.fund('j0', 5n * SOL);
      await scene.no('NotAdmitted', act.join('j0', SOL));
      await scene.ok(act.admit(scene.authority, 'j0'));
      await scene.ok(act.join('j0', SOL));
      await scene.ok(act.expel(scene.authority, 'j0'));
    }
  });

  test('is opened once, and for ever', async () => {
    const scene = await Scene.begin('opened', { listed: 1 });
    const mallory = await scene.fund('mallory', SOL);
    await scene.judges(1);
    await scene.no('CourtListed', giveUp(scene.authority));
    await scene.no('NotAuthority', open(mallory));
    await scene.ok(open(scene.authority));
    await scene.no('CourtOpen', open(scene.authority));
    await scene.no('CourtOpen', act.admit(scene.authority, 'j1'));
    await scene.judge('j1');
    await scene.ok(act.expel(mallory, 'j0', scene.authority));
    await scene.ok(giveUp(scene.authority));
    await scene.no('NotAuthority', open(scene.authority));
  });

  test('may begin open', async () => {
    const court = await Court.begin('open from the beginning');
    await court.no('CourtOpen', open(court.authority));
  });
});
