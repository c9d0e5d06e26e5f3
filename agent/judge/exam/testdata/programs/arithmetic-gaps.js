const input = task.input_data[0];
const halfUp = (n, d) => Math.floor((2 * n + d) / (2 * d));
const rows = input.split("\n").map(l => l.split(";"));
["north", "south"].every(name => {
	const all = rows.slice(1).map(r => r[rows[0].indexOf(name)]).filter(v => v !== "").map(Number);
	return result[name] === halfUp(10 * all.reduce((a, b) => a + b, 0), all.length) / 10;
})
