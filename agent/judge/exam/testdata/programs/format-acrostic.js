const lines = result.text.split("\n");
lines.length === 5 && lines.map(l => l[0]).join("") === "JUDGE" && lines.every(l => l.trim().split(/\s+/).length >= 3)
