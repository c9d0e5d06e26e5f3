// Asks an agent of another host what it is, and calls it: node call.mjs ADDRESS PAYLOAD CHAIN KEY
// [FRIEND]... The agent may call the tool "look", which this program runs, and the agents at
// FRIEND, which may call it, too, and together may spend 1000 tokens.

import { readFileSync } from 'node:fs';
import { Chain, describe, invoke, loadKey } from '../node.mjs';

const [address, payload, file, path, ...friends] = process.argv.slice(2);
if (!path) {
  console.error('node call.mjs ADDRESS PAYLOAD CHAIN KEY [FRIEND]...');
  process.exit(1);
}
try {
  const key = await loadKey(path), chain = new Chain(readFileSync(file, 'utf8'));
  const what = await describe(address.slice(0, address.lastIndexOf('/')), key, chain);
  console.error('can be called for', what.capabilities.map((c) => c.name));
  const end = await invoke(address, JSON.parse(payload), key, chain, {
    tokens: 90_000,
    tools: {
      look: {
        description: 'Looks into a tree',
        schema: { type: 'object', properties: { at: { type: 'string' } } },
        run: (where, at) => { at.context = { looked: where }; return { seen: 'feathers', at: where }; },
      },
    },
    minions: Object.fromEntries(friends.map((at, n) => [`friend${n || ''}`, { address: at, description: 'Greets', chain, tools: ['look'] }])),
    minionTokens: 1000,
    heard: (kind, value) => console.error(kind, JSON.stringify(value).slice(0, 500)),
  });
  console.log(JSON.stringify(end));
} catch (e) {
  console.error(`the call failed: ${e.message}`);
  process.exitCode = 1;
}
