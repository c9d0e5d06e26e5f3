package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile/demand"
)

// translate makes the demand on a translation of a text or of segments.
func translate(t *testing.T, from, to, more string) (string, error) {
	t.Helper()
	var d demand.Demands
	if err := json.Unmarshal([]byte(`{"translation":{"of":"/input_data/0"`+more+`}}`), &d); err != nil {
		t.Fatal(err)
	}
	task := decode(t, `{"input_data":[`+from+`]}`)
	found, err := check.Make(d, decode(t, to), check.Papers{Task: task})
	return strings.Join(found, ", "), err
}

// TestTranslation: what no translator may change, and what one may.
func TestTranslation(t *testing.T) {
	for _, c := range []struct{ from, to, more, want string }{
		{`"We paid 1,200.50 EUR."`, `"Wir haben 1.200,50 EUR bezahlt."`, "", met},
		{`"We paid 1,200.50 EUR."`, `"Wir haben 1.200,05 EUR bezahlt."`, "", `lacks the number "1,200.50"`},
		{`"We paid 12,450 EUR."`, `"Nous avons payé 12 450 EUR."`, "", met},
		{`"We sold 3 boats."`, `"Wir haben drei Boote verkauft."`, "", unknown},
		{`"It cost 2.5 billion in 1999."`, `"Costó 2500 millones en 1999."`, "", unknown},
		{`"It cost $2.5bn."`, `"Es kostete 2,5 Milliarden Dollar."`, "", met},
		{`"Due on 01/31/2026."`, `"Fällig am 31. Januar 2026."`, "", unknown},
		{`"Due on 2026-01-31."`, `"Fällig am 31.01.2026."`, "", met},
		{`"Due on 2026-01-31."`, `"Fällig am 31.01.2025."`, "", `lacks the number "2026"`},
		{`"It opens at 3:45 pm."`, `"Es öffnet um 15:45 Uhr."`, "", unknown},
		{`"one hundred and fifty people came"`, `"Es kamen 150 Menschen."`, "", unknown},
		{`"Hello {name}, you have %d of {{count}} messages."`, `"Bonjour {name}, vous avez %d messages sur {{count}}."`, "", met},
		{`"Hello {name}, welcome to the new house by the sea."`, `"Bonjour {nom}, bienvenue."`, "", `lacks the placeholder "{name}"`},
		{`"Hello dear guest."`, `"Bonjour {name}."`, "", `has the placeholder "{name}"`},
		{`"{a} {b}"`, `"{b} {a}"`, "", met},
		{`"{n} of {n}"`, `"{n}"`, "", unknown},
		{`"It is 100% sure."`, `"Es ist 100%ig sicher."`, "", met},
		{`"A 50%discount"`, `"Ein Rabatt von 50 %"`, "", met},
		{`"Press <b>Save</b><br/> now."`, `"Drücken Sie jetzt <b>Speichern</b><br />."`, "", met},
		{`"Press <b>Save</b> now."`, `"Drücken Sie jetzt Speichern."`, "", `lacks the tag "</b"`},
		{`"Run ` + "`go test`" + ` first."`, `"Führen Sie zuerst ` + "`go prüfen`" + ` aus."`, "", "lacks the text"},
		{`"Write to help@example.org."`, `"Schreiben Sie an hilfe@example.org."`, "", "lacks the text"},
		{`"if a < b and c > d then"`, `"wenn a < b und c > d dann"`, "", met},
		{`["One.","Two."]`, `["Eins.","Zwei."]`, "", met},
		{`["One.","Two."]`, `["Eins. Zwei."]`, "", "has 1 segments instead of 2"},
		{`["One.","Two."]`, `["Eins.",""]`, "", `the segment at "/1": it is empty`},
		{`["One.","Two."]`, `["Eins.",2]`, "", "instead of a text"},
		{`{"a":"One.","n":1}`, `{"a":"Eins.","n":1.0}`, "", met},
		{`{"a":"One.","n":1}`, `{"a":"Eins.","n":2}`, "", "which is no text to translate"},
		{`{"a":"One."}`, `{"b":"Eins."}`, "", `nothing at "/a"`},
		{`{"a":"One."}`, `{"a":"Eins.","b":"x"}`, "", "which the text does not have"},
		{`"Maria Sousa lives in Lisbon."`, `"Maria Sousa lebt in Lissabon."`, `,"keep":["Maria Sousa","Tejo"]`, met},
		{`"Maria Sousa lives in Lisbon."`, `"Mary Susan lebt in Lissabon."`, `,"keep":["Maria Sousa"]`, `lacks the name "Maria Sousa"`},
		{`"Helsinki is large."`, `"Asun Helsingissä."`, `,"keep":["Helsinki"]`, unknown},
		{`"We will sail to the islands when the wind is good."`, `"We  will sail to the islands when the wind is good."`, "", "is a copy of the text"},
		{`"OK"`, `"OK"`, "", unknown},
		{`"The boats leave at dawn."`, `"Los barcos salen al amanecer."`, `,"ratio":{"min":0.5,"max":2}`, met},
		{`"The boats leave at dawn."`, `"Salen."`, `,"ratio":{"min":0.5,"max":2}`, "times as many as the text"},
		{`"The boats leave at dawn."`, `"Salen."`, `,"to":"es"`, unknown},
		{`""`, `"x"`, "", unknown},
		{`"x y"`, `7`, "", "instead of a text"},
	} {
		found, err := translate(t, c.from, c.to, c.more)
		say(t, c.from+" as "+c.to, c.want, found, err)
	}
}

// TestTranslations: each passage is a translation of the others, and none in another language.
func TestTranslations(t *testing.T) {
	all := passages(t)
	for _, lang := range demand.Languages() {
		for _, other := range []string{"en", "pl", "ja", "ar"} {
			if lang == other {
				continue
			}
			from, to := quoted(t, all[other][0]), quoted(t, all[lang][0])
			if _, err := translate(t, from, to, fmt.Sprintf(`,"to":%q`, lang)); err != nil && lang != "da" && lang != "nb" {
				t.Errorf("%s to %s: %v", other, lang, err)
			}
			if _, err := translate(t, from, to, fmt.Sprintf(`,"to":%q`, other)); err == nil {
				t.Errorf("%s passes as %s", lang, other)
			}
		}
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestAttackPaddedTranslation: a worker whose translation lacks a number makes it longer than code
// compares, so that code could not tell. A translation of that length is none.
func TestAttackPaddedTranslation(t *testing.T) {
	const from, wrong = `"We paid 1,200.50 EUR."`, "Wir haben bezahlt. "
	for _, n := range []int{0, 100 << 10, 200 << 10} {
		found, err := translate(t, from, quoted(t, wrong+strings.Repeat("x ", n/2)), "")
		want := "lacks the number"
		if n > 128<<10 {
			want = "code compares 131072"
		}
		say(t, fmt.Sprintf("padded with %d bytes", n), want, found, err)
	}
}
