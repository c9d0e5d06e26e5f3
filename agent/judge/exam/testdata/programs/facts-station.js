result.celsius === Math.round((Math.max(64.4, 71.6, 80.6, 86.0, 82.4, 73.4) - 32) * 5 / 9)
