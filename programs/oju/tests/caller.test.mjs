// A program of somebody else (../probe/member.rs) that brings a dispute by a call: the claimant is
// an address of that program, which has no key.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as act from './lib/act.mjs';
import { SYSTEM, address, ascii, bytes, keyBytes, unhex } from './lib/bytes.mjs';
import { data, meta } from './lib/call.mjs';
import { CONFIG, ROSTER, RULES, digest } from './lib/court.mjs';
import { discriminator } from './lib/layout.mjs';
import { ACCEPT, Scene, all } from './lib/scene.mjs';
import { PROGRAM, SOL, pda, wallet } from './lib/world.mjs';

const OTHER = address(new Uint8Array(32).fill(16));
const [R, W, SW] = [{}, { writable: true }, { signer: true, writable: true }]
  .map((role) => ({ signer: false, writable: false, ...role }));

test('a program brings a dispute by CPI for itself and for nobody else', async () => {
  const scene = await Scene.cast('caller', 7);
  scene.svm.addProgram(OTHER, readFileSync(process.env.OJU_PROBE));
  for (const name of ['carol', 'mallory', 'rex']) await scene.fund(name, 10n * SOL);
  const { address: member } = await pda([ascii('member')], OTHER);
  const respondent = await act.key('rex');
  const bring = async (claimant) => {
    const task = await pda([ascii('dispute'), keyBytes(claimant), keyBytes(respondent), unhex(digest('terms'))]);
    const verdict = await act.verdictAt(task.address);
    const accounts = [
      meta(await wallet('carol'), SW), meta(claimant, R), meta(CONFIG, R), meta(RULES[1], R), meta(ROSTER, R), meta(task, W),
      meta(verdict, W), meta(SYSTEM, R), meta(PROGRAM, R),
    ];
    const inner = data('open_dispute', { respondent, terms_hash: digest('terms'), claim_hash: digest('claim'), amount: SOL, seats: 7 });
    const sent = scene.send([{ programAddress: OTHER, accounts, data: bytes(discriminator('global', 'bring_as_member'), inner) }]);
    return { ...await sent, task };
  };
  const forged = await bring(await act.key('mallory'));
  assert.ok(!forged.ok);
  assert.match(forged.logs.join('\n'), /signer privilege escalated/);
  const own = await bring(member);
  assert.ok(own.ok, own.logs.join('\n'));
  const dispute = { ...own.task, payer: 'carol', respondent: 'rex', case: await act.caseAt(own.task.address) };
  assert.equal(scene.get(dispute.address).worker, member);
  await scene.ok(act.joinDispute(dispute));
  await scene.ok(act.openCase(dispute, 'carol'));
  await scene.draw(dispute);
  const votes = all(scene.panel(dispute), ACCEPT);
  await scene.commits(dispute, votes);
  scene.endCommits(dispute);
  await scene.reveals(dispute, votes);
  await scene.ok(act.settleDispute(dispute));
  const told = scene.get((await act.verdictAt(dispute.address)).address);
  assert.deepEqual([told.is_final, told.verdict, told.worker, told.joined], [1, ACCEPT, member, 2]);
});
