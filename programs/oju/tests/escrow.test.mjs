// Somebody else's program (../escrow/mod.rs) beside the court: an escrow that pays by a verdict.
// It owns what it holds, and knows of the court only its address and the crate oju-verdict.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import * as act from './lib/act.mjs';
import { SYSTEM, address, ascii, bytes, keyBytes, u64 } from './lib/bytes.mjs';
import { CODES, meta } from './lib/call.mjs';
import { discriminator } from './lib/layout.mjs';
import { ACCEPT, REJECT, Scene, all } from './lib/scene.mjs';
import { PROGRAM, SOL, pda, wallet } from './lib/world.mjs';

const ESCROW = address(new Uint8Array(32).fill(8));
/** The program of an attacker: whatever an account of it says, it wrote itself. */
const MALLORY = address(new Uint8Array(32).fill(9));
const PRICE = SOL;

const [R, W, SW] = [{}, { writable: true }, { signer: true, writable: true }]
  .map((role) => ({ signer: false, writable: false, ...role }));

let scene;
let seated;
before(async () => {
  scene = await Scene.cast('escrow', 7);
  scene.svm.addProgram(ESCROW, readFileSync(process.env.OJU_ESCROW));
  for (const name of ['alice', 'bob', 'carol']) await scene.fund(name, 100n * SOL);
  seated = async (choice) => {
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), choice));
    return task;
  };
});

const escrowAt = (subject) => pda([ascii('escrow'), keyBytes(subject)], ESCROW);

async function open(subject, { buyer = 'alice', seller = 'bob', price = PRICE } = {}) {
  const args = bytes(keyBytes(PROGRAM), keyBytes(subject), keyBytes(await act.key(seller)), u64(price));
  const accounts = [meta(await wallet(buyer), SW), meta((await escrowAt(subject)).address, W), meta(SYSTEM, R)];
  const data = bytes(discriminator('global', 'open_escrow'), args);
  const result = await scene.send([{ programAddress: ESCROW, accounts, data }]);
  assert.ok(result.ok, result.logs.join('\n'));
}

async function pay(subject, payee, verdict) {
  const at = verdict ?? (await act.verdictAt(subject)).address;
  const accounts = [meta((await escrowAt(subject)).address, W), meta(at, R), meta(await act.key(payee), W)];
  return scene.send([{ programAddress: ESCROW, accounts, data: discriminator('global', 'pay_escrow') }]);
}

async function paid(subject, payee) {
  const held = await scene.balance(payee);
  const result = await pay(subject, payee);
  assert.ok(result.ok, result.logs.join('\n'));
  assert.equal(await scene.balance(payee) - held, PRICE);
}

async function refused(error, ...of) {
  const result = await pay(...of);
  assert.equal(result.code, CODES[error], `${result.error ?? 'succeeded'}\n${result.logs.join('\n')}`);
}

describe('an escrow of somebody else', () => {
  for (const [choice, winner, loser] of [[ACCEPT, 'bob', 'alice'], [REJECT, 'alice', 'bob']]) {
    test(`pays the ${winner} by our verdict, once, also when task and case are closed`, async () => {
      const task = await scene.seated();
      await open(task.address);
      await refused('WrongOwner', task.address, winner); // no verdict yet
      await scene.no('WrongStatus', act.publish(task)); // and nobody can write one before the end
      await scene.round(task, all(scene.panel(task), choice));
      await scene.ok(act.publish(task));
      scene.pass(86_400);
      await scene.ok(act.closeCase(task));
      await scene.ok(act.closeTask(task));
      await refused('WrongAddress', task.address, loser);
      await paid(task.address, winner);
      await refused('ZeroAmount', task.address, winner);
    });
  }

  test('is not robbed by an account that an attacker wrote', async () => {
    const task = await seated(REJECT);
    await scene.ok(act.publish(task));
    await open(task.address);
    const { address: at } = await act.verdictAt(task.address);
    const real = scene.raw(at);
    const lie = Uint8Array.from(real.data.map((byte, i) => (i === 11 ? ACCEPT : byte)));
    const [fake] = [(await pda([ascii('verdict'), keyBytes(task.address)], MALLORY)).address];
    for (const owner of [MALLORY, SYSTEM, ESCROW]) {
      scene.set({ ...real, address: fake, programAddress: owner, data: lie });
      await refused('WrongOwner', task.address, 'bob', fake);
    }
    scene.strays.set(fake, null);
    scene.set({ ...real, address: fake, data: lie }); // as if the court had an account elsewhere
    await refused('WrongAddress', task.address, 'bob', fake);
    await refused('WrongAccount', task.address, 'bob', task.address); // another account of the court
    await refused('WrongAccount', task.address, 'bob', task.case.address);
    await paid(task.address, 'alice');
  });

  test('is not paid by the verdict about another task', async () => {
    const [won, lost] = [await seated(ACCEPT), await seated(REJECT)];
    for (const task of [won, lost]) await scene.ok(act.publish(task));
    await open(lost.address);
    await refused('WrongAddress', lost.address, 'bob', (await act.verdictAt(won.address)).address);
    await paid(lost.address, 'alice');
  });

  test('is not robbed by a case between two keys of one side', async () => {
    // Alice owes carol an escrow, and lets bob, who is alice again, claim and lose her task.
    const task = await seated(REJECT);
    await scene.ok(act.publish(task));
    await open(task.address, { seller: 'carol' });
    await refused('NotWorker', task.address, 'alice');
    // Bob shall be paid by carol, and has alice, who is bob again, post the task that he wins.
    const other = await seated(ACCEPT);
    await scene.ok(act.publish(other));
    await open(other.address, { buyer: 'carol' });
    await refused('NotCreator', other.address, 'bob');
  });

  test('is not paid by a case that is worth less', async () => {
    const task = await seated(ACCEPT);
    await scene.ok(act.publish(task));
    await open(task.address, { price: SOL + 1n });
    await refused('NotCovered', task.address, 'bob');
  });

  test('is not kept waiting by lamports at the address of the verdict', async () => {
    for (const gift of [1n, 890_880n, 10n * SOL]) {
      const task = await seated(ACCEPT);
      const { address: at } = await act.verdictAt(task.address);
      scene.give(at, gift);
      if (gift > scene.rent(256)) scene.strays.set(at, gift - scene.rent(256));
      await scene.ok(act.publish(task));
      await open(task.address);
      await paid(task.address, 'bob');
    }
  });
});
