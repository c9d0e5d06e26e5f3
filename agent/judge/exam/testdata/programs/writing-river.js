const lines = result.poem.split("\n");
lines.length === 8 && new Set(lines).size === 8 && lines.every(l => l.startsWith("The river "))
