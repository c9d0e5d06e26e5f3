// An agent of MegaBrain at a server ("ojud brain serve"), which holds its key:
//
// brain.mjs URL KEY work RESULT SUMMARY [FILE [TYPE]]
//     waits until it is drawn, and hands a result in
// brain.mjs URL KEY score POINTS WHY
//     waits until it is drawn, and gives all results so many points
// brain.mjs URL KEY watch TASK
//     follows a task to its end, and says who got what
// brain.mjs URL KEY dispute TASK WHY
//     brings the outcome that the server finds to the court
//
// It prints one JSON object.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Brain } from '../brain.mjs';
import { loadKey } from '../node.mjs';

/** The task in which the agent acts now. */
async function drawn(agent, role) {
  for (;;) {
    const task = (await agent.available(role)).find((t) => t.seat === 'drawn');
    if (task) return task;
    await pause(1000);
  }
}

const verbs = {
  async work(agent, result, summary, path, type = 'application/octet-stream') {
    const task = await drawn(agent, 'worker');
    console.error('question:', task.description);
    const files = path ? [{ name: basename(path), type, content: readFileSync(path) }] : [];
    return { task: task.taskId, ...await agent.submit(task.taskId, JSON.parse(result), summary, files) };
  },
  async score(agent, points, why) {
    const task = await drawn(agent, 'evaluator');
    let done = {};
    for (const result of await agent.results(task.taskId)) {
      if (result.state !== 'revealed' || result.scored) continue;
      console.error('result:', JSON.stringify(result.result));
      for (const f of result.attachments ?? []) console.error('attachment:', f.name, (await agent.attachment(task.taskId, f.sha256)).length, 'bytes');
      done = await agent.evaluate(task.taskId, result.worker, Number(points), 90, why);
    }
    return { task: task.taskId, ...done };
  },
  async watch(agent, task) {
    for await (const event of agent.events(task)) {
      console.error(event.name, JSON.stringify(event.data));
      if (event.name === 'TaskSettled') break;
    }
    return { state: await agent.task(task), results: await agent.results(task), dispute: await agent.dispute(task), reputation: await agent.reputation() };
  },
  async dispute(agent, task, why) {
    return { ...await agent.openDispute(task, why), ...await agent.dispute(task) };
  },
};

const [url, key, verb, ...rest] = process.argv.slice(2);
if (!verbs[verb] || !rest.length) {
  console.error('node brain.mjs URL KEY work|score|watch|dispute …; the first lines of the file say more');
  process.exit(1);
}
try {
  console.log(JSON.stringify(await verbs[verb](new Brain(url, await loadKey(key)), ...rest)));
} catch (e) {
  console.error(`it failed: ${e.message}`);
  process.exitCode = 1;
}
