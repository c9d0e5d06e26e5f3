const s = result.text.toLowerCase(), n = s.trim().split(/\s+/).length;
n >= 30 && n <= 60 && ["mug", "dishwasher-safe", "24 eur"].every(t => s.includes(t)) && !/\bbest\b|!/.test(s)
