// Node keys: libp2p Ed25519 identities, their did:key, and strict signatures (sections 1 and 3).
import { readFile } from 'node:fs/promises'
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58btc } from 'multiformats/bases/base58'

const ED25519_PUB = [0xed, 0x01] // the multicodec, as a varint

/** Returns the key of the 32-byte seed in the file (64 hex digits). */
export async function readKey(path) {
  const seed = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(seed)) throw new Error(`${path}: 64 hex digits are wanted, the seed of an Ed25519 key`)
  return generateKeyPairFromSeed('Ed25519', Buffer.from(seed, 'hex'))
}

/** did:key of a 32-byte public key. */
export const didOf = raw => `did:key:${base58btc.encode(Uint8Array.from([...ED25519_PUB, ...raw]))}`

/** Section 3: canonical S, neither the key nor R of small order. */
export function verifies(raw, message, signature) {
  try {
    const R = ed25519.Point.fromBytes(signature.subarray(0, 32), false)
    return !R.isSmallOrder() && ed25519.verify(signature, message, raw, { zip215: false })
  } catch {
    return false // not a point of the curve, or a wrong length
  }
}
