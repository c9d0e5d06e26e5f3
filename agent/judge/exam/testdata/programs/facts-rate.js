// The rate of the day, which a check asks for. 125000 cents times 0.8416, half up.
result.eur_cents === Math.floor((2 * 125000 * 8416 + 10000) / 20000)
