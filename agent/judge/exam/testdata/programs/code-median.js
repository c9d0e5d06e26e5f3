// The part of Go that the functions of these tasks use, in JavaScript. What is none of it fails,
// and decides nothing.
const utf8 = s => { const out = []; for (const c of encodeURIComponent(s).matchAll(/%([0-9A-F]{2})|(.)/gs)) out.push(c[1] ? parseInt(c[1], 16) : c[2].charCodeAt(0)); return out; };
const join = a => a.every(x => typeof x === "string") ? a.join("") : decode(a);
const decode = a => { try { return decodeURIComponent(a.map(b => "%" + b.toString(16).padStart(2, "0")).join("")); } catch { return "\ufffd"; } };
const compile = (source, name) => {
	const pair = s => s.includes(",") ? "[" + s + "]" : s;
	const simple = s => s.replace(/^\s*([\w\[\]]+(?:, [\w\[\]]+)*) :?= (.*)$/, (all, to, from) => (all.includes(":=") ? "let " : "") + (to.includes(",") ? pair(to) + " = " + pair(from) : to + " = " + from));
	const lines = source.split("\n").filter(l => !/^import |^\s*$/.test(l)).map(l => l
		.replace(/append\(\[\]\w+\(nil\), (\w+)\.\.\.\)/g, "[...$1]").replace(/sort\.Ints\((\w+)\)/g, "$1.sort((a, b) => a - b)")
		.replace(/\[\]rune\((\w+)\)/g, "[...$1]").replace(/\[\]byte\((\w+)\)/g, "utf8($1)").replace(/\bstring\((\w+)\)/g, "join($1)")
		.replace(/len\((\w+)\) ?\/ ?2/g, "Math.floor($1.length / 2)").replace(/len\((\w+)\)/g, "$1.length").replace(/float64\(/g, "(")
		.replace(/ == /g, " === ").replace(/ != /g, " !== ")
		.replace(/^func (\w+)\((\w+) [^)]*\) \w+ \{$/, "function $1($2) {").replace(/^(\s*)if (.*) \{$/, "$1if ($2) {"))
		.map(l => { const f = l.match(/^\s*for (.*); (.*); (.*) \{$/); return f ? `for (${simple(f[1])}; ${f[2]}; ${simple(f[3])}) {` : /^\s*(function|if|return|\})/.test(l) ? l : simple(l) + ";"; });
	return eval(lines.join("\n") + "; " + name);
};
const f = compile(result.go, "Median"), v = [3, 1, 2], w = [4, 1, 3, 2];
f(v) === 2 && f(w) === 2.5 && f([7]) === 7 && f([-5, -4]) === -4.5 && v.join() === "3,1,2" && w.join() === "4,1,3,2"
