// A certificate of an agent's own Ed25519 key (X.509 in DER), because Node.js makes none.

const tlv = (tag, ...parts) => {
  const body = parts.flatMap((p) => [...p]);
  const n = body.length;
  const size = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255];
  return [tag, ...size, ...body];
};
const seq = (...parts) => tlv(0x30, ...parts);
const text = (tag, s) => tlv(tag, new TextEncoder().encode(s));
const ed25519 = seq(tlv(6, [0x2b, 0x65, 0x70]));
const time = (ms) => text(0x17, new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14) + 'Z');

/** Returns the certificate as bytes. */
export async function certificate(key, now = Date.now()) {
  const name = seq(tlv(0x31, seq(tlv(6, [0x55, 4, 3]), text(0x0c, 'ANEX agent'))));
  const serial = [1, ...crypto.getRandomValues(new Uint8Array(15))];
  const names = seq(text(0x82, 'anex.invalid'));
  const extension = seq(tlv(6, [0x55, 0x1d, 0x11]), tlv(4, names));
  const body = seq(
    tlv(0xa0, tlv(2, [2])), tlv(2, serial), ed25519, name, seq(time(now - 3_600_000), time(now + 365 * 86_400_000)), name,
    seq(ed25519, tlv(3, [0, ...key.public])), tlv(0xa3, seq(extension)),
  );
  const signature = new Uint8Array(await key.sign(Uint8Array.from(body)));
  return Uint8Array.from(seq(body, ed25519, tlv(3, [0, ...signature])));
}
