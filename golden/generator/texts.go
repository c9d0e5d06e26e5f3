package generator

import (
	"fmt"
	"slices"
	"strings"
)

// listing is a list of people with amounts, and the form in which it has to be written.
type listing struct {
	rows     []entry // payee and cents
	split    string
	comma    bool // amounts have a comma
	byAmount bool
	head     bool
}

// most rows of a text that a party quotes as a whole.
const mostRows = 120

func drawListing(d *dice, l level) (twins, error) {
	a := listing{split: pick(d, ";", "|", " - ", "\t"), comma: d.chance(50), byAmount: d.chance(50), head: d.chance(50)}
	n := min(rows(d, l, 4, 7), 40)
	for i, name := range d.people(n) {
		a.rows = append(a.rows, entry{payee: name, cents: 100*i + d.from(1, 99) + 1000*d.from(1, 900)})
	}
	b := a
	b.rows = slices.Clone(a.rows)
	at := d.below(n)
	why := [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0:
		b.rows[at].cents += 1000 * d.from(1, 9)
		why = [2]string{a.rows[at].payee + " has " + cents(a.rows[at].cents), a.rows[at].payee + " has " + cents(b.rows[at].cents)}
	case 1:
		a.head, b.head = true, false
		why = [2]string{"the task wants a first line with names", "the task wants no first line with names"}
	case 2:
		a.comma, b.comma = true, false
		why = [2]string{"the task wants a comma in the amounts", "the task wants a point in the amounts"}
	case 3:
		a.byAmount, b.byAmount = true, false
		why = [2]string{"the amounts decide the order", "the names decide the order"}
	}
	v := d.voice()
	f := [2]string{v.name("{text|listing|file|output}"), v.name("{people|rows|entries|count}")}
	return twins{
		sides: [2]side{a.side(v, f, why[0]), b.side(v, f, why[1])}, topic: f[0],
		aside:  []string{fmt.Sprintf("there are %d people", n), "the names are spelled as in the input"},
		fields: []field{{f[0], `"string"`}, {f[1], `"integer"`}},
	}, nil
}

func (t listing) side(v voice, f [2]string, why string) side {
	text := []string{v.say("{name, cents|who, amount in cents|person, cents}")}
	for _, r := range t.rows {
		text = append(text, fmt.Sprintf("%s, %d", r.payee, r.cents))
	}
	all := slices.Clone(t.rows)
	slices.SortFunc(all, func(x, y entry) int {
		if t.byAmount {
			return y.cents - x.cents
		}
		return strings.Compare(x.payee, y.payee)
	})
	var out []string
	if t.head {
		out = append(out, "NAME"+t.split+"AMOUNT")
	}
	for _, r := range all {
		amount := cents(r.cents)
		if t.comma {
			amount = strings.Replace(amount, ".", ",", 1)
		}
		out = append(out, r.payee+t.split+amount)
	}
	split := map[string]string{";": "a semicolon", "|": "a bar", " - ": "a hyphen between two blanks", "\t": "a tabulator"}[t.split]
	order, point, head := "{the names in alphabetical order|sorted by name}", "{a point|a decimal point}", "{There is no first line with names of columns|No line stands before the people|Begin with the first person at once}"
	if t.byAmount {
		order = "{the highest amount first|sorted by amount, the highest first}"
	}
	if t.comma {
		point = "{a comma|a decimal comma}"
	}
	if t.head {
		head = "{The first line has NAME and AMOUNT|Begin with a line of NAME and AMOUNT}"
	}
	return side{
		instruction: []string{
			v.say("{Write the list of the input as text into $1|$1 is the list of the input as text|As $1 give the list of the input as text}: {a line for each person|one line a person}, {name and amount with|the name, then the amount, and between them} $2, ", f[0], split) + v.say(order) + ".",
			v.say("{Amounts have two decimals behind|Write amounts in units with two decimals behind} ") + v.say(point) + ". " + v.say(head) + ". " + v.say("{No line feed stands at the end|Do not end with a line feed}."),
			v.say("{$1 is how many people there are|Give the number of people as $1}.", f[1]),
		},
		input: []string{lines(text...)}, result: object{f[0]: strings.Join(out, "\n"), f[1]: len(t.rows)},
		claim: why, reason: fmt.Sprintf("%s begins with %s", f[0], strings.ReplaceAll(out[0], "\t", " ")),
		steps: []string{"Write the list line by line and compare."},
		program: fmt.Sprintf(`const rows = text.split("\n").slice(1).map(l => l.split(", "));
const list = [...rows].sort((a, b) => %[5]t ? b[1] - a[1] : a[0] < b[0] ? -1 : 1);
const amount = c => Math.floor(c / 100) + (%[4]t ? "," : ".") + String(c %% 100).padStart(2, "0");
return {%[1]q: [...(%[6]t ? ["NAME" + %[3]q + "AMOUNT"] : []), ...list.map(r => r[0] + %[3]q + amount(+r[1]))].join("\n"), %[2]q: rows.length};`,
			f[0], f[1], t.split, t.comma, t.byAmount, t.head),
	}
}

