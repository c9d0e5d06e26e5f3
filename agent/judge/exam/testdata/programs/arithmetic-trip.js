const halfUp = (n, d) => Math.floor((2 * n + d) / (2 * d));
result.km === halfUp(10 * task.input_data.reduce((all, r) => all + r.km_per_hour * r.minutes, 0), 60) / 10
