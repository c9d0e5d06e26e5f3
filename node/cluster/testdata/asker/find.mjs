// The holders of a source and their terms: announcements and source cards (sections 9 and 12).
import { peerIdFromString } from '@libp2p/peer-id'
import * as varint from 'uint8-varint'
import { canonical, parse, sha256 } from './json.mjs'
import { didOf, verifies } from './keys.mjs'
import { request } from './line.mjs'

const DIGEST = 1
const GET = 1
const REPLY = 570_113
const CARD = 65_536

/** Returns the announcements that the node knows, without those with a bad signature. */
export async function announcements(connection, network) {
  const digest = Uint8Array.of(DIGEST, 0) // "I know no peers", answered with announcements
  const reply = await request(connection, network, 'registry', digest, REPLY)
  return batch(reply.subarray(1)).map(raw => parse(raw)).filter(a => isSigned(a, network)) // the first byte says whether there are more
}

function batch(bytes) {
  let at = 0
  const number = () => {
    const n = varint.decode(bytes, at)
    at += varint.encodingLength(n)
    return n
  }
  return Array.from({ length: Math.min(number(), 256) }, () => {
    const size = number()
    return bytes.subarray(at, (at += size))
  })
}

function isSigned({ sig, ...rest }, network) {
  const key = peerIdFromString(rest.peer).publicKey.raw
  const message = Buffer.concat([Buffer.from(`oju:announcement:v1:${network}\0`), canonical(rest)])
  return rest.did === didOf(key) && verifies(key, message, Buffer.from(sig, 'base64'))
}

/** The nodes that announce the source: addresses, and the hash of the source's card. */
export const holdersOf = (known, source) => known.flatMap(a => a.sources
  .filter(s => s.kind === 'tool' && s.name === source)
  .map(s => ({ addresses: a.addrs.map(addr => `${addr}/p2p/${a.peer}`), card: s.schema_hash })))

/** Content by hash: the card of a source, with its requests, answers and terms. */
export async function cardOf(connection, network, hash) {
  const raw = await request(connection, network, 'blob', Buffer.concat([Uint8Array.of(GET), Buffer.from(hash, 'hex')]), CARD)
  if (sha256(raw) !== hash) throw new Error('this is not the card that was announced')
  return parse(raw)
}
