// A calendar, on two machines: node meeting.mjs serve | ask URL DID [cbor]

import { Key, cut, verify, agreementHash } from '../index.mjs';
import { connect, serve } from '../node.mjs';

const calendar = { name: 'Joe Smith', email: 'joe@example.org', schedule: ['2026-12-01T10:00:00Z'] };

// joe tells name and schedule to those who promise to keep nothing. He signs that and nothing more:
// no other purpose, and no deal.
async function joe(talk) {
  for await (const h of talk) {
    if (h.what === 'engagement') await talk.agree('Proceeding.');
    else if (h.what === 'call') {
      const wanted = h.message.content.request;
      if (wanted.request_type !== 'calendar negotiation' || wanted.deal) await talk.refuse('I talk about the calendar, without a deal.', 'FIPA-Contract-Net');
      else if (!wanted.promise?.includes('no data retention(m)')) await talk.refuse('Promise no data retention(m).', 'FIPA-Contract-Net');
      else await talk.propose({ access: ['name', 'schedule'], promise: ['no data retention'] });
    } else if (h.what === 'request') await talk.tell(cut(calendar, talk.agreement.access), h.message.replyWith);
    else if (h.what === 'subscription') {
      await talk.agree('Subscribed.', 'FIPA-Subscribe');
      await talk.publish({ schedule: calendar.schedule });
    } else if (h.what === 'question') await talk.say('NOT-UNDERSTOOD', 'FIPA-Query', { error: 'I cannot answer that.' });
  }
}

async function ammon(url, did, cbor) {
  const talk = await connect(url, await Key.create(new Uint8Array(32).fill(1)), { peer: did, cbor });
  await talk.greet('Ammon Haggerty');
  await talk.request('Set up time for an in-person meeting. Ok to continue?');
  await talk.expect('agree');
  await talk.call('calendar negotiation', {
    access: ['name(m)', 'schedule'], promise: ['no data retention(m)'], owner: 'Ammon Haggerty', relation: 'acquaintance (Joe Smith)',
  });
  await talk.expect('proposal');
  await talk.accept();
  await talk.expect('signature');
  await verify(talk.agreement);
  await talk.ask({ what: 'schedule' });
  const data = (await talk.expect('data')).message.content;
  await talk.tell({ meeting_times: data.schedule });
  await talk.subscribe('schedule', 1);
  await talk.expect('agree');
  await talk.expect('update');
  await talk.query('Is it a Tuesday?');
  await talk.expect('not-understood');
  await talk.end();
  await talk.expect('end');
  console.log(JSON.stringify({ how: talk.ended.how, erase: talk.ended.erase, hash: await agreementHash(talk.agreement), data }));
}

if (process.argv[2] === 'serve') {
  const key = await Key.create(new Uint8Array(32).fill(2));
  const server = await serve(key, joe);
  console.log(JSON.stringify({ agent: key.did, at: `wss://127.0.0.1:${server.address().port}/` }));
} else {
  await ammon(process.argv[3], process.argv[4], process.argv[5] === 'cbor');
}
