const input = task.input_data[0];
result.list === [...input].sort((a, b) => a.toLowerCase() < b.toLowerCase() ? -1 : 1).join(", ")
