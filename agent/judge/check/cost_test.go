package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/demand"
)

// hostile are the most expensive values that were found for each demand, at the size of a result.
func hostile() map[string]row {
	const room = casefile.MaxDocument - 200
	list := func(item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", room/(len(item)+1)), ",") + "]"
	}
	text := func(s string) string { return `"` + strings.Repeat(s, room/len(s)) + `"` }
	var ids strings.Builder
	for i := range room / 8 {
		fmt.Fprintf(&ids, "%07d,", 1000000+i)
	}
	numbers := "[" + strings.TrimSuffix(ids.String(), ",") + "]"
	sixteen := func(s string) string { return `"` + strings.Repeat(s, (16<<10)/len(s)) + `"` }
	return map[string]row{
		"sorted":       {`"sorted":{}`, list(`"é"`), met},
		"sorted long":  {`"sorted":{}`, `[` + text("é") + `]`, met},
		"unique":       {`"unique":{}`, numbers, met},
		"unique deep":  {`"unique":{}`, list(strings.Repeat("[", 60) + strings.Repeat("]", 60)), "are the same"},
		"set":          {`"set":{"relation":"superset","from":"/input_data/0/rows"}`, numbers, "it lacks"},
		"near":         {`"each":"","near":{"to":1e308,"within":1e-300}`, "[" + strings.TrimSuffix(strings.Repeat("1e300,", 800), ",") + "]", "away from"},
		"dates":        {`"each":"","dates":{"min":"0001-01-01T00:00:00Z"}`, list(`"2026-01-31T12:00:00Z"`), met},
		"pattern":      {`"pattern":"^(?:[ab]?){100}$"`, sixteen("a"), "match"},
		"pattern each": {`"each":"","pattern":"(a|aa|aaa|aaaa)*$"`, "[" + strings.TrimSuffix(strings.Repeat(`"aaaaaaaa",`, 2048), ",") + "]", met},
		"not_contains": {`"not_contains":["` + strings.Repeat("a", 1000) + `b"]`, text("a"), met},
		"normal forms": {`"not_contains":["b"]`, text("ﷺ"), met},
		"marks":        {`"not_contains":["b"]`, `"a` + strings.Repeat("\u0301\u0316", room/4) + `"`, met},
		"words":        {`"words":{"min":1}`, text("a "), met},
		"url":          {`"each":"","url":{}`, list(`"http://a.b"`), met},
		"numbers":      {`"grounded":{"in":["/input_data"],"what":["numbers"]}`, text("7,777"), "does not stand"},
		"many numbers": {`"grounded":{"in":["/input_data"],"what":["numbers"]}`, text("18 "), unknown},
		"names":        {`"grounded":{"in":["/input_data"],"what":["names"]}`, text("x Maria "), unknown},
		"quotes":       {`"grounded":{"in":["/input_data"],"what":["quotes"]}`, text("«we will sail» "), unknown},
		"cut quote":    {`"grounded":{"in":["/input_data"],"what":["quotes"]}`, `"«we will sail` + strings.Repeat("...a", room/5) + `»"`, unknown},
		"language":     {`"language":"fr"`, text("of the and "), "is in another language"},
		"languages":    {`"each":"","language":"fr"`, list(`"` + strings.Repeat("de la maison et le grand port ", 6) + `"`), met},
		"scripts":      {`"language":"hi"`, text("ქა"), "are of the script"},
		"parses":       {`"parses":"go"`, `"package p;var x=` + strings.Repeat("1,", 32<<9) + `"`, "is no Go"},
		"parses terms": {`"parses":"go"`, `"package p;func f(){` + strings.Repeat("f(-x);", 10<<10) + `}"`, met},
		"parses deep":  {`"each":"","parses":"go"`, "[" + strings.TrimSuffix(strings.Repeat(`"package p;var x=`+strings.Repeat("(", 990)+strings.Repeat("0", 990)+`",`, 30), ",") + "]", "is no Go"},
		"parses json":  {`"parses":"json"`, `"` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `"`, met},
		"has":          {`"has":{"a":{"b":{"c":1}}}`, list(`{"a":{"b":{"c":2}}}`), "none of"},
	}
}

