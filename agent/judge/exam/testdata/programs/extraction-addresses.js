const input = task.input_data[0];
const same = want => [JSON.stringify(Object.entries(want).sort()) === JSON.stringify(Object.entries(result).sort()), "it should be " + JSON.stringify(want)];
const words = input.toLowerCase().split(/[ ,()\n:]+/).map(w => w.replace(/\.+$/, ""));
same({addresses: [...new Set(words.filter(w => w.endsWith("@example.org")))]})
