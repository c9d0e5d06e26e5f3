// What only Node.js can do: check the certificate of an agent's own key, and serve.

import { X509Certificate, createHash, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { WebSocket, WebSocketServer } from 'ws';

import { AnexError, MAX_INFORM } from './message.mjs';
import { Key, hex, publicKey } from './agreement.mjs';
import * as codec from './cbor.mjs';
import { MEETING, Meeting } from './meeting.mjs';
import { Frames, SUBPROTOCOL, SUBPROTOCOL_CBOR, admit, introduce, prove } from './talk.mjs';
import { certificate } from './certificate.mjs';

export { Refused, describe, invoke } from './abroad.mjs';
export { resolve } from './names.mjs';
export { Chain } from './ucan.mjs';

/** Reads a key file of Solana, which is that of ojud, too: 64 numbers. */
export async function loadKey(path) {
  const raw = Uint8Array.from(JSON.parse(readFileSync(path, 'utf8')));
  const key = await Key.create(raw.slice(0, 32));
  if (raw.length !== 64 || hex(key.public) !== hex(raw.slice(32))) throw new AnexError(`${path} is no key file`);
  return key;
}

const fingerprint = (der) => createHash('sha256').update(der).digest('hex');

/** Opens a conversation. With peer nobody else can answer, and it needs no authority. With cbor
 * frames are binary if the server reads CBOR. */
export async function connect(url, key, { peer = '', ca, bounds, cbor = false } = {}) {
  return opened(url, peer, ca, cbor ? [SUBPROTOCOL_CBOR, SUBPROTOCOL] : SUBPROTOCOL, (frames, seen) =>
    introduce(frames, key, { peer, certificate: seen, bounds, cbor: cbor && codec }));
}

/** Takes part in the meeting of a convener, likewise (Meeting). */
export async function join(url, key, { peer = '', ca, owner = '' } = {}) {
  return opened(url, peer, ca, MEETING, async (frames, seen) => new Meeting(frames, key, await prove(frames, key, peer, seen), owner));
}

async function opened(url, peer, ca, speaks, then) {
  const u = new URL(url);
  if (u.protocol !== 'wss:' && !(u.protocol === 'ws:' && ['localhost', '127.0.0.1', '[::1]'].includes(u.hostname))) {
    throw new AnexError('write wss://, or ws:// for this machine');
  }
  const ws = new WebSocket(url, speaks, { maxPayload: MAX_INFORM, handshakeTimeout: 15_000, minVersion: 'TLSv1.3', ca, rejectUnauthorized: !peer, followRedirects: false });
  const frames = new Frames(ws);
  let seen = '', refusal;
  ws.on('upgrade', (answer) => {
    if (u.protocol !== 'wss:') return;
    const raw = answer.socket.getPeerCertificate().raw;
    seen = fingerprint(raw);
    const jwk = new X509Certificate(raw).publicKey.export({ format: 'jwk' });
    const pinned = jwk.crv === 'Ed25519' && peer && Buffer.from(jwk.x, 'base64url').equals(publicKey(peer));
    if (!pinned && !answer.socket.authorized) refusal = new AnexError('the server has neither the key of the agent nor a certificate of an authority');
  });
  await new Promise((resolve, reject) => {
    ws.on('open', resolve);
    ws.on('error', (e) => reject(new AnexError(`no connection to ${url}: ${e.message}`)));
  });
  if (refusal) { ws.terminate(); throw refusal; }
  try {
    return await then(frames, seen);
  } catch (e) {
    ws.terminate();
    throw e;
  }
}

const maxTalks = 256, maxSockets = 512;

/** Takes conversations, and runs handler(talk) for each. Returns the HTTPS server. What a handler
 * throws ends its conversation and is told to failed: a stranger must not end the process. */
export async function serve(key, handler, { host = '127.0.0.1', port = 0, bounds, failed = console.error } = {}) {
  const der = await certificate(key);
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;
  const secret = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d: Buffer.from(key.seed).toString('base64url'), x: Buffer.from(key.public).toString('base64url') }, format: 'jwk' });
  const server = createServer({ cert: pem, key: secret.export({ type: 'pkcs8', format: 'pem' }), minVersion: 'TLSv1.3', headersTimeout: 15_000, requestTimeout: 15_000 },
    (_, answer) => answer.writeHead(426, { connection: 'close' }).end());
  server.maxConnections = maxSockets;
  const sockets = new WebSocketServer({ server, maxPayload: MAX_INFORM, handleProtocols: (all) => [SUBPROTOCOL_CBOR, SUBPROTOCOL].find((p) => all.has(p)) ?? false });
  sockets.on('error', () => {}); // the server's own listener takes it
  sockets.on('connection', async (ws) => {
    // Without a listener the first invalid frame would end the process, so it comes first.
    ws.on('error', () => ws.terminate());
    if (!ws.protocol || sockets.clients.size > maxTalks) { ws.close(1008); return; }
    try {
      await handler(await admit(new Frames(ws), key, { certificate: fingerprint(der), bounds, cbor: codec }));
    } catch (e) {
      ws.close(1008);
      if (!(e instanceof AnexError)) failed(e);
    }
  });
  await new Promise((resolve, reject) => { server.on('error', reject); server.listen(port, host, resolve); });
  return server;
}
