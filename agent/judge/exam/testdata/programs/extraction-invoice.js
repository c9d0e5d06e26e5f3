const input = task.input_data[0];
const same = want => [JSON.stringify(Object.entries(want).sort()) === JSON.stringify(Object.entries(result).sort()), "it should be " + JSON.stringify(want)];
const [, d, m, y] = input.match(/Date: (\d+)\/(\d+)\/(\d+)/), total = input.match(/Total due: (\d+)\.(\d\d) (\w+)/);
same({number: input.match(/Invoice (\S+)/)[1], date: `${y}-${m}-${d}`, total_cents: +(total[1] + total[2]), currency: total[3]})
