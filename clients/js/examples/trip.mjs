// A meeting about a trip: node trip.mjs URL DID SEED. SEED is a number, for a key to try with.

import { Key, agreementHash } from '../index.mjs';
import { join } from '../node.mjs';

// It says where to go, and signs that each pays a third, and nothing else.
const [url, did, seed] = process.argv.slice(2);
const key = await Key.create(new Uint8Array(32).fill(Number(seed)));
const meeting = await join(url, key, { peer: did, owner: 'Bob Lee' });
let agreed = null, last;
for await (const h of meeting) {
  if (h.what === 'joined' && h.sender === key.did) await meeting.tell({ message: 'To the sea.' });
  else if (h.what === 'proposal' && h.terms.parties.includes(key.did)) {
    const { request_type: about, promise, deal } = h.terms;
    if (about === 'A trip' && promise.join() === 'pay a third' && deal === undefined) await meeting.accept(h.terms);
    else await meeting.reject(h.terms);
  }
  agreed = h.agreed ?? agreed;
  last = h;
}
console.log(JSON.stringify({ how: last.what, agreed: agreed && (await agreementHash(agreed)), head: meeting.minutes.head }));
