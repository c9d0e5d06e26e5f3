const s = result.summary;
s.split(".").filter(p => p.trim()).length === 1 && s.trim().split(/\s+/).length <= 25 && ["bridge", "fuel", "captain"].every(t => s.includes(t))
