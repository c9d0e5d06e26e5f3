// What every step of a task has in common.

import { NOBODY, NO_HASH } from '../lib/bytes.mjs';

/** A step of a task, and its event. */
export function step(m, task, to, { actor = NOBODY, deadline = 0n, hash = NO_HASH, amount = 0n } = {}) {
  const from = task.status;
  Object.assign(task, { status: to, deadline });
  if (to >= 8) task.finished_at = m.now;
  const { outcome, resolution } = task;
  m.log('TaskMoved', { task: m.at.task, actor, from, to, outcome, resolution, hash, amount, deadline, at: m.now });
}

/** Lamports of the task into the vault of a party. */
export function pay(m, party, kind, amount) {
  if (amount === 0n) return;
  const agent = m.open(`${party}_agent`);
  agent.vault += amount;
  m.move(m.at.task, m.at[`${party}_agent`], amount);
  m.log('Paid', { task: m.at.task, to: agent.authority, kind, amount });
}

/** Takes a field of a task that counts lamports. */
export function take(task, field) {
  const amount = task[field];
  task[field] = 0n;
  return amount;
}
