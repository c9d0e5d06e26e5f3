// A proctor's batch: leaves, their tree, and the instructions.

import { asked, branch, denial, placeOf, sealOf } from '../model/rule.mjs';
import * as act from './act.mjs';
import { encode } from './account.mjs';
import { NO_HASH, ascii, hex, keyBytes, sha256, u32, u64, unhex } from './bytes.mjs';
import { POT, digest } from './court.mjs';
import { all } from './scene.mjs';
import { SOL, pda, wallet } from './world.mjs';

/** The parameters of a court with golden cases. */
export const GOLDEN = { batch_seconds: 43_200, challenge_seconds: 14_400, golden_bps: 5_000, leaf_fee: 28_000_000n };

/** What 28 seats lose by a leaf with the least fee. */
export const RISK = 28n * SOL / 50n;

export const proctorAt = async (name) => pda([ascii('proctor'), keyBytes(await act.key(name))]);
export const batchAt = (number) => pda([ascii('batch'), u64(number)]);

export async function admit(by, name) {
  return { name: 'admit_proctor', args: { proctor: await act.key(name) }, accounts: { authority: by, proctor: await proctorAt(name) } };
}

export async function expel(by, name, payer = by) {
  return { name: 'revoke_proctor', accounts: { authority: by, proctor: await proctorAt(name), wallet: payer } };
}

/** Leaves with the answers, whose tasks will be those of a creator from its next one on; `change` may change a leaf. */
export class Batch {
  static async of(scene, answers, { by = 'pat', creator = 'alice', from, change = (leaf) => leaf } = {}) {
    const batch = new Batch();
    const first = from ?? (await scene.agentOf(creator)).tasks_created;
    Object.assign(batch, { scene, by, creator, leaves: [], tasks: [], number: scene.pot().batches });
    batch.at = await batchAt(batch.number);
    for (const [i, answer] of answers.entries()) {
      const task = await act.handle(creator, first + BigInt(i));
      const texts = ['task', 'result', 'objection', 'counter'].map((what) => [`${what}_hash`, digest(`${what} of leaf ${i}`)]);
      const leaf = {
        ...Object.fromEntries(texts), address: task.address, answer, generator: digest('generator'), seed: digest(`seed ${i} ${batch.number}`),
      };
      batch.tasks.push(task);
      batch.leaves.push(change(leaf, i));
    }
    batch.plant();
    return batch;
  }

  /** Builds the tree. */
  plant() {
    const depth = Math.ceil(Math.log2(this.leaves.length));
    let level = this.leaves.map(placeOf);
    while (level.length < 2 ** depth) level.push(NO_HASH);
    this.levels = [level];
    while (level.length > 1) {
      level = level.flatMap((node, i) => (i % 2 ? [] : [branch(node, level[i + 1])]));
      this.levels.push(level);
    }
    this.root = hex(sha256(ascii('oju:batch:v1'), u32(this.leaves.length), unhex(level[0])));
  }

  path(index) {
    const steps = this.levels.slice(0, -1).map((level, up) => level[(index >> up) ^ 1]);
    return unhex(steps.join(''));
  }

  seal(i) { return sealOf(this.leaves[i]); }

  async commit({ deposit = RISK * BigInt(this.leaves.length), leaves = this.leaves.length, root = this.root, by = this.by } = {}) {
    const accounts = { authority: await wallet(by), proctor: await proctorAt(this.by), batch: this.at };
    return { name: 'commit_batch', args: { root, leaves, deposit }, accounts };
  }

  /** Posts the task of a leaf and brings it to its case, as far as `until` says. */
  async post(i, { worker = 'bob', terms = {}, seal = this.seal(i), texts = {}, until = 'counter' } = {}) {
    const [scene, task, leaf] = [this.scene, this.tasks[i], this.leaves[i]];
    await scene.ok(act.create(task, { task_hash: leaf.task_hash, seal, ...terms }));
    if (until === 'create') return task;
    await scene.claim(task, worker);
    await scene.ok(act.start(task));
    const said = { result: `result of leaf ${i}`, objection: `objection of leaf ${i}`, counter: `counter of leaf ${i}`, ...texts };
    await scene.ok(act.submit(task, said.result));
    if (until === 'submit') return task;
    await scene.ok(act.object(task, said.objection));
    if (until === 'object') return task;
    await scene.ok(act.counter(task, said.counter));
    return task;
  }

  /** Posts a leaf and lets its panel vote; `votes` maps names to choices. */
  async judged(i, votes, of) {
    const task = await this.post(i, of);
    await this.scene.draw(task, 1_400_000);
    await this.scene.round(task, typeof votes === 'function' ? votes(this.scene.panel(task)) : votes);
    return task;
  }

  async open(i, { by = this.by, task = this.tasks[i], ...changes } = {}) {
    const leaf = { ...this.leaves[i], index: i, path: this.path(i), ...changes };
    const live = this.scene.get(task.case.address);
    const accounts = { authority: await wallet(by), batch: this.at, task, case: live ? task.case : null };
    return { name: 'open_leaf', args: leaf, accounts };
  }

  async apply(i, batch = this.at) {
    return { name: 'apply_leaf', accounts: { batch, case: this.tasks[i].case } };
  }

  async close(to = this.by) {
    return { name: 'close_batch', accounts: { batch: this.at, wallet: await act.key(to) } };
  }

  async uphold(i, challenge, changes = {}) {
    const { generator, seed } = { ...this.leaves[i], ...changes };
    const accounts = {
      batch: this.at, golden_task: this.tasks[i], golden_case: this.tasks[i].case, task: challenge, case: challenge.case,
      worker_agent: await act.agentAt(challenge.worker), wallet: await act.key(this.by),
    };
    return { name: 'uphold_challenge', args: { generator, seed }, accounts };
  }

  /** The proctor appeals the verdict that a leaf is false. */
  async appeal(i, challenge, { by = this.by, ...changes } = {}) {
    const { generator, seed } = { ...this.leaves[i], ...changes };
    const accounts = {
      authority: await wallet(by), batch: this.at, golden_task: this.tasks[i], golden_case: this.tasks[i].case, task: challenge,
      case: challenge.case,
    };
    return { name: 'appeal_challenge', args: { generator, seed }, accounts };
  }

  read() { return this.scene.get(this.at.address); }
}

/** Puts leaves into the Pot's allowance, and lamports into the Pot, without their cases. */
export function allow(scene, leaves, lamports = 0n) {
  const pot = scene.pot();
  pot.allowance = BigInt(leaves) * 10_000n;
  pot.golden += lamports;
  const account = scene.raw(POT.address);
  scene.set({ ...account, data: encode(pot), lamports: account.lamports + lamports });
}

/** A task that asks about a leaf, brought to its draw, or by `vote` of all seats to its end. */
export async function challenge(batch, i, { vote, text = denial, creator = 'alice', terms = {} } = {}) {
  const { scene } = batch;
  const task = await scene.created({ task_hash: asked(batch.leaves[i]), ...terms }, creator);
  await scene.claim(task, 'bob');
  await scene.ok(act.start(task));
  await scene.ok(act.submit(task, text));
  for (const step of [act.object, act.counter]) await scene.ok(step(task));
  await scene.draw(task, 1_400_000);
  if (vote) await scene.round(task, all(scene.panel(task), vote));
  return task;
}
