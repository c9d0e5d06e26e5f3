// Connections: TCP, Noise, yamux, and the streams of a network (section 9).
import './node20.mjs'
import { createLibp2p } from 'libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { framed } from './frame.mjs'
import { didOf } from './keys.mjs'

const MESSAGE = 1_572_864 // the longest message of a conversation: section 12, Messages
const WRITE_MS = 120_000

/** Returns a libp2p host with this key that only dials. The caller must stop() it. */
export const host = privateKey => createLibp2p({
  privateKey,
  addresses: { listen: [] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services: { identify: identify() }
})

/** Connects with the node at one of these addresses, which end in /p2p/. */
export const connect = (node, addresses) => node.dial(addresses.map(a => multiaddr(a)), { signal: AbortSignal.timeout(120_000) })

const open = (connection, network, name) =>
  connection.newStream(`/oju/${network}/${name}/1`, { signal: AbortSignal.timeout(120_000) })

/**
 * Sends a request on its own stream and returns the response. A refusal throws an Error with the
 * status and the reason.
 */
export async function request(connection, network, name, payload, limit) {
  const stream = await open(connection, network, name)
  const frames = framed(stream, limit)
  await frames.write(payload, WRITE_MS)
  const response = await frames.read(120_000)
  await stream.close()
  return response
}

/** Opens a line for one conversation about data. `key` is the holder's key, which Noise proved. */
export async function talk(node, connection, network) {
  const stream = await open(connection, network, 'data')
  const frames = framed(stream, MESSAGE)
  const key = connection.remotePeer.publicKey.raw
  return {
    me: didOf(node.peerId.publicKey.raw),
    peer: didOf(key),
    key,
    write: message => frames.write(message, WRITE_MS),
    read: ms => frames.read(ms),
    close: () => stream.close()
  }
}
