package kind

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzParse: parse accepts its own results.
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

// FuzzMask: no secret is left in a text, in any spelling.
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
			if strings.Contains(masked, value) && !strings.Contains(secretMask, value) {
				t.Fatalf("%q in %q", value, masked)
			}
		}
	})
}
