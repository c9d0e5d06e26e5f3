const input = task.input_data[0];
// The part of SQL that the queries of these tasks use. What is none of it fails, and so decides
// nothing.
const tables = {};
for (const [, name, columns] of input.matchAll(/CREATE TABLE (\w+)\(([^)]*)\)/g)) tables[name] = {columns: columns.split(",").map(c => c.trim().split(" ")[0]), rows: []};
for (const [, name, values] of input.matchAll(/INSERT INTO (\w+) VALUES ([^;]*);/g)) {
	for (const [, row] of values.matchAll(/\(([^)]*)\)/g)) tables[name].rows.push(row.split(",").map(v => v === "NULL" ? null : v[0] === "'" ? v.slice(1, -1) : +v));
}
const read = (name, alias) => tables[name].rows.map(r => Object.fromEntries(tables[name].columns.flatMap((c, i) => [[c, r[i]], [alias + "." + c, r[i]]])));
const col = (row, name) => { if (!(name in row)) throw new Error("no column " + name); return row[name]; };
const select = q => {
	const m = q.match(/^SELECT (\S+) FROM (\w+)(?: (?!WHERE|ORDER|LEFT)(\w+))?(?: LEFT JOIN (\w+) (\w+) ON (\S+) = (\S+))?(?: WHERE (.*?))?(?: ORDER BY (\S+)( DESC)?)?(?: LIMIT (\d+) OFFSET (\d+))?$/);
	let rows = read(m[2], m[3] || m[2]);
	if (m[4]) {
		const others = read(m[4], m[5]), none = Object.fromEntries(tables[m[4]].columns.map(c => [m[5] + "." + c, null]));
		rows = rows.flatMap(r => { const met = others.map(o => ({...o, ...r})).filter(o => o[m[6]] !== null && o[m[6]] === o[m[7]]); return met.length ? met : [{...r, ...none}]; });
	}
	if (m[8]) {
		const not = m[8].match(/^(\S+) NOT IN \((.*)\)$/), less = m[8].match(/^(\S+) < \((.*)\)$/), isNull = m[8].match(/^(\S+) IS NULL$/);
		const list = not ? select(not[2]) : less ? select(less[2]) : [];
		if (!not && !less && !isNull) throw new Error("another condition");
		rows = rows.filter(r => not ? !list.includes(null) && !list.includes(col(r, not[1])) : less ? col(r, less[1]) < list[0] : col(r, isNull[1]) === null);
	}
	const most = m[1].match(/^MAX\((\S+)\)$/);
	if (most) return [Math.max(...rows.map(r => col(r, most[1])).filter(v => v !== null))];
	if (m[9]) rows.sort((a, b) => (col(a, m[9]) < col(b, m[9]) ? -1 : 1) * (m[10] ? -1 : 1));
	if (m[11]) rows = rows.slice(+m[12], +m[12] + +m[11]);
	return rows.map(r => col(r, m[1]));
};
const got = select(result.sql);
[got.join() === "Ben,Di", "it returns " + got.join()]
