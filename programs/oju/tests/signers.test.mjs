// The program of signers (../signers) beside the court: m of n keys decide tasks that name them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import * as act from './lib/act.mjs';
import { NOBODY, SYSTEM, address, ascii, bytes, keyBytes, sha256, u32 } from './lib/bytes.mjs';
import { CODES, meta } from './lib/call.mjs';
import { discriminator } from './lib/layout.mjs';
import { ACCEPT, REJECT, Scene, all } from './lib/scene.mjs';
import { SOL, pda, wallet } from './lib/world.mjs';

const SIGNERS = address(new Uint8Array(32).fill(15));
/** A program of somebody else, which calls the one of signers. */
const OTHER = address(new Uint8Array(32).fill(16));
const UNDECIDED = 3;
const MEMBERS = ['m0', 'm1', 'm2', 'm3', 'm4'];

const [R, W, S, SW] = [{}, { writable: true }, { signer: true }, { signer: true, writable: true }]
  .map((role) => ({ signer: false, writable: false, ...role }));

let scene;
before(async () => {
  scene = await Scene.cast('signers', 7);
  scene.svm.addProgram(SIGNERS, readFileSync(process.env.OJU_SIGNERS));
  scene.svm.addProgram(OTHER, readFileSync(process.env.OJU_PROBE));
  await scene.agent('engineer');
  for (const name of [...MEMBERS, 'carol', 'mallory']) await scene.fund(name, 10n * SOL);
});

const ascending = (keys) => [...keys].sort((a, b) => Buffer.compare(keyBytes(a), keyBytes(b)));

async function keysOf(members) {
  return ascending(await Promise.all(members.map((name) => (name.length > 40 ? name : act.key(name)))));
}

/** Where the group of these keys is. */
async function groupAt(threshold, keys) {
  const room = new Uint8Array(16 * 32);
  keys.slice(0, 16).forEach((key, i) => room.set(keyBytes(key), 32 * i));
  const hash = sha256(bytes(ascii('oju:signers:v1'), [threshold, keys.length], room));
  return (await pda([ascii('group'), hash], SIGNERS)).address;
}

async function create(threshold, keys, { payer = 'carol', at } = {}) {
  const group = at ?? await groupAt(threshold, keys);
  const data = bytes(discriminator('global', 'create_group'), [threshold], u32(keys.length), ...keys.map(keyBytes));
  const accounts = [meta(await wallet(payer), SW), meta(group, W), meta(SYSTEM, R)];
  const result = await scene.send([{ programAddress: SIGNERS, accounts, data }]);
  return { group, result };
}

/** A group of members, by name. */
async function grouped(threshold, members = MEMBERS) {
  const keys = await keysOf(members);
  const known = await groupAt(threshold, keys);
  if (scene.raw(known)) return known;
  const { group, result } = await create(threshold, keys);
  assert.ok(result.ok, result.logs.join('\n'));
  return group;
}

const ballotAt = async (group, subject) => (await pda([ascii('ballot'), keyBytes(group), keyBytes(subject)], SIGNERS)).address;
const verdictAt = async (group, subject) => (await pda([ascii('verdict'), keyBytes(subject), keyBytes(group)], SIGNERS)).address;

/** One member signs; changes name other accounts. */
async function sign(group, subject, member, verdict, changes = {}) {
  const { payer = 'carol', role = S, signs = await wallet(member), ...at } = changes;
  const accounts = [
    meta(await wallet(payer), SW), meta(signs, role), meta(at.group ?? group, R), meta(at.ballot ?? await ballotAt(group, subject), W),
    meta(at.verdict ?? await verdictAt(group, subject), W), meta(at.system ?? SYSTEM, R),
  ];
  const data = bytes(discriminator('global', 'sign_verdict'), keyBytes(subject), [verdict]);
  return scene.send([{ programAddress: SIGNERS, accounts, data }]);
}

async function ok(...of) {
  const result = await sign(...of);
  assert.ok(result.ok, `${result.code} ${result.error}\n${result.logs.join('\n')}`);
  return result;
}

async function refused(error, ...of) {
  const result = await sign(...of);
  assert.equal(result.code, CODES[error], `${result.error ?? 'succeeded'}\n${result.logs.join('\n')}`);
}

/** A task in dispute that this group decides. */
async function disputed(group, terms = {}) {
  return scene.contested(await act.engineTerms({ engine: SIGNERS, engine_group: group, ...terms }));
}

