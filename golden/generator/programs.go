package generator

import (
	"encoding/json"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/runs"
)

// The check programs of the templates that golden cases have, too. Each makes the right result from
// the document, which it reads as a person does; what the creator asks for stands in the program.

func (b book) program(f [2]string) string {
	return fmt.Sprintf(`const rows = text.split("\n").slice(2).map(l => l.split(/ \| |; ?|\t|, /)).filter(r => r[2] === %[3]q && r[3] === %[4]q && r[0] >= %[5]q &&
	(r[0] < %[6]q || %[7]t && r[0] === %[6]q) && (%[8]t || +r[4] >= 0));
return {%[1]q: rows.reduce((all, r) => all + Math.round(100 * r[4]), 0), %[2]q: rows.length};`, f[0], f[1], b.category, b.status, b.from, b.to, !b.open, !b.noRefunds)
}

func (b bill) program(f [3]string) string {
	return fmt.Sprintf(`const rows = [...text.matchAll(/(\d+)(?: x | pcs at |; )([\d.]+)(?:, class | \[|; | \()([AB])[\])]?$/gm)].map(m => ({cents: m[1] * Math.round(100 * m[2]), cls: m[3]}));
const rate = {A: %[4]d, B: %[5]d}, exact = {A: 0, B: 0};
let net = 0, tax = 0;
for (const r of rows) {
	if (%[7]t || r.cls === "A") r.cents -= Math.floor(r.cents * %[6]d / 100);
	net += r.cents; exact[r.cls] += r.cents * rate[r.cls]; tax += Math.floor(r.cents * rate[r.cls] / 100);
}
if (%[8]t) tax = Math.floor(exact.A / 100) + Math.floor(exact.B / 100);
return {%[1]q: net, %[2]q: tax, %[3]q: net + tax};`, f[0], f[1], f[2], b.rates[0], b.rates[1], b.discount, b.classes == "all", b.late)
}

func (r roster) program(f [3]string) string {
	return fmt.Sprintf(`const at = t => { const [h, m] = t.split(":"); return 60 * h + +m; };
let total = 0, long = 0;
for (const s of text.split("\n").slice(2).map(l => l.split(/, |; | \/ /)).filter(s => s[1] === %[4]q)) {
	const worked = at(s[3]) - at(s[2]);
	total += worked - (%[7]t ? +s[4] : 0);
	if (worked > %[5]d || %[8]t && worked === %[5]d) { long++; total += %[6]d; }
}
return {%[1]q: %[4]q, %[2]q: total, %[3]q: long};`, f[0], f[1], f[2], r.person, r.beyond, r.bonus, r.unpaid, r.reached)
}

func (p load) program(f [2]string) string {
	limits, prices := list(p.limits), list(p.prices)
	return fmt.Sprintf(`const rows = text.split("\n").slice(1).map(l => l.split(/[ ,;]+/)), limits = %[3]s, prices = %[4]s;
const total = rows.reduce((all, [, grams, zone]) => {
	let band = 0;
	while (band < limits.length && (+grams > limits[band] || %[5]t && +grams === limits[band])) band++;
	const price = prices[band] + (zone === %[6]q ? Math.floor(prices[band] * %[7]d / 100) : 0);
	return all + price - (rows.length >= %[8]d ? 10 : 0);
}, 0);
return {%[1]q: rows.length, %[2]q: total};`, f[0], f[1], limits, prices, p.upper, p.zones[1], p.abroad, p.minimum)
}

func (letter) program(f [6]string) string {
	return fmt.Sprintf(`const get = re => text.match(re)[1];
const day = t => { const p = t.split("/"); return get(/dates are (\w+)\//) === "day" ? p[2] + "-" + p[1] + "-" + p[0] : p[2] + "-" + p[0] + "-" + p[1]; };
return {%[1]q: get(/^(?:From )?(.+?)(?: to |, for )/), %[2]q: get(/[iI]nvoice ([\d-]+)/), %[3]q: day(get(/of (\d\d\/\d\d\/\d+)/)),
	%[4]q: day(get(/(?:pay by|Payable by|Due on) ([\d\/]+)/)), %[5]q: Math.round(100 * get(/(?:Amount of this invoice|To pay for this invoice|This invoice): (?:EUR )?(\d+\.\d\d)/)),
	%[6]q: get(/(?:answered by|questions, ask|Contact:) (\w+ \w+)/)};`, f[0], f[1], f[2], f[3], f[4], f[5])
}

