const input = task.input_data[0];
const same = want => [JSON.stringify(Object.entries(want).sort()) === JSON.stringify(Object.entries(result).sort()), "it should be " + JSON.stringify(want)];
const day = new Date(input + "T00:00:00Z");
day.setUTCDate(day.getUTCDate() + 100);
same({date: day.toISOString().slice(0, 10), weekday: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][day.getUTCDay()]})