// TestHostileValues: the most expensive values have an answer, too.
func TestHostileValues(t *testing.T) {
	for name, r := range hostile() {
		t.Run(name, func(t *testing.T) {
			found, err := made(t, `{"path":"/v",`+r.demand+`}`, `{"v":`+r.v+`}`, "")
			say(t, r.demand, r.want, found, err)
		})
	}
}

// large are demands with a large task, too: a translation and images.
func large(t testing.TB) map[string]func() error {
	const room = 128 << 10 // of a translation; the text has half of it
	text := func(piece string) string { return strings.Repeat(piece, room/len(piece)) }
	translated := func(more, from, to string) func() error {
		from, to = from[:min(len(from), room/2)], to[:min(len(to), room)]
		var d demand.Demands
		if err := json.Unmarshal([]byte(`{"translation":{"of":"/input_data"`+more+`}}`), &d); err != nil {
			t.Fatal(err)
		}
		papers := check.Papers{Task: map[string]any{"input_data": from}}
		return func() error { _, err := check.Make(d, to, papers); return err }
	}
	keep := `,"to":"de","keep":["` + strings.TrimSuffix(strings.Repeat(strings.Repeat("ab ", 300)+`","`, 64), `","`) + `"]`
	segments := func() []any {
		out := make([]any, 2048)
		for i := range out {
			out[i] = "a 77" + strings.Repeat(" b", 8)
		}
		return out
	}
	listed, other := segments(), segments()
	other[0] = "b 77"
	var list demand.Demands
	if err := json.Unmarshal([]byte(`{"translation":{"of":"/input_data","keep":["a"]}}`), &list); err != nil {
		t.Fatal(err)
	}
	noise := image.NewNRGBA(image.Rect(0, 0, 180, 180))
	seed := uint32(7)
	for i := range noise.Pix {
		seed = seed*1664525 + 1013904223
		noise.Pix[i] = uint8(seed >> 24)
	}
	deep := image.NewNRGBA64(image.Rect(0, 0, 2048, 1024))
	deep.Pix[len(deep.Pix)-1] = 7
	flat := image.NewNRGBA64(image.Rect(0, 0, 2048, 1024))
	halves := image.NewPaletted(image.Rect(0, 0, 1920, 1080), color.Palette{color.Black, color.White})
	copy(halves.Pix, bytes.Repeat([]byte{1}, 1920*500))
	veiled := image.NewNRGBA(image.Rect(0, 0, 1920, 1080)) // transparent pixels have no colour
	for i := range veiled.Pix {
		if i%4 != 3 {
			veiled.Pix[i] = uint8(i / 400000)
		}
	}
	images := func(kind string, img, other image.Image) func() error {
		value, given := encoded(t, kind, img), encoded(t, kind, other)
		if len(value)+len(given) > 2*casefile.MaxDocument {
			t.Fatalf("%d bytes are no document", len(value)+len(given))
		}
		return func() error {
			_, err := seen(t, `{"not_blank":true,"not_in":["/input_data/0","/input_data/0"],"scaled_from":"/input_data/0"}`, value, given)
			return err
		}
	}
	marred := func(w, h int) image.Image {
		img := logo(w, h)
		img.Set(w-1, h-1, color.Black)
		return img
	}
	grounded := func(what string, piece string) func() error {
		var d demand.Demands
		if err := json.Unmarshal([]byte(`{"grounded":{"in":[""],"what":["`+what+`"]}}`), &d); err != nil {
			t.Fatal(err)
		}
		papers := check.Papers{Task: strings.Repeat(piece, (casefile.MaxDocument-200)/len(piece))}
		return func() error {
			_, err := check.Make(d, "He said «we will sail» to 77777 Marias in Lopez", papers)
			return err
		}
	}
	return map[string]func() error{
		"in forms, names":   grounded("names", "ﷺ "),
		"in words, names":   grounded("names", "Ab c "),
		"in numbers, names": grounded("names", "1,2 "),
		"in numbers":        grounded("numbers", "1,2 "),
		"in rows":           grounded("numbers", "1.2.3 "),
		"in forms, quotes":  grounded("quotes", "ﷺ "),
		"in quotes":         grounded("quotes", "«we will "),
		"numbers":           translated("", text("7,777.25 "), text("7.777,25 ")),
		"few":               translated("", text("18 "), text("18 ")+" x"),
		"scales":            translated("", text("77 million "), text("77 ")),
		"placeholders":      translated("", text("{a} "), text("{a} ")+"x"),
		"tags":              translated("", text("<b>"), text("<b>")+"x"),
		"open tags":         translated("", text("<b "), text("<b ")+"x"),
		"code":              translated("", text("`a"), text("`a")+"x"),
		"mail":              translated("", text("a@"), text("a@")+"x"),
		"names":             translated(keep, text("ab "), text("ac ")),
		"forms":             translated(`,"keep":["q"]`, text("ﷺ"), text("ﷺ \n")),
		"segments": func() error {
			_, err := check.Make(list, other, check.Papers{Task: map[string]any{"input_data": listed}})
			return err
		},
		"noise":   images(demand.PNG, noise, drawn(180, 180, 5)),
		"photo":   images(demand.JPEG, logo(2048, 2048), drawn(2048, 2048, 1)),
		"drawing": images(demand.GIF, halves, image.NewPaletted(halves.Rect, halves.Palette)),
		"clear":   images(demand.PNG, veiled, logo(1920, 1080)),
		"wide":    images(demand.PNG, logo(2048, 2048), drawn(2048, 2048, 1)),
		"deep":    images(demand.PNG, deep, flat),
		"parts":   images(demand.PNG, marred(700, 560), logo(700, 560)), // each way to scale differs at the end
		"larger":  images(demand.PNG, marred(820, 820), logo(330, 330)),
	}
}

