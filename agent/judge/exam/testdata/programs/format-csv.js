const cell = v => /[",\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v;
result.csv === ["sku,name,price", ...task.input_data.map(r => [r.sku, r.name, r.price].map(cell).join(","))].join("\n") + "\n"
