// Signed calls under a chain of delegations (UCAN 1.0), as docs/protocol.md, section 14, has them.

import { AnexError, bytes, isObject } from './message.mjs';
import { base64, publicKey, sha256, unbase64 } from './agreement.mjs';

const header = Uint8Array.from([0x34, 0x01, 0xed, 0x01, 0xed, 0x01, 0x13, 0x71]);
const delegation = 'ucan/dlg@1.0.0', invocation = 'ucan/inv@1.0.0';
const maxLinks = 16, maxToken = 32 << 10, maxDepth = 24, maxChain = 1 << 20;
const utf8 = new TextEncoder();
const fail = (why) => { throw new AnexError(`the token cannot be read: ${why}`); };

/** The CID of a token: 36 bytes. */
export class Cid {
  constructor(raw) { this.raw = raw; }
  static async of(token) {
    return new Cid(Uint8Array.from([1, 0x71, 0x12, 0x20, ...new Uint8Array(await crypto.subtle.digest('SHA-256', token))]));
  }
  toString() {
    let out = 'b', n = 0, bits = 0;
    for (const b of this.raw) {
      n = n << 8 | b;
      for (bits += 8; bits >= 5; bits -= 5) out += 'abcdefghijklmnopqrstuvwxyz234567'[n >> bits - 5 & 31];
      n &= 255;
    }
    return bits ? out + 'abcdefghijklmnopqrstuvwxyz234567'[n << 5 - bits & 31] : out;
  }
}

function head(major, n) {
  if (n < 24) return [major << 5 | n];
  const size = n < 256 ? 1 : n < 65536 ? 2 : n < 2 ** 32 ? 4 : 8;
  const out = [major << 5 | 24 + Math.log2(size)];
  for (let i = size - 1; i >= 0; i--) out.push(Number(BigInt(n) >> BigInt(8 * i) & 255n));
  return out;
}

const list = (v) => {
  if (v === null) return [0xf6];
  if (typeof v === 'boolean') return [v ? 0xf5 : 0xf4];
  if (Number.isSafeInteger(v)) return v >= 0 ? head(0, v) : head(1, -1 - v);
  if (v instanceof Cid) return [0xd8, 0x2a, ...list(Uint8Array.from([0, ...v.raw]))];
  if (v instanceof Uint8Array) return [...head(2, v.length), ...v];
  if (typeof v === 'string') { const raw = utf8.encode(v); return [...head(3, raw.length), ...raw]; }
  if (Array.isArray(v)) return [...head(4, v.length), ...v.flatMap(list)];
  if (!isObject(v)) throw new AnexError(`${typeof v} is no value of a token`);
  const names = Object.keys(v).sort((a, b) => bytes(a) - bytes(b) || (a < b ? -1 : 1));
  return [...head(5, names.length), ...names.flatMap((k) => [...list(k), ...list(v[k])])];
};

/** DAG-CBOR of null, whole numbers, bytes, texts, CIDs, lists and maps with ASCII names. */
export const encode = (v) => Uint8Array.from(list(v));

/** Reads DAG-CBOR of a stranger. */
export function decode(raw) {
  let at = 0;
  const take = (n) => {
    if (n > raw.length - at) fail('it is too short');
    return raw.slice(at, at += n);
  };
  const value = (depth) => {
    if (depth > maxDepth) fail('it is nested too deep');
    const [first] = take(1);
    const major = first >> 5;
    let n = first & 31;
    if (n > 27) fail('a length has no end');
    if (n >= 24) n = Number(take(1 << n - 24).reduce((sum, b) => sum * 256n + BigInt(b), 0n));
    switch (major) {
      case 0: return n;
      case 1: return -1 - n;
      case 2: return take(n);
      case 3: try { return new TextDecoder('utf-8', { fatal: true }).decode(take(n)); } catch { return fail('a text is no UTF-8'); }
      case 6: { const v = value(depth + 1); return n === 42 && v instanceof Uint8Array ? new Cid(v.slice(1)) : v; }
      case 7: return { 20: false, 21: true }[n] ?? null;
    }
    if (n > raw.length - at) fail('it is too short');
    if (major === 4) return Array.from({ length: n }, () => value(depth + 1));
    const out = Object.create(null);
    for (; n; n--) {
      const name = value(depth + 1);
      if (typeof name !== 'string') fail('a name is no text');
      out[name] = value(depth + 1);
    }
    return out;
  };
  const v = value(0);
  if (at !== raw.length) fail('something stands after it');
  return v;
}

/** A file of delegations, root first, as the other side gave it. */
export class Chain {
  links = [];
  subject = '';
  constructor(text = '') {
    if (!text) return;
    try {
      if (text.length > maxChain) fail('it is too long');
      const f = JSON.parse(text);
      if (f.format !== 'ojud-delegation/1' || !(f.links.length >= 1 && f.links.length <= maxLinks)) fail('it has another form');
      this.links = f.links.map(unbase64);
      if (this.links.some((one) => one.length > maxToken)) fail('a link is too long');
      this.subject = decode(this.links[0])[1][delegation].sub;
      publicKey(this.subject);
    } catch (e) {
      throw new AnexError(`this is no chain of delegations: ${e.message}`);
    }
  }
}

/** Signs a call of an agent, a did:key. Returns the file of the call, and its CID. */
export async function call(key, agent, command, payload, chain, { tokens = 0, microdollars = 0 } = {}, lasts = 960) {
  const now = Math.floor(Date.now() / 1000), subject = chain.subject || key.did;
  const body = {
    iss: key.did, sub: subject, cmd: command, nonce: crypto.getRandomValues(new Uint8Array(16)), exp: now + lasts, iat: now,
    prf: await Promise.all(chain.links.map((one) => Cid.of(one))),
    args: { call: command, spend: { lamports: 0, tokens, microdollars }, input: { sha256: await sha256(payload) } },
  };
  if (agent !== subject) body.aud = agent;
  const content = { h: header, [invocation]: body };
  const token = encode([new Uint8Array(await key.sign(encode(content))), content]);
  return { file: { format: 'ojud-call/1', invocation: base64(token), links: chain.links.map(base64) }, id: String(await Cid.of(token)) };
}
