// Asks an agent of another host what it is, and calls it: node call.mjs ADDRESS PAYLOAD CHAIN KEY.
// The agent may call the tool "look", which this program runs.

import { readFileSync } from 'node:fs';
import { Chain, describe, invoke, loadKey } from '../node.mjs';

const [address, payload, file, path] = process.argv.slice(2);
if (!path) {
  console.error('node call.mjs ADDRESS PAYLOAD CHAIN KEY');
  process.exit(1);
}
try {
  const key = await loadKey(path), chain = new Chain(readFileSync(file, 'utf8'));
  const what = await describe(address.slice(0, address.lastIndexOf('/')), key, chain);
  console.error('can be called for', what.capabilities.map((c) => c.name));
  const end = await invoke(address, JSON.parse(payload), key, chain, {
    tokens: 90_000,
    tools: { look: { description: 'Looks into a tree', run: (where) => ({ seen: 'feathers', at: where }) } },
    heard: (kind, value) => console.error(kind, JSON.stringify(value).slice(0, 500)),
  });
  console.log(JSON.stringify(end));
} catch (e) {
  console.error(`the call failed: ${e.message}`);
  process.exitCode = 1;
}
