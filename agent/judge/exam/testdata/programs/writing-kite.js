const all = result.story.split(".").map(p => p.trim()).filter(p => p);
all.length === 6 && result.story.endsWith(".") && all.every(p => p.split(/\s+/).length <= 8) && ["Ravi", "kite"].every(t => result.story.includes(t))
