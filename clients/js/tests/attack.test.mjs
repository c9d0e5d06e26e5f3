// What strangers do to a program that asks or serves (docs/attacks.md).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect as dial } from 'node:tls';

import { AnexError, Key, verify } from '../index.mjs';
import { connect, serve } from '../node.mjs';

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
