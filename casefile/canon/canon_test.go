package canon_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ojud/casefile/canon"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` { "b" : 1 , "a" : [ true , null ] } `, `{"a":[true,null],"b":1}`},
		{`"\u0041\/\n\u20ac"`, `"A/\n€"`},
		{`[1.0,1e2,-0,0.000001,1e-7,1e21]`, `[1,100,0,0.000001,1e-7,1e+21]`},
		{`{"\ud83d\ude02":1,"\ufb33":2}`, "{\"\U0001f602\":1,\"\ufb33\":2}"}, // UTF-16 order of RFC 8785
		{`9007199254740992`, `9007199254740992`},
		{`123456789012345670000`, `123456789012345670000`},
		{`"<>&"`, `"<>&"`},
	} {
		got, err := canon.JSON([]byte(c.in), 1000)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.in, got, err, c.want)
		}
		again, err := canon.JSON(got, 1000)
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: not stable: %s, %v", c.in, again, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for _, c := range []struct {
		name, in string
		class    error
	}{
		{"nothing", ``, canon.ErrNotJSON},
		{"cut", `{"a":`, canon.ErrNotJSON},
		{"two values", `1 2`, canon.ErrNotJSON},
		{"duplicate key", `{"a":1,"a":2}`, canon.ErrNotJSON},
		{"duplicate key, other spelling", `{"a":1,"\u0061":2}`, canon.ErrNotJSON},
		{"invalid UTF-8", "\"\xff\"", canon.ErrNotJSON},
		{"lone surrogate", `"\ud800"`, canon.ErrNotJSON},
		{"byte order mark", "\xef\xbb\xbf1", canon.ErrNotJSON},
		{"no double", `1e400`, canon.ErrNotJSON},
		{"vanishes", `1e-400`, canon.ErrNotJSON},
		{"rounded integer", `9007199254740993`, canon.ErrNotJSON},
		{"rounded negative integer", `{"a":[-9007199254740993]}`, canon.ErrNotJSON},
		{"long integer", `1` + strings.Repeat("0", 21), canon.ErrNotJSON},
		{"not a number", `NaN`, canon.ErrNotJSON},
		{"leading zero", `01`, canon.ErrNotJSON},
		{"comment", `/**/1`, canon.ErrNotJSON},
		{"control character", "\"\x01\"", canon.ErrNotJSON},
		{"65 deep", deep, canon.ErrTooLarge},
		{"deep and open", strings.Repeat("[", 900), canon.ErrTooLarge},
		{"large", `"` + strings.Repeat("a", 1000) + `"`, canon.ErrTooLarge},
		{"very large", strings.Repeat(" ", 3000) + `1`, canon.ErrTooLarge},
	} {
		if got, err := canon.JSON([]byte(c.in), 1000); !errors.Is(err, c.class) {
			t.Errorf("%s: %s, %v; want %v", c.name, got, err, c.class)
		}
	}
	if _, err := canon.JSON([]byte(strings.Repeat("[", 64)+strings.Repeat("]", 64)), 1000); err != nil {
		t.Errorf("64 deep: %v", err)
	}
	many := "[" + strings.Repeat("0,", 1<<18) + "0]"
	if _, err := canon.JSON([]byte(many), 1<<20); !errors.Is(err, canon.ErrTooLarge) {
		t.Errorf("many values: %v", err)
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\u0001"],"b":null}`, `[1e21,-0.1,1E-5,0]`, `"\ud83d\ude02"`, `{"":{"":[]}}`, `9007199254740993`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, err := canon.JSON(raw, 4096)
		if err != nil {
			return
		}
		if len(once) > 4096 {
			t.Fatalf("%d bytes", len(once))
		}
		twice, err := canon.JSON(once, 4096)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s, %v", once, twice, err)
		}
		if err := canon.Exact(once, 4096); err != nil {
			t.Fatal(err)
		}
	})
}
