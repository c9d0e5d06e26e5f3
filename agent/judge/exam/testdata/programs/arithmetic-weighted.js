const halfUp = (n, d) => Math.floor((2 * n + d) / (2 * d));
const sum = task.input_data.reduce((all, r) => all + r.mark * r.weight, 0), weight = task.input_data.reduce((all, r) => all + r.weight, 0);
result.average === halfUp(100 * sum, weight) / 100
