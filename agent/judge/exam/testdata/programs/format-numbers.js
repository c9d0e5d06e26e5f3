const input = task.input_data[0];
result.list === input.map((s, i) => `${i + 1}. ${s}`).join("\n")
