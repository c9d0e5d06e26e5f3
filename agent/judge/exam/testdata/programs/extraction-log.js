const input = task.input_data[0];
const same = want => [JSON.stringify(Object.entries(want).sort()) === JSON.stringify(Object.entries(result).sort()), "it should be " + JSON.stringify(want)];
const rows = input.split("\n").map(l => l.split(/\s+/));
same({ids: rows.filter(f => /^5\d\d$/.test(f[f.length - 1])).map(f => f[1].slice(3))})
