const halfUp = (n, d) => Math.floor((2 * n + d) / (2 * d));
const loan = task.input_data[0];
let balance = loan.principal_cents;
for (let i = 0; i < loan.years; i++) balance += halfUp(balance * loan.yearly_percent, 100);
[result.balance_cents === balance, `it is ${balance}`]
