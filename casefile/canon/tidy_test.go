package canon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ojud/casefile/canon"
)

// TestTidied checks texts that need no library, and some that are left to it.
func TestTidied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{" {\"b\" : 1 ,\r\n\t\"a\" : [ true , null ] } ", `{"a":[true,null],"b":1}`},
		{`"\u0041\/\n\u20aC\u0022\u005c\u007f\u0000\u001F\u000a"`, "\"A/\\n€\\\"\\\\\x7f\\u0000\\u001f\\n\""},
		{`{"c":{"z":[],"y":{}},"b":{"d":1,"c":2},"a":"\u003c"}`, `{"a":"<","b":{"c":2,"d":1},"c":{"y":{},"z":[]}}`},
		{`{"a":1,"":2}`, `{"":2,"a":1}`},
		{`{"a":1,"a":2}`, ""}, {`{"a":1,"b":2,"a":3}`, ""}, {`{"\u0062":1,"b":2}`, ""},
		{`{"é":1}`, ""}, {`{"\u00e9":1}`, ""}, {`1.0`, ""}, {`01`, ""}, {`-0`, ""}, {`"\ud83d\ude02"`, ""}, {`"\u00g0"`, ""}, {`"\u000`, ""},
		{`[1,]`, ""}, {`[,1]`, ""}, {`{"a":1,}`, ""}, {`{a:1}`, ""}, {`[1 2]`, ""}, {`1 2`, ""}, {` `, ""}, {"\"\xff\"", ""}, {"\"\n\"", ""},
	} {
		got, ok := canon.Tidied([]byte(c.in))
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s: %s, %t; want %q", c.in, got, ok, c.want)
		}
	}
}

// TestLimits: what takes too long, is too deep or has too many values is no more accepted than by
// the library, and a text of many objects out of order ends there.
func TestLimits(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		return strings.Repeat(`{"b":`, n) + `"` + strings.Repeat("x", 5000) + `"` + strings.Repeat(`,"a":1}`, n)
	}
	for _, in := range []string{
		nested(5), nested(60), nested(65), " " + strings.Repeat("[", 64) + strings.Repeat("]", 64), " " + strings.Repeat("[", 65) + strings.Repeat("]", 65),
		" [" + strings.Repeat("0,", 1<<18-2) + "0]", " [" + strings.Repeat("0,", 1<<18-1) + "0]", `[` + strings.Repeat(`{"b":1,"a":2},`, 52000) + `1]`,
	} {
		same(t, []byte(in), 1<<20)
	}
	if _, ok := canon.Tidied([]byte(nested(60))); ok {
		t.Error("sixty objects out of order, inside each other, were put into order")
	}
}

// same compares JSON with the library alone, and reports whether the text is one of those that need
// none.
func same(t *testing.T, raw []byte, limit int) bool {
	t.Helper()
	want, wantErr := canon.Library(raw, limit)
	got, err := canon.JSON(raw, limit)
	if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
		t.Fatalf("%.300q: %.300q, %v; the library says %.300q, %v", raw, got, err, want, wantErr)
	}
	for _, class := range []error{canon.ErrTooLarge, canon.ErrNotJSON} {
		if errors.Is(err, class) != errors.Is(wantErr, class) {
			t.Fatalf("%.300q: %v; the library says %v", raw, err, wantErr)
		}
	}
	if err == nil && canon.Plain(got) {
		var indented bytes.Buffer
		if err := json.Indent(&indented, got, "", "  "); err != nil || indented.String()+"\n" != string(canon.Spread(got)) {
			t.Fatalf("%s is spread to %s; the library says %s, %v", got, canon.Spread(got), &indented, err)
		}
	}
	_, ok := canon.Tidied(raw)
	return ok
}

// documents is how many documents TestLibrary tries. Ten million take 40 minutes on a busy machine.
var documents = flag.Int("documents", 20_000, "documents that are compared with the library")

// TestLibrary compares JSON with the library on made-up documents, some of them spoilt by a byte.
func TestLibrary(t *testing.T) {
	t.Parallel()
	n, without, refused := *documents, 0, 0
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		var b strings.Builder
		document(&b, r, 4)
		raw := []byte(b.String())
		if r.IntN(3) == 0 {
			raw[r.IntN(len(raw))] = "\"\\{}[]:,0 1-eu\x00\x7f\xffa\n/"[r.IntN(20)]
		}
		if same(t, raw, 4096) {
			without++
		}
		if _, err := canon.JSON(raw, 4096); err != nil {
			refused++
		}
	}
	if without < n/4 || without > n*9/10 || refused < n/20 || refused > n/2 {
		t.Errorf("of %d texts, %d needed no library and %d were refused: they try too little", n, without, refused)
	}
}

// document writes a JSON text of at most so many levels.
func document(b *strings.Builder, r *rand.Rand, depth int) {
	space := func() { b.WriteString([]string{"", "", "", " ", "\n", "\t\r "}[r.IntN(6)]) }
	text := func(odd int) {
		b.WriteByte('"')
		for range r.IntN(4) {
			b.WriteString([]string{"a", "b", "c", "Z", "~", "<", `\u003c`, `\u0062`, `\u0009`, `\u001F`, `\n`, `\"`, `\/`, `\u20ac`, "é", "\U0001f602", `\ud83d\ude02`, "\x7f"}[r.IntN(odd)])
		}
		b.WriteByte('"')
	}
	items := func(open, end byte, item func()) {
		b.WriteByte(open)
		space()
		for i := range r.IntN(5) {
			if i > 0 {
				b.WriteByte(',')
				space()
			}
			item()
			space()
		}
		b.WriteByte(end)
	}
	space()
	defer space()
	switch kind := r.IntN(6); {
	case kind == 0 && depth > 0:
		items('[', ']', func() { document(b, r, depth-1) })
	case kind < 4 && depth > 0:
		items('{', '}', func() {
			text([]int{5, 5, 5, 5, 5, 18}[r.IntN(6)])
			space()
			b.WriteByte(':')
			document(b, r, depth-1)
		})
	case kind == 4:
		b.WriteString([]string{"0", "1", "-1", "true", "false", "null", fmt.Sprint(r.Int64()), fmt.Sprint(r.IntN(1e9)), "1.50", "1e3"}[r.IntN(10)])
	default:
		text(18)
	}
}

// FuzzLibrary compares JSON with the library.
func FuzzLibrary(f *testing.F) {
	for _, s := range []string{` {"b":[1,"x\u0001"],"a":null}`, `{"a":{"c":1,"b":2},"a":1}`, `"\u003c\/"`, "{\n  \"a\": 1\n}\n", `[1e21,-0.1]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { same(t, raw, 4096) })
}