// TestDearTasks: a task whose checks would cost its judges more than 2 s is refused when it is
// created, and the error names the limit and the fix. 64 cheap checks are no such task.
func TestDearTasks(t *testing.T) {
	for _, c := range []struct {
		check string
		n     int
		dear  bool
	}{
		{`{"path":"/a","not_contains":["x"]}`, 9, false},
		{`{"path":"/a","not_contains":["x"]}`, 10, true},
		{`{"path":"/a","near":{"to":1,"within":1}}`, 64, false},
		{`{"path":"/a","contains":"x"}`, 64, false},
		{`{"path":"","grounded":{"in":["/input_data"],"what":["numbers","names","quotes"]}}`, 3, false},
		{`{"path":"","grounded":{"in":["/input_data"],"what":["numbers","names","quotes"]}}`, 4, true},
		{`{"path":"","media":{}}`, 15, true},
		{`{"path":"","translation":{"of":""}}`, 12, true},
	} {
		list := strings.TrimSuffix(strings.Repeat(c.check+",", c.n), ",")
		_, err := casefile.ParseTask(fmt.Appendf(nil, `{"instruction":["x"],"output_schema":{},"expected":[%s]}`, list))
		if (err != nil) != c.dear || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("at most %d are allowed", demand.MaxCost)) {
			t.Errorf("%d times %s: %v", c.n, c.check, err)
		}
	}
}

// BenchmarkDemand measures each demand on its most expensive value, with the reading of the
// documents. It should stay below 200 ms.
func BenchmarkDemand(b *testing.B) {
	for name, r := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				if _, err := made(b, `{"path":"/v",`+r.demand+`}`, `{"v":`+r.v+`}`, ""); err == nil && r.want != met {
					b.Fatal("it is met")
				}
			}
		})
	}
}
