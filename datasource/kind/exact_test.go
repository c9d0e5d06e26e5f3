package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ojud/casefile"
)

func TestExact(t *testing.T) {
	for in, want := range map[string]string{
		`9007199254740992`:                       `9007199254740992`,
		`9007199254740993`:                       `"9007199254740993"`,
		`[-18446744073709551615,1]`:              `["-18446744073709551615",1]`,
		`{"a":12345678901234567890,"b":1.5e10}`:  `{"a":"12345678901234567890","b":1.5e10}`,
		`"9007199254740993 \" 9007199254740993"`: `"9007199254740993 \" 9007199254740993"`,
		`"\\",9007199254740993`:                  `"\\","9007199254740993"`,
		`1000000000000000000000`:                 `"1000000000000000000000"`,
		`100000000000000000000`:                  `100000000000000000000`,
		`0.1234567890123456789`:                  `0.1234567890123456789`,
		`123456789012345678e3`:                   `123456789012345678e3`,
		`true`:                                   `true`,
		``:                                       ``,
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader} {
			got, err := io.ReadAll(newExact(wrap(strings.NewReader(in)), 0))
			if err != nil || string(got) != want {
				t.Errorf("%s %s: %s %v, want %s", name, in, got, err, want)
			}
		}
	}
}

func TestExactFrame(t *testing.T) {
	if _, err := io.ReadAll(newExact(strings.NewReader(strings.Repeat("1234567\n", 100)), 10)); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(newExact(strings.NewReader("short\n"+strings.Repeat("x", 10_000)), 1000)); !errors.Is(err, ErrLarge) {
		t.Error(err)
	}
}

// FuzzExact: what canonical JSON keeps passes as it is; what it refuses for its integers becomes something that it keeps.
func FuzzExact(f *testing.F) {
	for _, s := range []string{`{"a":9007199254740993}`, `[-1,2.50,"3\""]`, `1e400`, `-`, `"\u0031`, `123456789012345678901234`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 64 << 10
		before, errBefore := casefile.Canonical(in, limit)
		out, err := io.ReadAll(newExact(bytes.NewReader(in), 0))
		if err != nil {
			t.Fatal(err)
		}
		after, errAfter := casefile.Canonical(out, limit)
		if errBefore == nil && (errAfter != nil || !bytes.Equal(before, after)) {
			t.Fatalf("%s became %s: %v", in, out, errAfter)
		}
		if json.Valid(in) && !json.Valid(out) {
			t.Fatalf("%s became %s", in, out)
		}
	})
}

// FuzzParse: parse takes again what it took once.
func FuzzParse(f *testing.F) {
	f.Add(`{"a":[{"b~/":1}],"n":12345678901234567890}`)
	f.Add(`{"a":1,"a":2}`)
	f.Add(`[1e400]`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := parse([]byte(text), 4096)
		if err != nil {
			return
		}
		first, err := encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(first, 3*4096)
		second, err2 := encode(again)
		if err != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s became %s, then %s: %v, %v", text, first, second, err, err2)
		}
	})
}

// FuzzMask: no secret is left in a text, however it is written there.
func FuzzMask(f *testing.F) {
	f.Add("before ", "s3cret/key+", " after")
	f.Add("abcabcab", "abcabcabc", "cabc")
	f.Fuzz(func(t *testing.T, before, value, after string) {
		s := &secrets{env: Env{LookupEnv: environ("K", value)}}
		if _, err := s.resolve("${env:K}"); err != nil {
			return
		}
		for _, text := range []string{value, escape(value), strings.ToValidUTF8(value, "?")} {
			masked := s.mask(before + text + after)
			if strings.Contains(masked, value) && !strings.Contains(Mask, value) {
				t.Fatalf("%q in %q", value, masked)
			}
		}
	})
}
