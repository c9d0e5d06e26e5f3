const input = task.input_data[0];
const want = input.split("\n").map(l => l.split(";").map(f => f.trim())).filter(f => f[1].toLowerCase() === "lisbon");
result.people.length === want.length && want.every(([name, , phone], i) => result.people[i].name === name && result.people[i].phone === phone)
