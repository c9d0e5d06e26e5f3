// Numbers, keys and hashes as bytes and back. Keys are base58 addresses, hashes hex.

import { createHash } from 'node:crypto';
import { getAddressDecoder, getAddressEncoder } from '@solana/kit';

export const SYSTEM = '11111111111111111111111111111111';
/** The key that is nobody's: all zero, like the System program's address. */
export const NOBODY = SYSTEM;
export const NO_HASH = '00'.repeat(32);
export const MAX = 2n ** 64n - 1n;

const encoder = getAddressEncoder();
const decoder = getAddressDecoder();
const known = new Map();

/** The base58 address of 32 bytes. */
export const address = (key) => decoder.decode(key);

/** The 32 bytes of an address. */
export function keyBytes(at) {
  if (!known.has(at)) known.set(at, Uint8Array.from(encoder.encode(at)));
  return known.get(at);
}

export const bytes = (...parts) => Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));
export const ascii = (text) => Buffer.from(text, 'latin1');
export const hex = (data) => Buffer.from(data).toString('hex');
export const unhex = (text) => Uint8Array.from(Buffer.from(text, 'hex'));

/** SHA-256 of the parts, as bytes. */
export function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return Uint8Array.from(hash.digest());
}

/** `number` in `length` little-endian bytes; negative numbers in two's complement. */
export function le(number, length) {
  const out = new Uint8Array(length);
  const modulus = 1n << BigInt(8 * length);
  let rest = BigInt(number);
  if (rest >= modulus || rest < -modulus / 2n) throw new RangeError(`${number} does not fit in ${length} bytes`);
  if (rest < 0n) rest += modulus;
  for (let i = 0; i < length; i++, rest >>= 8n) out[i] = Number(rest & 255n);
  return out;
}

/** The little-endian number in `length` bytes of `data` from `offset` on, as a BigInt. */
export function number(data, offset = 0, length = 8) {
  return data.slice(offset, offset + length).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

export const u8 = (value) => le(value, 1);
export const u16 = (value) => le(value, 2);
export const u32 = (value) => le(value, 4);
export const u64 = (value) => le(value, 8);
/** Signed; what needs 64 bits without a sign is refused. */
export const i64 = (value) => {
  if (BigInt.asIntN(64, BigInt(value)) !== BigInt(value)) throw new RangeError(`${value} does not fit in 63 bits`);
  return le(value, 8);
};
