const input = task.input_data[0];
const same = want => [JSON.stringify(Object.entries(want).sort()) === JSON.stringify(Object.entries(result).sort()), "it should be " + JSON.stringify(want)];
const ids = [];
const walk = v => { if (v && typeof v === "object") for (const [k, x] of Object.entries(v)) { if (k === "id" && !Array.isArray(v)) ids.push(x); walk(x); } };
walk(JSON.parse(input));
same({ids})
