const input = task.input_data[0];
const months = "January February March April May June July August September October November December".split(" ");
const iso = t => { const [d, m, y] = t.split(" "); return `${y}-${String(months.indexOf(m) + 1).padStart(2, "0")}-${d.padStart(2, "0")}`; };
result.dates === input.map(iso).sort().join(";")
