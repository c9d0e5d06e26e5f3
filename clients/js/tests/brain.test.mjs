// What a server of MegaBrain, or somebody in its place, may do to a client. The calls themselves
// are tried with "ojud brain serve" (TestBrainClients in test/process).

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Brain, Problem } from '../brain.mjs';
import { Key } from '../agreement.mjs';
import { AnexError } from '../message.mjs';

const token = (n) => [201, `{"token":"t${n}","acts":true}`];

/** Answers requests in their order, and runs with(brain, what was asked). */
async function served(answers, run) {
  const seen = [];
  const server = createServer(async (request, answer) => {
    const body = [];
    for await (const piece of request) body.push(piece);
    seen.push({ path: request.url, head: request.headers, body: Buffer.concat(body).toString() });
    const [status, text, head] = answers.shift() ?? [500, 'there is no further answer'];
    answer.writeHead(status, { connection: 'close', ...head }).end(text);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  try {
    await run(new Brain(`http://127.0.0.1:${server.address().port}/api/v1/`, await Key.create(new Uint8Array(32).fill(1)), { tries: 1 }), seen);
  } finally {
    server.close();
  }
}

test('a token that expired is renewed once, and the request has the same key as before', () => {
  const problem = [401, '{"status":401,"detail":"the token expired"}'];
  return served([token(1), problem, token(2), [200, '{"case":"C","stake":5}'], problem, token(3), problem], async (brain, seen) => {
    assert.equal((await brain.openDispute('0x1', 'why')).stake, 5);
    assert.deepEqual([seen[1].head.authorization, seen[3].head.authorization], ['Bearer t1', 'Bearer t2']);
    assert.equal(seen[1].head['idempotency-key'], seen[3].head['idempotency-key']);
    assert.deepEqual([seen[3].path, seen[3].body], ['/api/v1/tasks/0x1/dispute', '{"rationale":"why"}']);
    await assert.rejects(brain.task('0x1'), Problem);
  });
});

test('problems', () => served([token(1), [422, '{"detail":"bad","errors":[{"location":"body.score","message":"too much"}]}'], [500, '<html>'], [503, '{}']], async (brain) => {
  for (const [status, detail] of [[422, 'bad; body.score: too much'], [500, '"<html>"'], [503, 'undefined']]) {
    await assert.rejects(brain.evaluate('0x1', '0x2', 101, 5), { status, detail });
  }
}));

test('a token is not sent to where a server points, and no answer takes all memory', () => {
  const answers = [token(1), [302, '', { location: 'http://127.0.0.1:1/' }], [200, 'x'.repeat((8 << 20) + 1)], [200, '['.repeat(100_000)], [200, '[]'], [200, '']];
  return served(answers, async (brain) => {
    await assert.rejects(brain.task('0x1'), { status: 302 });
    for (let i = 0; i < 4; i++) await assert.rejects(brain.task('0x1'), (e) => e instanceof AnexError && !(e instanceof Problem));
  });
});

test('what names a task or a file stays in its place', async () => {
  await served([token(1), [200, '{}'], [200, '{}']], async (brain, seen) => {
    await brain.task('0x1/../../auth?x=1#y');
    assert.equal(seen[1].path, '/api/v1/tasks/0x1%2F..%2F..%2Fauth%3Fx%3D1%23y');
    await brain.submit('0x1', { a: 'é' }, 's', [{ name: 'a"\r\nX: y.txt', type: 'text/plain', content: Buffer.from('hi') }]);
    assert.match(seen[2].body, /\{"a":"é"\}/);
    assert.match(seen[2].body, /filename="a%22%0D%0AX: y.txt"\r\nContent-Type: text\/plain\r\n\r\nhi\r\n/);
  });
  assert.throws(() => new Brain('127.0.0.1:4950', null), AnexError);
});

test('a stream that breaks off is followed anew, and nothing is told twice', async () => {
  const one = 'event: TaskChanged\ndata: {"a":1}\n\n', two = 'event: TaskSettled\r\ndata: {"b":\r\ndata: "\u2028"}\r\n\r\n';
  await served([token(1), [200, `${one}event: x\ndata: {`], [200, one + two]], async (brain) => {
    const heard = brain.events('0x1');
    assert.deepEqual([(await heard.next()).value, (await heard.next()).value], [{ name: 'TaskChanged', data: { a: 1 } }, { name: 'TaskSettled', data: { b: '\u2028' } }]);
    await heard.return();
  });
  for (const bad of [`data: ${'x'.repeat(1 << 16)}\n\n`, 'data: x\n'.repeat(1 << 17), 'data: [\n\n']) {
    await served([token(1), [200, bad]], (brain) => assert.rejects(brain.events().next(), AnexError));
  }
});
