const s = result.notice;
s.match(/\p{L}+/gu).every(w => w.length <= 8) && ["18:30", "hall B", "Riverton"].every(t => s.includes(t))
