// Somebody else's program (../escrow/mod.rs) beside the court: an escrow that pays by a verdict.
// It owns what it holds, and knows of the court only its address and the crate oju-verdict.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import * as act from './lib/act.mjs';
import { SYSTEM, address, ascii, bytes, i64, keyBytes, u64 } from './lib/bytes.mjs';
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

const escrowAt = async (subject, { buyer = 'alice', seller = 'bob' } = {}) =>
  (await pda([ascii('escrow'), keyBytes(await act.key(buyer)), keyBytes(await act.key(seller)), keyBytes(subject)], ESCROW)).address;

const call = (name, accounts, args = new Uint8Array()) =>
  scene.send([{ programAddress: ESCROW, accounts, data: bytes(discriminator('global', name), args) }]);

/** The buyer may take the money back after `days`, a week if nothing else is said. */
async function tryOpen(subject, { price = PRICE, days = 7, at, ...who } = {}) {
  const [buyer, seller] = [who.buyer ?? 'alice', who.seller ?? 'bob'];
  const back = scene.time + BigInt(days * 86_400);
  const args = bytes(keyBytes(PROGRAM), keyBytes(subject), keyBytes(await act.key(seller)), u64(price), i64(back));
  return call('open_escrow', [meta(await wallet(buyer), SW), meta(at ?? await escrowAt(subject, who), W), meta(SYSTEM, R)], args);
}

async function open(...of) {
  const result = await tryOpen(...of);
  assert.ok(result.ok, result.logs.join('\n'));
}

async function pay(subject, payee, verdict, who) {
  const at = verdict ?? (await act.verdictAt(subject)).address;
  return call('pay_escrow', [meta(await escrowAt(subject, who), W), meta(at, R), meta(await act.key(payee), W)]);
}

async function takeBack(subject, { by = 'alice', verdict, ...who } = {}) {
  const at = verdict ?? (await act.verdictAt(subject)).address;
  return call('take_back_escrow', [meta(await escrowAt(subject, who), W), meta(at, R), meta(await wallet(by), SW)]);
}

async function paid(subject, payee, act = pay(subject, payee)) {
  const held = await scene.lamports(await escrowAt(subject));
  const before = await scene.balance(payee);
  const result = await act;
  assert.ok(result.ok, result.logs.join('\n'));
  assert.equal(await scene.balance(payee) - before, PRICE);
  assert.equal(held - await scene.lamports(await escrowAt(subject)), PRICE);
}

async function fails(error, act) {
  const result = await act;
  assert.equal(result.code, CODES[error], `${result.error ?? 'succeeded'}\n${result.logs.join('\n')}`);
}

const refused = (error, ...of) => fails(error, pay(...of));

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
    await refused('NotWorker', task.address, 'alice', undefined, { seller: 'carol' });
    // Bob shall be paid by carol, and has alice, who is bob again, post the task that he wins.
    const other = await seated(ACCEPT);
    await scene.ok(act.publish(other));
    await open(other.address, { buyer: 'carol' });
    await refused('NotCreator', other.address, 'bob', undefined, { buyer: 'carol' });
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

  test('is not kept away by an escrow that somebody else opened before', async () => {
    const task = await scene.seated();
    await open(task.address, { buyer: 'carol', price: 1n }); // for one lamport
    await open(task.address, { seller: 'carol', price: 1n });
    await fails('WrongAddress', tryOpen(task.address, { buyer: 'carol', at: await escrowAt(task.address) }));
    await open(task.address);
    await fails('AlreadyExists', tryOpen(task.address));
    await scene.round(task, all(scene.panel(task), ACCEPT));
    await scene.ok(act.publish(task));
    await paid(task.address, 'bob');
  });

  test('goes back to its buyer if no verdict comes, and not before its time', async () => {
    const task = await scene.seated();
    await fails('TooLate', tryOpen(task.address, { days: 0 }));
    await fails('ZeroAmount', tryOpen(task.address, { price: 0n }));
    await open(task.address, { days: 2 });
    await scene.round(task, all(scene.panel(task), ACCEPT));
    await fails('TooEarly', takeBack(task.address));
    scene.pass(86_400);
    await scene.ok(act.closeCase(task)); // nobody published: the verdict is lost
    await scene.ok(act.closeTask(task));
    await refused('WrongOwner', task.address, 'bob');
    scene.pass(86_399);
    await fails('TooEarly', takeBack(task.address));
    scene.pass(1);
    await fails('NotCreator', takeBack(task.address, { by: 'bob' }));
    await fails('WrongAddress', takeBack(task.address, { verdict: await act.key('bob') }));
    await fails('WrongAddress', takeBack(task.address, { verdict: task.address }));
    await paid(task.address, 'alice', takeBack(task.address));
    await fails('ZeroAmount', takeBack(task.address));
  });

  test('is the winner\'s also after that time', async () => {
    for (const [choice, winner] of [[ACCEPT, 'bob'], [REJECT, 'alice']]) {
      const task = await seated(choice);
      await open(task.address, { days: 1 / 2 });
      await scene.ok(act.publish(task));
      scene.pass(43_200);
      await fails('WrongStatus', takeBack(task.address));
      await fails('WrongAddress', takeBack(task.address, { verdict: (await act.verdictAt(await act.key('bob'))).address }));
      await paid(task.address, winner);
    }
  });

  test('goes back if the verdict is about a case of others, or about less', async () => {
    const task = await seated(ACCEPT);
    await scene.ok(act.publish(task));
    await open(task.address, { seller: 'carol', days: 1 });
    await open(task.address, { price: SOL + 1n, days: 1 });
    scene.pass(86_400);
    for (const [seller, held] of [['carol', PRICE], ['bob', SOL + 1n]]) {
      const before = await scene.balance('alice');
      const result = await takeBack(task.address, { seller });
      assert.ok(result.ok, result.logs.join('\n'));
      assert.equal(await scene.balance('alice') - before, held);
    }
  });
});
