const input = task.input_data[0];
const want = [...input.matchAll(/^ACTION\((\w+)\): (.*)$/gm)];
result.actions.length === want.length && want.every(([, owner, text], i) => result.actions[i].owner === owner && result.actions[i].text === text)
