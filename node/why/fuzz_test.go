package why_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/node/why"
)

// FuzzExplain: for any facts in a file, explaining ends and each line rests on a fact. Signatures
// are not checked, because a file that does not verify is explained too.
func FuzzExplain(f *testing.F) {
	seed := script(f, "expired").record
	f.Add(seed.Open.Raw, seed.Rounds[0].Draw.Raw, seed.Rounds[0].Settle.Raw, seed.Outcome.Raw, byte(3))
	task := seed.Case
	f.Fuzz(func(t *testing.T, open, draw, settle, outcome []byte, n byte) {
		b := casefile.Bundle{Case: task, Blobs: map[casefile.Digest]casefile.Content{}, Events: []casefile.Event{}, Panels: []casefile.Panel{}}
		say := func(kind casefile.Kind, content []byte, format string) {
			hash := casefile.Digest(casefile.HashOf(content))
			b.Blobs[hash] = content
			b.Events = append(b.Events, casefile.Event{Case: task, Kind: kind, Body: fmt.Appendf(nil, format, hash)})
		}
		say(casefile.KindOpen, open, `{"facts":"%s"}`)
		say(casefile.KindDraw, draw, `{"round":1,"facts":"%s"}`)
		say(casefile.KindSettle, settle, `{"round":1,"facts":"%s"}`)
		say(casefile.KindOutcome, outcome, `{"facts":"%s"}`)
		file, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		r, err := reading.File(file)
		if err != nil {
			t.Fatal(err)
		}
		facts := why.Facts{Case: task, Record: &r, Source: "case.json", Proof: "not looked at"}
		if d := r.Rounds[0].Draw; d != nil && len(d.Value.Candidates) > 0 {
			facts.Judge = d.Value.Candidates[int(n)%len(d.Value.Candidates)].Judge
		}
		for _, l := range why.Explain(facts).Lines {
			if l.Text == "" || l.Fact == "" || l.Code == "" {
				t.Errorf("%+v", l)
			}
		}
	})
}
