package verify_test

import (
	"strings"
	"testing"

	"ojud/casefile/agentdata"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestHeld: a file shows what judges read of the data of agents, and a verifier compares it with
// its hash and with what others read.
func TestHeld(t *testing.T) {
	t.Parallel()
	good := agentdata.Reading{Name: "prices"}.Fill([]byte(`{"owl":3}`))
	lie := good
	lie.SHA256[0]++
	for name, c := range map[string]struct {
		answers []agentdata.Reading
		want    string
	}{
		"the same":      {[]agentdata.Reading{good, good}, ""},
		"changed":       {[]agentdata.Reading{good, agentdata.Reading{Name: "prices"}.Fill([]byte(`{"owl":4}`))}, "with the hash " + good.SHA256.String() + ", and"},
		"another hash":  {[]agentdata.Reading{good, lie}, "not true in itself"},
		"what is it":    {[]agentdata.Reading{{}}, "not true in itself"},
		"known to none": {[]agentdata.Reading{{Private: true}, {Private: true}}, ""},
	} {
		plan := func(seat int) casetest.Act {
			return casetest.Act{Choice: voting.Accept, Ask: seat == 0, Holders: len(c.answers), Held: func(k int) []byte {
				raw, err := c.answers[k].Encode()
				if err != nil {
					t.Fatal(err)
				}
				return raw
			}}
		}
		file, err := casetest.File(casetest.Script{Name: "held", Judges: 7, Panel: 7, Rounds: []casetest.Plan{plan}})
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		said := ""
		for _, n := range r.Notes {
			if n.Kind == verify.NoteData && (strings.Contains(n.Detail, "hash") || strings.Contains(n.Detail, "itself")) {
				said += n.Detail
			}
		}
		if !r.OK() || !strings.Contains(said, c.want) || (c.want == "") != (said == "") {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}
