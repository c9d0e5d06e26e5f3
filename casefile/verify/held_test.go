package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
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
		"the same":        {[]agentdata.Reading{good, good}, ""},
		"changed":         {[]agentdata.Reading{good, agentdata.Reading{Name: "prices"}.Fill([]byte(`{"owl":4}`))}, "with the hash " + good.SHA256.String() + ", and"},
		"another hash":    {[]agentdata.Reading{good, lie}, "not true in itself"},
		"what is it":      {[]agentdata.Reading{{}}, "not true in itself"},
		"another account": {[]agentdata.Reading{agentdata.Reading{Data: casefile.Address{9}}.Fill([]byte("3"))}, "it is about the account"},
		"known to none":   {[]agentdata.Reading{{Name: "plan", Private: true}, {Name: "plan", Private: true}}, ""},
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
			if n.Kind == verify.NoteData && (strings.Contains(n.Detail, "hash") || strings.Contains(n.Detail, "itself") || strings.Contains(n.Detail, "account")) {
				said += n.Detail
			}
		}
		if !r.OK() || !strings.Contains(said, c.want) || (c.want == "") != (said == "") {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// TestAttackChangedDataInFile: a judge rejects a result by data that somebody changed after the
// task pinned it, or by an answer about another account. The check is open, and a note names the
// judge. An honest judge, who leaves it open, has no such note.
func TestAttackChangedDataInFile(t *testing.T) {
	t.Parallel()
	at := casefile.Address{}
	now := agentdata.Reading{Data: at, Owner: casefile.Address{3}, Name: "prices"}.Fill([]byte("An owl costs 9 SOL."))
	other := now
	other.Data = casefile.Address{9}
	task := func(pinned casefile.Digest) string {
		return fmt.Sprintf(`{"instruction":["You should copy the line"],"output_schema":{"text":"string"},"data_sources":["agent.data"],"pda":[{"data":%q,"sha256":%q}],`+
			`"expected":[{"path":"/text","lines":3},{"path":"/text","data":{"data_source":"agent.data","request":{"data":%q}},"contains":"3 SOL"}]}`, at, pinned, at)
	}
	for name, c := range map[string]struct {
		task    string
		reading agentdata.Reading
		class   string
		outcome casefile.CheckOutcome
		says    string
		lies    bool
	}{
		"it is what is pinned":         {task(now.SHA256), now, "specification", casefile.Fail, "fail: ", false},
		"it was changed":               {task(casefile.Digest{1}), now, "specification", casefile.Fail, "unknown: its owner changed it: its bytes", true},
		"it was changed, as he says":   {task(casefile.Digest{1}), now, "note", casefile.Unknown, "unknown: its owner changed it: its bytes", false},
		"another account":              {task(now.SHA256), other, "specification", casefile.Fail, "unknown: the data is not what its hash says: it is about the account", true},
		"it was not changed, he says":  {task(now.SHA256), now, "note", casefile.Unknown, "fail: ", true},
		"he leaves open what is right": {task(now.SHA256), now, "note", casefile.Unknown, "is not true", true},
	} {
		raw, err := c.reading.Encode()
		if err != nil {
			t.Fatal(err)
		}
		file, err := casetest.File(casetest.Script{Name: "held", Judges: 7, Panel: 7, Documents: casetest.Documents{Task: c.task}, Rounds: []casetest.Plan{func(seat int) casetest.Act {
			act := casetest.Act{Choice: voting.Accept}
			if seat == 0 {
				act.Ask, act.Holders, act.Cites, act.Held = true, 1, true, func(int) []byte { return raw }
				act.Finding = finds(c.class, c.outcome)
			}
			return act
		}}})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, n := range verify.File(file).Notes {
			said += n.Detail + "\n"
		}
		if !strings.Contains(said, c.says) || strings.Contains(said, "is not true: it says") != c.lies {
			t.Errorf("%s: %s", name, said)
		}
	}
}