func (b logbook) program(f string) string {
	first := "4"
	if b.server {
		first = "5"
	}
	return fmt.Sprintf(`return {%[1]q: text.split("\n").map(l => l.split(/[ \t|]+/)).filter(r => r[3].startsWith(%[2]q) && r[4][0] === %[3]q &&
	(parseInt(r[5]) > %[4]d || %[5]t && parseInt(r[5]) === %[4]d)).map(r => r[1])};`, f, b.path+"/", first, b.least, b.equal)
}

func (t thread) program(f [4]string) string {
	return fmt.Sprintf(`const said = new Map();
for (const l of text.split("\n")) {
	const m = l.match(/^(?:Chair|Moderator|Lead|Boss): (?:agreed, (.+?): (.+), until (\S+)|(.+?) goes to (.+), by (\S+)|(.+?) is for (.+), to be ready on (\S+))\.$/);
	const n = l.match(/^(?:Chair|Moderator|Lead|Boss): (.+?) does (.+), deadline (\S+)\.$/);
	if (!m && !n) continue;
	const [job, owner, due] = n ? [n[2], n[1], n[3]] : [m[1] || m[4] || m[7], m[2] || m[5] || m[8], m[3] || m[6] || m[9]];
	if (!said.has(job)) said.set(job, []);
	said.get(job).push({%[2]q: job, %[3]q: owner, %[4]q: due});
}
return {%[1]q: [...said.values()].map(all => all[%[5]d])};`, f[0], f[1], f[2], f[3], t.counts())
}

func (c contract) program(f [5]string) string {
	return fmt.Sprintf(`const all = [...text.matchAll(/^\(\w\) .*$/gm)].map(([l]) => ({title: l.match(/"(\w+)"/)[1], value: l.match(/(?:EUR )?(\d+\.\d\d|\d+ days)/)[1], on: l.match(/(\d{4}-\d\d-\d\d)/)[1]}));
const holds = {Notice: text.match(/Notice\. [^\n]*?(\d+) days/)[1], Fee: text.match(/Fee\. [^\n]*?EUR (\d+\.\d\d)/)[1], Liability: text.match(/Liability\. [^\n]*?EUR (\d+\.\d\d)/)[1]};
for (const m of all.sort((a, b) => a.on < b.on ? -1 : 1)) if (m.on < %[6]q || %[7]t && m.on === %[6]q) holds[m.title] = m.value;
const p = text.split("\n")[0].match(/^(?:Agreement between (.+) \(provider\) and (.+) \(customer\)|Contract\. Provider: (.+)\. Customer: (.+)\.|Service agreement of (.+), provider, with (.+), customer)$/);
return {%[1]q: p[1] || p[3] || p[5], %[2]q: p[2] || p[4] || p[6], %[3]q: parseInt(holds.Notice), %[4]q: Math.round(100 * holds.Fee), %[5]q: Math.round(100 * holds.Liability)};`,
		f[0], f[1], f[2], f[3], f[4], c.asked, c.same)
}

// mostCalls is how many calls the tests of a task may have.
const mostCalls = 32

// called turns tests of a function into a check of the result that is its program.
func called(field, function string, first, others []trial) ([]casefile.Check, error) {
	var tests runs.Tests
	for _, one := range append(first, others...) {
		if len(tests.JavaScript) == mostCalls {
			break
		}
		call := runs.TestCall{Function: function}
		for _, v := range []any{one.XS, one.T} {
			raw, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("generator: %w", err)
			}
			call.Args = append(call.Args, raw)
		}
		call.Returns = json.RawMessage(fmt.Sprint(one.Want))
		tests.JavaScript = append(tests.JavaScript, call)
	}
	return []casefile.Check{{Path: "/" + field, Tests: &tests}}, nil
}
