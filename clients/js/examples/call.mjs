// Calls an agent of another host: node call.mjs ADDRESS PAYLOAD CHAIN KEY. The agent may call the
// tool "look", which this program runs.

import { readFileSync } from 'node:fs';
import { Chain, invoke, loadKey } from '../node.mjs';

const [address, payload, chain, key] = process.argv.slice(2);
if (!key) {
  console.error('node call.mjs ADDRESS PAYLOAD CHAIN KEY');
  process.exit(1);
}
try {
  const end = await invoke(address, JSON.parse(payload), await loadKey(key), new Chain(readFileSync(chain, 'utf8')), {
    tokens: 90_000,
    tools: { look: { description: 'Looks into a tree', run: (where) => ({ seen: 'feathers', at: where }) } },
    heard: (kind, value) => console.error(kind, JSON.stringify(value).slice(0, 500)),
  });
  console.log(JSON.stringify(end));
} catch (e) {
  console.error(`the call failed: ${e.message}`);
  process.exitCode = 1;
}