// labels are texts of a screen to be translated by a glossary.
type labels struct {
	glossary [][2]string
	lines    []string
	capital  bool // each label begins with a capital letter
	upper    bool // what stands in braces is written in capitals
}

// tongue is a language of translations: word for word, as screens are translated.
type tongue struct{ name, words string }

var tongues = []tongue{
	{"German", "open=öffnen close=schließen save=speichern delete=löschen send=senden file=Datei invoice=Rechnung order=Bestellung customer=Kunde account=Konto all=alle new=neu old=alt next=weiter before=vor"},
	{"Spanish", "open=abrir close=cerrar save=guardar delete=borrar send=enviar file=archivo invoice=factura order=pedido customer=cliente account=cuenta all=todos new=nuevo old=viejo next=siguiente before=antes"},
	{"French", "open=ouvrir close=fermer save=enregistrer delete=supprimer send=envoyer file=fichier invoice=facture order=commande customer=client account=compte all=tous new=nouveau old=ancien next=suivant before=avant"},
	{"Portuguese", "open=abrir close=fechar save=salvar delete=apagar send=enviar file=arquivo invoice=fatura order=pedido customer=cliente account=conta all=todos new=novo old=velho next=seguinte before=antes"},
}

var placeholders = strings.Fields("{name} {count} {date} {total} {id}")

func drawLabels(d *dice, l level) (twins, error) {
	lang := pick(d, tongues...)
	a := labels{capital: d.chance(50), upper: d.chance(50)}
	for _, pair := range strings.Fields(lang.words) {
		from, to, _ := strings.Cut(pair, "=")
		a.glossary = append(a.glossary, [2]string{from, to})
	}
	for range min(rows(d, l, 4, 8), mostRows) {
		words := []string{}
		for _, w := range some(d, a.glossary, d.from(2, 4)) {
			words = append(words, w[0])
		}
		a.lines = append(a.lines, strings.Join(append(words, pick(d, placeholders...)), " "))
	}
	b := a
	b.glossary, b.lines = slices.Clone(a.glossary), slices.Clone(a.lines)
	at := d.below(len(a.lines))
	first, _, _ := strings.Cut(a.lines[at], " ")
	why := [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // the glossary has another word
		k := slices.IndexFunc(a.glossary, func(p [2]string) bool { return p[0] == first })
		b.glossary[k][1] += pick(d, "n", "o", "e")
		why = [2]string{fmt.Sprintf("the glossary has %s for %s", a.glossary[k][1], first), fmt.Sprintf("the glossary has %s for %s", b.glossary[k][1], first)}
	case 1: // one label has another word
		other := pick(d, a.glossary...)[0]
		b.lines[at] = other + strings.TrimPrefix(a.lines[at], first)
		why = [2]string{fmt.Sprintf("label %d begins with %s", at+1, first), fmt.Sprintf("label %d begins with %s", at+1, other)}
	case 2:
		a.upper, b.upper = true, false
		why = [2]string{"the names in braces are written in capitals", "the names in braces stay as they are"}
	case 3:
		a.capital, b.capital = true, false
		why = [2]string{"a label begins with a capital letter", "a label is as the glossary has it"}
	}
	v := d.voice()
	f := [3]string{v.name("{labels|texts|strings|translations}"), v.name("{language|to|target}"), v.name("{number|labels_count|how_many}")}
	return twins{
		sides: [2]side{a.side(v, f, lang.name, why[0]), b.side(v, f, lang.name, why[1])}, topic: f[0],
		aside:  []string{fmt.Sprintf("there are %d labels", len(a.lines)), "the language is " + lang.name},
		fields: []field{{f[0], `["string"]`}, {f[1], `"string"`}, {f[2], `"integer"`}},
	}, nil
}

