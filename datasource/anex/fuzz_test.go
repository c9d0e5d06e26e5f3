package anex_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ojud/datasource/anex"
)

// transcripts returns the messages of A and B in each scenario.
func transcripts(t testing.TB) (a, b [][]byte) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	send := regexp.MustCompile(`(?m)^([AB]) send (.*)$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var both [2][]byte
		for _, m := range send.FindAllSubmatch(text, -1) {
			both[m[1][0]-'A'] = append(append(both[m[1][0]-'A'], m[2]...), '\n')
		}
		a, b = append(a, both[0]), append(b, both[1])
	}
	return a, b
}

// FuzzParse: a message that parses also encodes, and encoding is stable.
func FuzzParse(f *testing.F) {
	a, b := transcripts(f)
	for _, lines := range append(a, b...) {
		for line := range bytes.Lines(lines) {
			f.Add(line)
		}
	}
	for _, raw := range seedMessages(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := anex.Parse(raw)
		if err != nil {
			if anex.Blame(err) != anex.Theirs {
				t.Fatalf("no side is to blame for %v", err)
			}
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("no JSON: %q", raw)
		}
		out, err := anex.Encode(m)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		again, err := anex.Parse(out)
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%v\n%+v\n%+v", err, again, m)
		}
		if stable, err := anex.Encode(again); err != nil || !bytes.Equal(stable, out) {
			t.Fatalf("%v\n%s\n%s", err, stable, out)
		}
	})
}

// FuzzCut: the cut agrees with the naive one, is idempotent, and returns JSON.
func FuzzCut(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1,"c":[{"d":null}]},"\u0061b":2}`), "a /a/b * /~0")
	f.Add([]byte(`[{"id":1},2]`), "id")
	f.Add([]byte(`"x"`), "*")
	f.Fuzz(func(t *testing.T, raw []byte, names string) {
		var access []string
		for _, name := range strings.Fields(names) {
			if _, _, err := anex.Cut([]byte("null"), []string{name}); err == nil {
				access = append(access, name)
			}
		}
		if _, _, err := anex.Cut(raw, access); err == nil && !json.Valid(raw) {
			t.Fatalf("no JSON: %q", raw)
		}
		checkCut(t, raw, access)
	})
}

// FuzzSpell: strict JSON keeps its value, member by member.
func FuzzSpell(f *testing.F) {
	f.Add([]byte(`{"b":[1,-0.5e-3,{"x":"\ud83d\ude00\/"}],"a":[],"c":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := anex.Spell(raw, anex.MaxMessage)
		if err != nil {
			return
		}
		var want, got bytes.Buffer
		if err := json.Compact(&want, raw); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if err := json.Compact(&got, out); err != nil || !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Fatalf("%v\n%s\n%s", err, want.Bytes(), got.Bytes())
		}
	})
}

// FuzzMachines sends any frames to an asker and a holder that decide as honest parties do.
func FuzzMachines(f *testing.F) {
	a, b := transcripts(f)
	for i := range a {
		f.Add(b[i], uint64(i), true)
		f.Add(a[i], uint64(i), false)
	}
	f.Fuzz(func(t *testing.T, frames []byte, seed uint64, asker bool) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := newSim(t, r, true)
		who := s.b
		if asker {
			who = s.a
			s.step(who, anex.Start{At: s.now, Conversation: "c1", Introduction: anex.Marker, Engagement: anex.Engagement{Request: "?"},
				Call: someCall(r), Requests: requests([]string{"s:{}"}), Pipeline: seed%2 == 0, Keep: seed%3 == 0})
		}
		for line := range bytes.Lines(frames) {
			for who.question != nil && r.IntN(4) != 0 {
				s.decide(r, who)
			}
			s.now += int64(r.IntN(100))
			s.step(who, anex.Received{At: s.now, Raw: bytes.TrimSuffix(line, []byte("\n"))})
		}
		for i := 0; who.ended == nil && i < 200; i++ {
			if who.question != nil {
				s.decide(r, who)
				continue
			}
			at, _ := who.machine.Next()
			s.now = max(s.now, at)
			s.step(who, anex.TimeUp{At: s.now})
		}
		if err := s.sound(who); err != nil {
			t.Fatal(err)
		}
	})
}
