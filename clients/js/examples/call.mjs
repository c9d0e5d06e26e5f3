// Asks an agent of another host what it is, and calls it: node call.mjs [--court URL] ADDRESS
// PAYLOAD CHAIN KEY [FRIEND]... The agent may call the tool "look", which this program runs, and
// the agents at FRIEND, which may call it, too, and together may spend 1000 tokens. With URL, that of
// the API of a node, an address may be a name: agent://ID/CAPABILITY.

import { readFileSync } from 'node:fs';
import { Chain, describe, invoke, loadKey } from '../node.mjs';

const args = process.argv.slice(2), court = args[0] === '--court' ? args.splice(0, 2)[1] : '';
const [address, payload, file, path, ...friends] = args;
if (!path) {
  console.error('node call.mjs [--court URL] ADDRESS PAYLOAD CHAIN KEY [FRIEND]...');
  process.exit(1);
}
try {
  const key = await loadKey(path), chain = new Chain(readFileSync(file, 'utf8'));
  const what = await describe(address.slice(0, address.lastIndexOf('/')), key, chain, { court });
  console.error('can be called for', what.capabilities.map((c) => c.name));
  const end = await invoke(address, JSON.parse(payload), key, chain, {
    tokens: 90_000,
    court,
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