/** Lets the model of the court know who wrote the verdict, and settles by it. */
async function settle(task, group) {
  scene.told.set(await verdictAt(group, task.address), [task.address, group].join());
  return act.settleByEngine(task, { engine: SIGNERS, group });
}

describe('signers', () => {
  test('decide when as many agree as the group says, and the court pays by it', async () => {
    const group = await grouped(3);
    const task = await disputed(group);
    await ok(group, task.address, 'm0', ACCEPT);
    await ok(group, task.address, 'm1', REJECT);
    await ok(group, task.address, 'm2', ACCEPT);
    await scene.no('WrongOwner', await settle(task, group)); // two of five
    await ok(group, task.address, 'm4', ACCEPT);
    const before = await scene.vault('bob');
    await scene.ok(await settle(task, group));
    assert.equal(scene.taskOf(task).outcome, 1);
    assert.ok(await scene.vault('bob') > before);
    await refused('WrongStatus', group, task.address, 'm3', REJECT); // too late
  });

  test('say each of the three verdicts', async () => {
    const group = await grouped(2, ['m0', 'm1']);
    for (const [verdict, outcome] of [[ACCEPT, 1], [REJECT, 2], [UNDECIDED, 3]]) {
      const task = await disputed(group);
      for (const member of ['m0', 'm1']) await ok(group, task.address, member, verdict);
      await scene.ok(await settle(task, group));
      assert.equal(scene.taskOf(task).outcome, outcome);
    }
  });

  test('are the group that the task names: a stranger with a group of its own decides nothing', async () => {
    const [ours, theirs] = [await grouped(3), await grouped(1, ['mallory'])];
    const [task, other] = [await disputed(ours), await disputed(ours)];
    await ok(theirs, task.address, 'mallory', ACCEPT);
    await scene.no('WrongAddress', await settle(task, theirs));
    await scene.no('WrongOwner', await settle(task, ours));
    // Nor can mallory write where the verdict of the named group belongs.
    await refused('NotAuthority', ours, task.address, 'mallory', ACCEPT);
    await refused('WrongAddress', theirs, other.address, 'mallory', ACCEPT, { verdict: await verdictAt(ours, task.address) });
    await refused('WrongAddress', theirs, other.address, 'mallory', ACCEPT, { ballot: await ballotAt(ours, task.address) });
    for (const member of ['m0', 'm1', 'm2']) await ok(ours, task.address, member, REJECT);
    await scene.ok(await settle(task, ours));
    assert.equal(scene.taskOf(task).outcome, 2);
  });

  test('sign themselves, once, one of three verdicts, about one subject', async () => {
    const group = await grouped(3);
    const [task, other] = [await disputed(group), await disputed(group)];
    await refused('NotSigner', group, task.address, 'm0', ACCEPT, { signs: await act.key('m0'), role: R });
    await ok(group, task.address, 'm0', ACCEPT);
    for (const verdict of [ACCEPT, REJECT]) await refused('AlreadyCommitted', group, task.address, 'm0', verdict);
    for (const verdict of [0, 4, 255]) await refused('BadChoice', group, task.address, 'm1', verdict);
    // What was signed about one task does not count for another one.
    await refused('WrongAddress', group, other.address, 'm1', ACCEPT, { ballot: await ballotAt(group, task.address) });
    await ok(group, other.address, 'm1', ACCEPT);
    await refused('WrongAddress', group, other.address, 'm2', ACCEPT, { ballot: await ballotAt(group, task.address) });
    await ok(group, other.address, 'm2', ACCEPT);
    await refused('WrongAddress', group, other.address, 'm3', ACCEPT, { verdict: await verdictAt(group, task.address) });
    await scene.no('WrongOwner', await settle(task, group));
    await refused('WrongOwner', group, task.address, 'm1', ACCEPT, { system: SIGNERS });
  });

  test('are not replaced by an account that somebody wrote', async () => {
    const group = await grouped(3);
    const task = await disputed(group);
    const real = scene.raw(group);
    const [own] = await keysOf(['mallory']);
    const lie = bytes(real.data.slice(0, 10), [1, 1, 0, 0, 0, 0], keyBytes(own), new Uint8Array(15 * 32));
    const at = address(new Uint8Array(32).fill(99));
    scene.set({ ...real, address: at, programAddress: OTHER, data: lie });
    await refused('WrongOwner', group, task.address, 'mallory', ACCEPT, { group: at });
    scene.set({ ...real, address: at, data: lie }); // as if the program had it elsewhere
    await refused('WrongAddress', group, task.address, 'mallory', ACCEPT, { group: at });
    const ballot = await ballotAt(group, task.address);
    await ok(group, task.address, 'm0', ACCEPT);
    await refused('WrongAccount', group, task.address, 'mallory', ACCEPT, { group: ballot });
    await refused('DuplicateAccount', group, task.address, 'm1', ACCEPT, { ballot: group });
  });

  test('are not kept from deciding by lamports at the addresses of ballot and verdict', async () => {
    const group = await grouped(2, ['m2', 'm3']);
    for (const gift of [1n, 890_880n, 10n * SOL]) {
      const task = await disputed(group);
      for (const at of [await ballotAt(group, task.address), await verdictAt(group, task.address)]) scene.give(at, gift);
      for (const member of ['m2', 'm3']) await ok(group, task.address, member, ACCEPT);
      await scene.ok(await settle(task, group));
    }
  });

  test('that never agree are a silent engine: the court takes the task', async () => {
    const group = await grouped(3);
    const task = await disputed(group);
    for (const [i, verdict] of [ACCEPT, ACCEPT, REJECT, REJECT, UNDECIDED].entries()) {
      await ok(group, task.address, `m${i}`, verdict);
    }
    await scene.no('WrongOwner', await settle(task, group));
    scene.pass(600);
    await scene.ok(act.openCase(task));
    await scene.draw(task);
    await scene.round(task, all(scene.panel(task), ACCEPT));
    assert.equal(scene.taskOf(task).outcome, 1);
  });

  test('can be programs, which sign by CPI for themselves and for nobody else', async () => {
    const { address: member } = await pda([ascii('member')], OTHER);
    const group = await grouped(2, [member, 'm0']);
    const task = await disputed(group);
    const call = async (who) => {
      const accounts = [
        meta(await wallet('carol'), SW), meta(who, R), meta(group, R), meta(await ballotAt(group, task.address), W),
        meta(await verdictAt(group, task.address), W), meta(SYSTEM, R), meta(SIGNERS, R),
      ];
      const inner = bytes(discriminator('global', 'sign_verdict'), keyBytes(task.address), [ACCEPT]);
      return scene.send([{ programAddress: OTHER, accounts, data: bytes(discriminator('global', 'sign_as_member'), inner) }]);
    };
    const forged = await call(await act.key('m0'));
    assert.ok(!forged.ok);
    assert.match(forged.logs.join('\n'), /signer privilege escalated/);
    const own = await call(member);
    assert.ok(own.ok, own.logs.join('\n'));
    await ok(group, task.address, 'm0', ACCEPT);
    await scene.ok(await settle(task, group));
  });
});

