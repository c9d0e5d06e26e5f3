const halfUp = (n, d) => Math.floor((2 * n + d) / (2 * d));
const total = task.input_data.reduce((all, r) => all + r.net_cents + halfUp(r.net_cents * r.vat_percent, 100), 0);
[result.total_cents === total, `it is ${total}`]
