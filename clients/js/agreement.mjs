// Keys, names, and the agreements that two agents sign. WebCrypto alone, so it runs in browsers.

import { AnexError, bytes, canonical, isObject, loads } from './message.mjs';

export const FORMAT = 'anex-agreement/1', SEVERAL = 'anex-agreement/2', NO_RETENTION = 'no data retention';
const tag = 'anex:agreement:v1';
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const utf8 = new TextEncoder();

export const base64 = (raw) => btoa(String.fromCharCode(...new Uint8Array(raw)));
export function unbase64(text) {
  try {
    const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    if (base64(raw) === text) return raw;
  } catch { /* the next line says it */ }
  throw new AnexError('no base64');
}
export const hex = (raw) => [...new Uint8Array(raw)].map((b) => b.toString(16).padStart(2, '0')).join('');
export const sha256 = async (raw) => hex(await crypto.subtle.digest('SHA-256', typeof raw === 'string' ? utf8.encode(raw) : raw));

export function base58(raw) {
  let n = 0n, out = '';
  for (const b of raw) n = n * 256n + BigInt(b);
  for (; n; n /= 58n) out = alphabet[Number(n % 58n)] + out;
  for (let i = 0; raw[i] === 0; i++) out = '1' + out;
  return out;
}

function unbase58(text) {
  let n = 0n;
  for (const c of text) {
    const i = alphabet.indexOf(c);
    if (i < 0) throw new AnexError(`${text.slice(0, 80)} is no base58`);
    n = n * 58n + BigInt(i);
  }
  const raw = [];
  for (; n; n /= 256n) raw.unshift(Number(n % 256n));
  for (let i = 0; text[i] === '1'; i++) raw.unshift(0);
  return Uint8Array.from(raw);
}

/** The did:key of 32 bytes of an Ed25519 key. */
export const did = (key) => 'did:key:z' + base58([0xed, 0x01, ...key]);

/** The 32 bytes of a did:key. */
export function publicKey(name) {
  const fail = () => { throw new AnexError(`${name.slice(0, 80)} is no did:key of Ed25519`); };
  if (!name.startsWith('did:key:z') || name.length > 64) fail();
  const raw = unbase58(name.slice('did:key:z'.length));
  if (raw.length !== 34 || raw[0] !== 0xed || raw[1] !== 0x01 || did(raw.slice(2)) !== name) fail();
  return raw.slice(2);
}

/** The 32 bytes of an address on the chain. */
export function ofAddress(text) {
  const raw = text.length <= 44 ? unbase58(text) : [];
  if (raw.length !== 32) throw new AnexError(`${text.slice(0, 80)} is no address on the chain`);
  return raw;
}

/** The key of an agent. Make one with Key.create(). */
export class Key {
  /** From 32 bytes of a seed, or a new one. */
  static async create(seed = crypto.getRandomValues(new Uint8Array(32))) {
    const key = new Key();
    key.seed = seed;
    const der = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20, ...seed]);
    key.private = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', true, ['sign']);
    const jwk = await crypto.subtle.exportKey('jwk', key.private);
    key.public = unbase64(jwk.x.replaceAll('-', '+').replaceAll('_', '/').padEnd(44, '='));
    key.did = did(key.public);
    return key;
  }

  sign(message) { return crypto.subtle.sign('Ed25519', this.private, message); }
}

export async function verifies(name, message, signature) {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey(name), 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, message);
  } catch {
    return false;
  }
}

const terms = (a) => canonical({ ...a, signatures: undefined });
export const agreementHash = (a) => sha256(terms(a));
const message = async (a) => utf8.encode(tag + (await agreementHash(a)));

/** Signs an agreement, and returns the signature. */
export async function sign(a, key) {
  const text = base64(await key.sign(await message(a)));
  a.signatures = { ...a.signatures, [key.did]: text };
  return text;
}

export async function signedBy(a, name, signature) {
  let raw;
  try { raw = unbase64(signature); } catch { return false; }
  return verifies(name, await message(a), raw);
}

/** Fails unless both parties signed, and nobody else. */
export async function verify(a) {
  const names = Object.keys(a.signatures ?? {}), parties = new Set(a.format === SEVERAL && Array.isArray(a.parties) ? a.parties : [a.asker, a.holder]);
  if (parties.size < 2 || names.length !== parties.size || !names.every((n) => parties.has(n))) throw new AnexError('all parties sign, and nobody else');
  for (const name of names) if (!(await signedBy(a, name, a.signatures[name]))) throw new AnexError(`the signature of ${name} does not fit`);
}

export function parseAgreement(text) {
  const a = loads(text);
  if (!isObject(a) || ![FORMAT, SEVERAL].includes(a.format)) throw new AnexError('it is no agreement');
  return a;
}

/** The path of a name of access. */
export function steps(name) {
  if (!name || bytes(name) > 128 || name.trim() !== name || /[\u0000-\u001f\u007f-\u009f]/.test(name) || name.endsWith('(m)')) {
    throw new AnexError(`${name.slice(0, 40)} is no name`);
  }
  if (name === '*') return [];
  if (!name.startsWith('/')) return [name];
  if (/~(?![01])/.test(name)) throw new AnexError(`${name.slice(0, 40)} is no JSON pointer`);
  return name.slice(1).split('/').map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function covers(a, b) {
  const x = steps(a), y = steps(b);
  return x.every((s, i) => y[i] === s);
}

/** The part of data that the names of access grant. */
export function cut(data, access) { return cutBy(data, access.map(steps)); }

function cutBy(value, paths) {
  if (paths.some((p) => p.length === 0)) return value;
  if (Array.isArray(value)) return value.map((v) => cutBy(v, paths)).filter((v) => v !== undefined);
  if (!isObject(value)) return undefined;
  const out = {};
  for (const [name, item] of Object.entries(value)) {
    const rest = paths.filter((p) => p[0] === name).map((p) => p.slice(1));
    const kept = rest.length ? cutBy(item, rest) : undefined;
    if (kept !== undefined) Object.defineProperty(out, name, { value: kept, enumerable: true, configurable: true, writable: true });
  }
  return out;
}