func (t labels) side(v voice, f [3]string, lang, why string) side {
	text, to := []string{v.say("{Glossary|Words|Terms}:")}, map[string]string{}
	for _, p := range t.glossary {
		text, to[p[0]] = append(text, p[0]+" = "+p[1]), p[1]
	}
	text = append(text, v.say("{Labels|Texts|To be translated}:"))
	out := []string{}
	for _, line := range t.lines {
		text = append(text, "- "+line)
		words := strings.Fields(line)
		for i, w := range words {
			switch {
			case strings.HasPrefix(w, "{") && t.upper:
				words[i] = strings.ToUpper(w)
			case !strings.HasPrefix(w, "{"):
				words[i] = to[w]
			}
		}
		label := strings.Join(words, " ")
		if t.capital {
			r := []rune(label)
			label = strings.ToUpper(string(r[:1])) + string(r[1:])
		}
		out = append(out, label)
	}
	braces, begin := "{What stands in braces stays as it is|Leave what stands in braces as it is|Do not touch names in braces}", "{Write words as the glossary has them, also the first one of a label|Each word is spelled as in the glossary, also at the beginning}"
	if t.upper {
		braces = "{Write what stands in braces in capitals|Names in braces become capitals|Turn names in braces into capitals}"
	}
	if t.capital {
		begin = "{Begin each label with a capital letter|Each label begins with a capital letter}, and {spell all else|write the rest} as in the glossary"
	}
	return side{
		instruction: []string{
			v.say("{Translate the labels into $1, word for word by the glossary|Use the glossary to translate each word of the labels into $1|The labels have to be in $1, each word by the glossary}, {and return them in their order as $2|as the list $2, in their order}.", lang, f[0]),
			v.say(begin) + ". " + v.say(braces) + ".",
			v.say("{$1 is the name of the language in English, $2 the number of labels|Name the language in English as $1, and give the number of labels as $2}.", f[1], f[2]),
		},
		input: []string{lines(text...)}, result: object{f[0]: out, f[1]: lang, f[2]: len(out)},
		claim: v.claim(f[0], string(quoteAny(out))), reason: why,
		steps: []string{"Replace each word by the glossary."},
		program: fmt.Sprintf(`const to = Object.fromEntries([...text.matchAll(/^(\w+) = (.+)$/gm)].map(m => [m[1], m[2]]));
const list = [...text.matchAll(/^- (.+)$/gm)].map(m => m[1].split(" ").map(w => w[0] !== "{" ? to[w] : %[6]t ? w.toUpperCase() : w).join(" "));
return {%[1]q: list.map(l => %[5]t ? l[0].toUpperCase() + l.slice(1) : l), %[2]q: %[4]q, %[3]q: list.length};`, f[0], f[1], f[2], lang, t.capital, t.upper),
	}
}
