// The common part of both scripts: the address of the chain, and checks.
import assert from 'node:assert/strict';

export { assert };

// The Go test passes the address of the chain and its contents.
export const chain = JSON.parse(process.env.OJUD_E2E ?? 'null');
assert.ok(chain, 'OJUD_E2E is not set: run this through `go test ./ledger/devnet`');

const started = Date.now();

export function done(what) {
  console.log(`ok ${String(Date.now() - started).padStart(6)} ms  ${what}`);
}

// within fails if a promise takes too long, because a hang would hide the step.
export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing after ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// poll asks until the answer is not null, for effects without a notification.
export async function poll(ms, what, ask) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`${what}: nothing after ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
