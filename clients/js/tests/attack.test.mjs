// What strangers do to a program that asks or serves (docs/attacks.md).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:https';
import { connect as dialNet, createServer as createNet } from 'node:net';
import { connect as dial } from 'node:tls';
import { WebSocketServer } from 'ws';

import { certificate } from '../certificate.mjs';
import { AnexError, Key, verify } from '../index.mjs';
import { Chain, connect, invoke, serve } from '../node.mjs';

const joe = await Key.create(new Uint8Array(32).fill(2)), ammon = await Key.create(new Uint8Array(32).fill(1));

async function served(handler, options, client) {
  const server = await serve(joe, handler, options);
  try {
    await client(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const call = (port) => connect(`wss://127.0.0.1:${port}/`, ammon, { peer: joe.did });

async function begin(port) {
  const talk = await call(port);
  await talk.greet('Ammon');
  await talk.request('Ok?');
  await talk.expect('agree');
  return talk;
}

/** A websocket of a stranger, with and without the subprotocol, that sends raw bytes. */
function stranger(port, protocol, raw) {
  return new Promise((resolve, reject) => {
    const s = dial({ port, host: '127.0.0.1', rejectUnauthorized: false });
    s.on('error', reject);
    s.on('close', resolve);
    s.once('data', () => s.write(raw));
    s.write(`GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${protocol}\r\n`);
  });
}

test('TestAttackInvalidFrame: two bytes of a stranger, or a handler that throws, do not end the process', async () => {
  const failures = [];
  await served(async (talk) => { await talk.hear(); throw new RangeError('of the handler'); }, { failed: (e) => failures.push(e.message) }, async (port) => {
    for (const protocol of ['', 'Sec-WebSocket-Protocol: anex.v1\r\n']) await stranger(port, protocol, Buffer.from([0xff, 0xff]));
    const talk = await call(port);
    await talk.greet('Ammon');
    assert.equal(await talk.hear(), null);
    assert.deepEqual(failures, ['of the handler']);
  });
});

// holder answers a call with what propose makes of it.
const holder = (propose, errors = []) => async (talk) => {
  for await (const h of talk) {
    if (h.what === 'engagement') await talk.agree();
    if (h.what !== 'call') continue;
    try {
      await propose(talk, h);
    } catch (e) {
      errors.push(e);
      await talk.refuse('No.', 'FIPA-Contract-Net');
    }
  }
};

test('TestAttackDealOfAHolder: accept() does not sign a deal, a promise or an access that it was not given', async () => {
  const deal = { asker_pays: '10 SOL to Joe' }, promise = ['the asker pays Joe'], access = ['the asker pays 10 SOL'];
  for (const [more, given] of [[{ deal }, { deal }], [{ promise }, { promise }], [{ access }, { access }], [{}, undefined]]) {
    await served(holder((talk) => talk.propose(more)), {}, async (port) => {
      const talk = await begin(port);
      await talk.call('painting');
      await talk.expect('proposal');
      if (given) {
        await assert.rejects(talk.accept(), AnexError);
        await assert.rejects(talk.accept({ deal: { asker_pays: '1 SOL' } }), AnexError);
      }
      await talk.accept(given);
      await talk.expect('signature');
      await verify(talk.agreement);
      await talk.cancel();
    });
  }
});

test('TestAttackDealOfACaller: propose() does not sign a deal of the call that it was not given', async () => {
  const deal = { joe_pays: '10 SOL' }, errors = [];
  await served(holder((talk) => talk.propose({}), errors), {}, async (port) => {
    const talk = await begin(port);
    await talk.call('painting', { deal });
    await talk.expect('refuse');
    await talk.cancel();
  });
  assert.ok(errors.length === 1 && errors[0] instanceof AnexError);
  await served(holder((talk, h) => talk.propose({ deal: h.message.content.request.deal })), {}, async (port) => {
    const talk = await begin(port);
    await talk.call('painting', { deal });
    await talk.expect('proposal');
    await talk.accept();
    await talk.expect('signature');
    assert.deepEqual(talk.agreement.deal, deal);
    await talk.cancel();
  });
  // A proposal that was said past propose() takes the deal of the call, and is not countersigned.
  let refused;
  await served(async (talk) => {
    try {
      await holder((t) => t.say('PROPOSE', 'FIPA-Contract-Net', { response: { access: [], promise: [] } }))(talk);
    } catch (e) {
      refused = e;
      throw e;
    }
  }, {}, async (port) => {
    const talk = await begin(port);
    await talk.call('painting', { deal });
    await talk.expect('proposal');
    await talk.accept();
    await talk.expect('failure');
  });
  assert.ok(refused instanceof AnexError);
});

/** An agent host of a stranger. answer(id, body, say, n) gets each message of a caller in its n-th session. */
async function hostile(answer, client, greeting = (hello) => ({ hello: { version: 1, session: hello.session, window: 64, seen: 0, ack: 0, from: 1 } })) {
  const cert = `-----BEGIN CERTIFICATE-----\n${Buffer.from(await certificate(joe)).toString('base64')}\n-----END CERTIFICATE-----\n`;
  const key = createPrivateKey({ key: await crypto.subtle.exportKey('jwk', joe.private), format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
  const server = createServer({ cert, key, minVersion: 'TLSv1.3' }, (q, r) => r.end(JSON.stringify({ agent: joe.did, id: q.url.split('/')[2], operator: joe.did })));
  let n = 0;
  new WebSocketServer({ server, handleProtocols: () => 'ojud-channel-1' }).on('connection', (ws, q) => {
    const id = q.url.split('/')[2], session = ++n;
    let seq = 1;
    ws.on('close', () => server.emit(`left ${id}`));
    ws.on('message', (raw) => {
      const f = JSON.parse(raw);
      if (f.hello) {
        const greets = greeting(f.hello, session);
        return greets.silent || ws.send(JSON.stringify(greets));
      }
      if (!f.body) return undefined;
      if (f.seq) ws.send(JSON.stringify({ ack: f.seq }));
      return answer(id, f.body, (body) => ws.send(JSON.stringify(body.bye ? body : { seq: seq++, body })), session);
    });
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  try {
    await client(`agent://127.0.0.1:${server.address().port}`, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const denied = { end: { code: 'denied', error: 'done' } };

test('TestAttackAfterTheEnd: when a call is over, no tool begins, and the call of a minion breaks off', async () => {
  const heard = [];
  let over = false, late = 0, looked = 0, say;
  await hostile((id, body, tell) => {
    if (id === 'boss' && body.run) {
      say = tell;
      for (let i = 0; i < 12; i++) tell({ call: { id: `s${i}`, name: i < 6 ? 'slow' : 'look', input: {} } });
      for (const m of ['m', 'n']) tell({ call: { id: m, name: 'friend', input: {} } }); // n waits for m
    }
    if (id === 'friend') tell({ call: { id: `x${looked}`, name: 'look', input: {} } }); // again and again
  }, async (at, server) => {
    const seen = [], left = Promise.all(['boss', 'friend'].map((id) => new Promise((resolve) => { server.once(`left ${id}`, resolve); })));
    const slow = (input, { signal }) => new Promise((resolve) => { signal.addEventListener('abort', () => { seen.push('told'); resolve(left); }); });
    const look = () => {
      looked++;
      if (over) late++;
      if (looked === 20) { say(denied); say({ call: { id: 'last', name: 'look', input: {} } }); }
    };
    await assert.rejects(invoke(`${at}/boss/go`, {}, joe, new Chain(), {
      tools: { slow: { run: slow }, look: { run: look } }, minions: { friend: { address: `${at}/friend/go`, chain: new Chain(), tools: ['look'] } },
      heard: (kind, value) => { if (kind === 'call') heard.push(value.id); },
    }), /done/);
    assert.ok(heard.includes('m/x6'), 'what a minion has this side run is not heard');
    over = true;
    await left;
    await left;
    await new Promise(setImmediate); // what waited for the slow ones would begin
    assert.equal(late, 0);
    assert.deepEqual(seen, Array(6).fill('told'));
  });
});

test('TestAttackGone: a host that forgets its sessions has no call made twice', async () => {
  const runs = [];
  await hostile((id, body, tell, session) => {
    if (body.run) for (const at of ['same', `s${session}`]) tell({ call: { id: at, name: 'look', input: at } });
    if (body.result?.id === `s${session}`) tell(session < 3 ? { bye: { code: 'gone', error: '' } } : denied);
  }, async (at) => {
    await assert.rejects(invoke(`${at}/boss/go`, {}, joe, new Chain(), { tools: { look: { run: (input) => runs.push(input) } } }), /done/);
  });
  assert.deepEqual(runs, ['same', 's1', 's2', 's3']);
});

test('TestAttackTooManyCalls: an agent is told of calls beyond its limit, and a minion uses up none of them', async () => {
  const answers = { boss: [], friend: [] };
  let looked = 0;
  await hostile((id, body, tell) => {
    if (body.result) answers[id].push(body.result.error ?? body.result.output);
    const n = answers[id].length;
    if (id === 'friend') tell(n < 102 ? { call: { id: `f${n}`, name: 'look', input: {} } } : denied); // without end, if nobody says no
    if (id === 'boss') tell(n < 4 ? { call: { id: `b${n}`, name: n ? 'look' : 'friend', input: {} } } : denied);
  }, async (at) => {
    await assert.rejects(invoke(`${at}/boss/go`, {}, joe, new Chain(), {
      tools: { look: { run: () => ++looked } }, minions: { friend: { address: `${at}/friend/go`, chain: new Chain(), tools: ['look'] } }, maxRuns: 3,
    }), /done/);
  });
  assert.deepEqual(answers.friend.slice(99), [100, 'it has made 100 calls', 'it has made 100 calls']);
  assert.deepEqual(answers.boss.slice(1), [101, 102, 'it has made 3 calls']);
});

test('TestAttackLongId: a result that has no room in a channel is told as one, and ends no process', async () => {
  const said = [];
  await hostile((id, body, tell) => {
    if (body.run) tell({ call: { id: 'é'.repeat(524_265), name: 'x' } });
    if (body.result) { said.push(body.result); tell(denied); }
  }, async (at) => {
    await assert.rejects(invoke(`${at}/boss/go`, {}, joe), /done/);
  });
  assert.deepEqual(said, [{ id: 'é'.repeat(200), name: 'x', error: 'the result is too long' }]);
});

test('TestAttackSilent: a connection on which nothing is heard is given up', { timeout: 30_000 }, async () => {
  await hostile((id, body, tell) => tell(denied), async (at) => {
    await assert.rejects(invoke(`${at}/boss/go`, {}, joe), /done/);
  }, (hello, session) => (session === 1 ? { silent: true } : { hello: { version: 1, session: hello.session, window: 64, seen: 0, ack: 0, from: 1 } }));
});

test('a caller is told while a dial hangs, and again when the host is back, also in a new session', async () => {
  const heard = [];
  const links = [];
  let hangs = false;
  await hostile((id, body, tell, session) => {
    if (session === 1) { hangs = true; for (const one of links) one.destroy(); }
    else tell(denied);
  }, async (at) => {
    const port = Number(at.split(':').pop());
    const front = createNet((near) => { // in front of the host; it takes connections and is silent while the host is away
      links.push(near.on('error', () => {}));
      const join = () => { const far = dialNet(port, '127.0.0.1').on('error', () => {}); links.push(far); near.pipe(far).pipe(near); };
      if (hangs) near.waits = join; else join();
    });
    await new Promise((resolve) => { front.listen(0, '127.0.0.1', resolve); });
    const begun = Date.now();
    try {
      await assert.rejects(invoke(`agent://127.0.0.1:${front.address().port}/boss/do`, 1, joe, new Chain(), {
        heard: (kind) => {
          heard.push(kind);
          if (kind !== 'away') return;
          hangs = false;
          links.find((one) => one.waits).waits();
        },
      }), /done/);
      assert.deepEqual(heard, ['away', 'back']);
      assert.ok(Date.now() - begun < 8000); // a dial hangs for 15 s
    } finally {
      for (const one of links) one.destroy();
      front.close();
    }
  }, (hello, session) => (session === 2 ? { bye: { code: 'gone', error: 'I was started anew' } } : { hello: { version: 1, session: hello.session, window: 64, seen: 0, ack: 0, from: 1 } }));
});
