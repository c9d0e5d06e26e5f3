// read.mjs FILE.car OUT.car: reads a CAR with IPFS's own library, hashes each block again, walks
// the files of its root as `ipfs get` does, and writes the blocks again in the opposite order.
import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CarReader, CarWriter } from '@ipld/car'
import { exporter } from 'ipfs-unixfs-exporter'
import { sha256 } from 'multiformats/hashes/sha2'

const [from, to] = process.argv.slice(2)
const reader = await CarReader.fromBytes(readFileSync(from))
const roots = await reader.getRoots()
const blocks = []
for await (const block of reader.blocks()) {
  const hash = await sha256.digest(block.bytes)
  if (!Buffer.from(hash.bytes).equals(Buffer.from(block.cid.multihash.bytes))) throw new Error(`hash of ${block.cid}`)
  blocks.push(block)
}

const store = { async * get (cid) { yield (await reader.get(cid)).bytes } }
const files = {}
async function walk (cid, path) {
  const entry = await exporter(cid, store)
  if (entry.type === 'directory') {
    for await (const inside of entry.entries()) await walk(inside.cid, [...path, inside.name])
    return
  }
  const sum = createHash('sha256')
  for await (const chunk of entry.content()) sum.update(chunk)
  files[path.join('/')] = { cid: cid.toString(), sha256: sum.digest('hex'), bytes: Number(entry.size) }
}
await walk(roots[0], [])

const { writer, out } = CarWriter.create(roots)
const written = pipeline(Readable.from(out), createWriteStream(to))
for (const block of blocks.reverse()) await writer.put(block)
await writer.close()
await written
console.log(JSON.stringify({ roots: roots.map(String), blocks: blocks.length, files }))
