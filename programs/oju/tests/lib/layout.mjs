// A field list such as 'count:u32 pad:4 authority:key' read from and written to bytes.

import { address, ascii, hex, keyBytes, le, number, sha256, unhex } from './bytes.mjs';

const small = (size) => ({
  size,
  read: (data, at) => Number(number(data, at, size)),
  write: (value) => le(value, size),
});

const TYPES = {
  u8: small(1),
  u16: small(2),
  u32: small(4),
  u64: { size: 8, read: (data, at) => number(data, at), write: (value) => le(value, 8) },
  pages: {
    size: 640,
    read: (data, at) => Array.from({ length: 80 }, (_, page) => number(data, at + 8 * page)),
    write: (values) => Buffer.concat(values.map((value) => Buffer.from(le(value, 8)))),
  },
  i64: { size: 8, read: (data, at) => BigInt.asIntN(64, number(data, at)), write: (value) => le(value, 8) },
  key: { size: 32, read: (data, at) => address(data.slice(at, at + 32)), write: (value) => keyBytes(value) },
  hash: { size: 32, read: (data, at) => hex(data.slice(at, at + 32)), write: (value) => unhex(value) },
};

/** `sha256(space ‖ name)[0..8]`. */
export const discriminator = (space, name) => sha256(ascii(`${space}:${name}`)).slice(0, 8);

export class Layout {
  constructor(fields) {
    let at = 0;
    this.fields = fields.trim().split(/\s+/).filter(Boolean).map((field) => {
      const [name, kind] = field.split(':');
      const pad = name === 'pad';
      const type = pad ? { size: Number(kind) } : TYPES[kind];
      if (!type) throw new Error(`no type ${kind}`);
      const placed = { name, kind, type, at, pad };
      at += type.size;
      return placed;
    });
    this.size = at;
  }

  /** The fields in `data` from `start` on. Padding must be zero. */
  read(data, start = 0) {
    if (data.length < start + this.size) throw new Error(`${data.length} bytes are too few`);
    const out = {};
    for (const { name, type, at, pad } of this.fields) {
      if (!pad) out[name] = type.read(data, start + at);
      else if (data.slice(start + at, start + at + type.size).some((byte) => byte)) throw new Error('padding is not zero');
    }
    return out;
  }

  /** The bytes of `values`, which must have every field. */
  write(values) {
    return Buffer.concat(this.fields.map(({ name, type, pad }) => {
      if (pad) return Buffer.alloc(type.size);
      if (values[name] === undefined) throw new Error(`${name} is missing`);
      return Buffer.from(type.write(values[name]));
    }));
  }
}
