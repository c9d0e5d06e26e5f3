// Uses an agent by A2A as a program does that has the SDK of npm, and prints what it saw.
//
//	node client.mjs URL BINDING
//
// The variable A2A_WORD has the word. The agent has the skills echo, which gives its input back as
// the member payload, and sleep.
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { TaskState } from '@a2a-js/sdk';

const [url, binding] = process.argv.slice(2);
const fetchImpl = (at, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Authorization', 'Bearer ' + process.env.A2A_WORD);
  return fetch(at, { ...init, headers });
};
const Transport = binding === 'JSONRPC' ? JsonRpcTransportFactory : RestTransportFactory;
const client = await new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new Transport({ fetchImpl })], preferredTransports: [binding], cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
})).createFromUrl(url + '/.well-known/agent-card.json', '');

const message = (id, skill, text, configuration) => ({
  tenant: '', metadata: undefined, configuration,
  message: {
    messageId: id, contextId: '', taskId: '', role: 1, extensions: [], referenceTaskIds: [], metadata: { skill },
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
  },
});
const name = (state) => 'TASK_STATE_' + TaskState[state].replace('TASK_STATE_', '');
const result = (task) => task.artifacts[0].parts[0].content.value.payload;
const seen = {};
const last = async (events, kinds = []) => {
  let event;
  for await (event of events) kinds.push(event.payload.$case);
  return [event.payload.value, kinds];
};

const task = await client.sendMessage(message('j1' + binding, 'echo', 'an owl'));
[seen.sent, seen.state, seen.proof] = [result(task), name(task.status.state), Object.keys(task.artifacts[0].metadata).sort()];
seen.same = (await client.sendMessage(message('j1' + binding, 'echo', 'an owl'))).id === task.id;
seen.got = result(await client.getTask({ id: task.id, tenant: '' }));
const listed = await client.listTasks({ tenant: '', contextId: task.contextId, status: 0, pageToken: '', statusTimestampAfter: undefined });
seen.listed = listed.tasks.length === 1 && listed.tasks[0].id === task.id;

let [event, kinds] = await last(client.sendMessageStream(message('j2' + binding, 'echo', 'two owls')));
[seen.kinds, seen.end] = [kinds, name(event.status.state)];

const early = await client.sendMessage(message('j3' + binding, 'sleep', 'x', { acceptedOutputModes: [], returnImmediately: true, taskPushNotificationConfig: undefined }));
seen.early = name(early.status.state);
const events = client.resubscribeTask({ id: early.id, tenant: '' });
seen.subscribed = (await events.next()).value.payload.$case;
seen.cancelled = name((await client.cancelTask({ id: early.id, tenant: '', metadata: undefined })).status.state);
[event] = await last(events);
seen.heard = name(event.status.state);
try {
  await client.getTask({ id: 'none', tenant: '' });
} catch (e) {
  seen.missing = e.constructor.name.includes('TaskNotFound');
}
console.log(JSON.stringify(seen));