describe('a group', () => {
  const made = async (error, ...of) => {
    const { result } = await create(...of);
    assert.equal(result.code, error && CODES[error], `${result.error ?? 'succeeded'}\n${result.logs.join('\n')}`);
  };

  test('is a majority of at most sixteen different keys', async () => {
    const keys = await keysOf(['m0', 'm1', 'm2', 'm3']);
    for (const threshold of [0, 1, 2, 5, 255]) await made('BadConfig', threshold, keys);
    await made('BadConfig', 1, []);
    await made('BadConfig', 2, [keys[1], keys[0]]);
    await made('BadConfig', 2, [keys[0], keys[0], keys[1]]);
    await made('BadConfig', 2, [NOBODY, keys[0]]);
    const many = ascending(Array.from({ length: 17 }, (_, i) => address(new Uint8Array(32).fill(100 + i))));
    await made('BadConfig', 9, many);
    await made(undefined, 9, many.slice(0, 16));
    await made('AlreadyExists', 9, many.slice(0, 16));
  });

  test('is at the address of its content, and its weights are in the verdict', async () => {
    const keys = await keysOf(['m0', 'm1', 'm4']);
    await made('WrongAddress', 2, keys, { at: await groupAt(3, keys) });
    await made(undefined, 2, keys);
    const group = await groupAt(2, keys);
    const subject = address(new Uint8Array(32).fill(77));
    await ok(group, subject, 'm0', UNDECIDED);
    await ok(group, subject, 'm1', REJECT);
    await ok(group, subject, 'm4', REJECT);
    const data = Buffer.from(scene.raw(await verdictAt(group, subject)).data);
    assert.deepEqual([data[10], data[11], data[12]], [1, REJECT, 0]);
    assert.deepEqual([88, 96, 104, 112].map((offset) => Number(data.readBigUInt64LE(offset))), [0, 2, 1, 3]);
    assert.equal(address(data.subarray(16, 48)), subject);
    assert.equal(address(data.subarray(48, 80)), SIGNERS);
  });
});
