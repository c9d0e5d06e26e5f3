// Frames in CBOR: the deterministic encoding of RFC 8949, section 4.2.1 (docs/talking.md). What is
// read is canonical JSON, so all rules, hashes and signatures are those of JSON.

import * as cborg from 'cborg';

import { AnexError, MAX_DEPTH, bytes, canonical, loads } from './message.mjs';

const maxValues = 1 << 18;

/** The CBOR of a frame in JSON, or null if it stays JSON: plain text, numbers that not all read in
 * the same way, and what would be longer than limit. */
export function pack(text, limit) {
  if (!text.startsWith('{')) return null;
  try {
    const value = loads(text), plain = canonical(value);
    if (bytes(plain) > limit) return null;
    const raw = cborg.encode(value);
    bounded(raw);
    return raw.length <= limit ? raw : null;
  } catch (e) {
    if (!(e instanceof AnexError)) throw e;
    return null;
  }
}

/** The canonical JSON of a frame in CBOR, both of at most limit bytes. */
export function unpack(raw, limit) {
  if (raw.length > limit || !raw.length || raw[0] >> 5 !== 5) throw new AnexError(`a frame of ${raw.length} bytes that is no map of CBOR, or is longer than ${limit}`);
  bounded(raw);
  let value;
  try {
    value = plainly(cborg.decode(raw, {
      strict: true, useMaps: true, allowIndefinite: false, allowUndefined: false, allowBigInt: false, allowNaN: false, allowInfinity: false, rejectDuplicateMapKeys: true,
    }));
  } catch (e) {
    throw new AnexError(`no CBOR: ${e.message}`);
  }
  const text = canonical(value), again = cborg.encode(value);
  if (bytes(text) > limit) throw new AnexError('a frame that is too long as JSON');
  if (again.length !== raw.length || again.some((b, i) => b !== raw[i])) throw new AnexError('CBOR that is not deterministic');
  return text;
}

// Objects instead of maps. A member may be called __proto__.
function plainly(v) {
  if (Array.isArray(v)) return v.map(plainly);
  if (!(v instanceof Map)) return v;
  const out = {};
  for (const [name, item] of v) {
    if (typeof name !== 'string') throw new AnexError('a key that is no text');
    Object.defineProperty(out, name, { value: plainly(item), enumerable: true, configurable: true, writable: true });
  }
  return out;
}

// Looks at the heads alone: lengths, depth, number of values, and types that JSON has.
function bounded(raw) {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const left = [1]; // the values that each open container still has to have
  for (let at = 0, values = 0; ;) {
    while (left.at(-1) === 0) {
      left.pop();
      if (left.length) continue;
      if (at !== raw.length) throw new AnexError('something follows the CBOR');
      return;
    }
    left[left.length - 1]--;
    if (++values > maxValues || at >= raw.length) throw new AnexError(`CBOR that ends early, or has more than ${maxValues} values`);
    const major = raw[at] >> 5, info = raw[at++] & 31;
    let n = info;
    if (info >= 24) {
      const size = 1 << (info - 24);
      if (info > 27 || raw.length - at < size) throw new AnexError('a length in CBOR that is not there');
      n = [() => view.getUint8(at), () => view.getUint16(at), () => view.getUint32(at), () => Number(view.getBigUint64(at))][info - 24]();
      at += size;
    }
    const sized = major >= 3 && major <= 5;
    if (sized && n > raw.length - at) throw new AnexError('CBOR that ends early');
    if (major === 3) at += n;
    else if (sized) {
      if (left.length > MAX_DEPTH) throw new AnexError('nested too deep');
      left.push(n * (major - 3));
    } else if (!(major < 2 || major === 7 && [20, 21, 22, 25, 26, 27].includes(info))) throw new AnexError('a type of CBOR that JSON does not have');
  }
}
