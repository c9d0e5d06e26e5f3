package verify_test

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/demand"
	"ojud/casefile/verify"
	"ojud/voting"
)

// asking is a case of seven judges, of which the third does as an act says. The source's answer is
// {"author":"ojud","text":"hello"}.
func asking(check string, act casetest.Act) casetest.Script {
	act.Choice = voting.Accept
	task := `{"instruction":["You should quote the post"],"output_schema":{"text":"string"},"data_sources":["site.post"],` +
		`"expected":[{"path":"/text","lines":3},` + check + `]}`
	return casetest.Script{Name: "asking", Judges: 7, Documents: casetest.Documents{Task: task}, Rounds: []casetest.Plan{func(i int) casetest.Act {
		if i == 2 {
			return act
		}
		return casetest.Act{Choice: voting.Accept}
	}}}
}

// finds is a finding about the second check of a task.
func finds(class string, outcome casefile.CheckOutcome, evidence ...string) *casefile.Finding {
	return &casefile.Finding{Check: class + "/expected[1]", Outcome: outcome, Evidence: append([]string{"task:/expected/1"}, evidence...)}
}

const (
	postSays   = `{"path":"/text","data":{"data_source":"site.post","request":{"id":"1843"}},"contains":"hello"}`
	postDenies = `{"path":"/text","data":{"data_source":"site.post","request":{"id":"1843"}},"contains":"goodbye"}`
)

// TestAttackForgedDemandOnData: a judge signs that the answer of a source meets a demand, or does
// not, and cites answers of which that is not so, none, one that it was not given, or one to
// another question. The demand is made again on each answer that it cites, a note names the judge,
// and the file stays verified. An honest finding has no such note.
func TestAttackForgedDemandOnData(t *testing.T) {
	const (
		lie   = "is not true"
		other = `{"path":"/text","data":{"data_source":"site.post","request":{"id":"1844"}},"contains":"hello"}`
		lacks = `{"path":"/text","data":{"data_source":"site.post","request":{},"from_result":{"id":"/id"}},"contains":"hello"}`
		words = `{"path":"/text","data":{"data_source":"site.post","request":{},"from_result":{"id":"/text"}},"contains":"hello"}`
		vague = `{"path":"/text","data":{"data_source":"site.post","request":{"id":"1843"}},"language":"en"}`
		pass  = casefile.Pass
		fail  = casefile.Fail
		open  = casefile.Unknown
	)
	one, split := casetest.Act{Ask: true, Holders: 1, Cites: true}, casetest.Act{Ask: true, Holders: 2, Lies: true, Cites: true}
	two, none := casetest.Act{Ask: true, Holders: 2, Cites: true}, casetest.Act{}
	for _, c := range []struct {
		name, check string
		act         casetest.Act
		finding     *casefile.Finding
		version     uint32
		made        int    // demands, with that on the result
		says        string // empty: no note about a demand
		never       string
	}{
		{"it holds", postSays, two, finds("specification", pass), demand.Version, 2, "", ""},
		{"it fails, and the opinion says so", postDenies, one, finds("specification", fail), demand.Version, 2, `of site.post: fail: at "/text": it does not contain "goodbye"`, lie},
		{"code cannot tell, and the opinion says so", vague, one, finds("note", open), demand.Version, 2, "of site.post: unknown: ", lie},
		{"it fails, and the opinion says that it passes", postDenies, two, finds("specification", pass), demand.Version, 2,
			"is not true: it says pass of the task's check 1, which ends as fail on the answer of the staked holder did:key:", ""},
		{"it passes, and the opinion says that it fails", postSays, one, finds("specification", fail), demand.Version, 2,
			"is not true: it says fail of the task's check 1, which ends as pass on the answer of", ""},
		{"code can tell, and the opinion says not", postSays, one, finds("note", open), demand.Version, 2, "is not true: it says unknown", ""},
		{"code cannot tell, and the opinion says that it passes", vague, one, finds("specification", pass), demand.Version, 2, "which ends as unknown on", ""},
		{"another version says so", postDenies, one, finds("specification", pass), 1, 2, "by version 1 of the checks; by version 4 it ends as fail on the answer", lie},
		{"the holders contradict each other: pass", postSays, split, finds("specification", pass), demand.Version, 3, "of site.post: fail: ", lie},
		{"the holders contradict each other: fail", postSays, split, finds("specification", fail), demand.Version, 3, "of site.post: fail: ", lie},
		{"the holders are equal", postSays, split, finds("unanswered", open), demand.Version, 3, "of site.post: fail: ", lie},
		{"the holders contradict each other, and neither says it", postSays, split, finds("note", open), demand.Version, 3, "; fail on the answer of the staked holder", ""},
		{"no answer passes", postSays, none, finds("specification", pass), demand.Version, 1, "looks at an answer of site.post, and cites none", ""},
		{"no answer fails", postSays, none, finds("specification", fail), demand.Version, 1, "looks at an answer of site.post, and cites none", ""},
		{"no answer decides nothing", postSays, none, finds("unanswered", open), demand.Version, 1, "", ""},
		{"the source knows nothing under the words of the result", words, none, finds("specification", fail), demand.Version, 1, "it cannot be made again: that site.post knows nothing", lie},
		{"the result lacks the question", lacks, none, finds("specification", fail), demand.Version, 2, "fail: it lacks a part of the question", lie},
		{"the result lacks the question, and it passes", lacks, one, finds("specification", pass), demand.Version, 2, "is not true: it says pass", ""},
		{"another question was answered", other, one, finds("specification", pass), demand.Version, 1, "it cites the answer to another question", ""},
		{"the answer was not given", postSays, none, finds("specification", pass, "receipt:"+strings.Repeat("00", 32)), demand.Version, 1, "it cites an answer without a receipt in this file", ""},
	} {
		c.act.Finding, c.act.Opine = c.finding, func(o *casefile.Opinion) { o.Checks = c.version }
		file, err := casetest.File(asking(c.check, c.act))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r := verify.File(file)
		about := ""
		for _, n := range r.Notes {
			if n.Kind == verify.NoteDemand {
				about += n.Path + ": " + n.Detail + "\n"
			}
		}
		if got := r.Check(verify.CheckDemands); !r.OK() || got.Count != c.made || got.Missing > 0 {
			t.Errorf("%s: %+v\n%s", c.name, got, r.String())
		}
		if !strings.Contains(about, c.says) || c.says == "" && about != "" || c.never != "" && strings.Contains(about, c.never) || strings.Count(about, lie) > 1 {
			t.Errorf("%s: the notes are\n%s", c.name, about)
		}
	}
}

// TestDemandOnLostAnswer: an answer that is not in the file counts as missing. The demand on it is
// not made, and the opinion is not called untrue.
func TestDemandOnLostAnswer(t *testing.T) {
	w, err := casetest.Build(asking(postDenies, casetest.Act{Ask: true, Holders: 2, Cites: true, Finding: finds("specification", casefile.Pass)}))
	if err != nil {
		t.Fatal(err)
	}
	w.Store.Lose(casefile.HashOf([]byte(`{"author":"ojud","text":"hello"}`)))
	r := verify.File(fileOf(t, w))
	if got := r.Check(verify.CheckDemands); got.State != verify.Passed || got.Count != 1 || got.Missing != 1 || !r.OK() {
		t.Errorf("%+v\n%s", got, r.String())
	}
	if text := r.String(); strings.Contains(text, string(verify.NoteDemand)+": ") || !strings.Contains(text, "not in the file: demands lacks 1\n") {
		t.Error(text)
	}
}

// TestDemandsOnManyAnswers: answers beyond the limit count as missing, and a note says so once.
func TestDemandsOnManyAnswers(t *testing.T) {
	file, err := casetest.File(asking(postDenies, casetest.Act{Ask: true, Holders: 2, Lies: true, Cites: true, Finding: finds("specification", casefile.Pass)}))
	if err != nil {
		t.Fatal(err)
	}
	for most, made := range map[int]int{10: 1, 40: 2, 100: 3} {
		r := verify.DemandsWithin(file, most)
		text := r.String()
		if got := r.Checks[0]; got.State != verify.Passed || got.Count != made || got.Missing != 3-made {
			t.Errorf("%d bytes: %+v", most, got)
		}
		if beyond := made < 3; strings.Count(text, "not made again: all answers have more than") != map[bool]int{true: 1}[beyond] || strings.Contains(text, "is not true") == beyond {
			t.Errorf("%d bytes: %s", most, text)
		}
	}
}

// TestAttackForgedAnswer: a judge shows a receipt that no holder signed, and cites it. It signs its
// chain anew, so that only the receipt is forged. The file does not verify, and the demand is not
// made on the answer.
func TestAttackForgedAnswer(t *testing.T) {
	act := casetest.Act{Ask: true, Holders: 1, Cites: true, Finding: finds("specification", casefile.Pass)}
	honest, err := casetest.Build(asking(postSays, act))
	if err != nil {
		t.Fatal(err)
	}
	given := receiptOf(t, honest.Log.Events())
	forged := given
	forged.Signature[0] ^= 1
	hash, err := forged.Hash()
	if err != nil {
		t.Fatal(err)
	}
	act.Cites, act.Finding = false, finds("specification", casefile.Pass, "receipt:"+casefile.Digest(hash).String())
	file, err := casetest.File(asking(postSays, act))
	if err != nil {
		t.Fatal(err)
	}
	b := bundle(t, file)
	forge(t, honest, &b, given, forged)
	r := verify.File(reseal(t, b, honest.Judges[0].Key))
	data, demands := r.Check(verify.CheckData), r.Check(verify.CheckDemands)
	if r.OK() || data.State != verify.Failed || r.Check(verify.CheckEvents).State != verify.Passed || demands.Count != 1 ||
		!strings.Contains(r.String(), "for the task's check 1 it cites a receipt that its holder did not sign") {
		t.Errorf("%+v, %+v\n%s", data, demands, r.String())
	}
}

// receiptOf returns the first receipt that a judge shows.
func receiptOf(t *testing.T, events []casefile.Event) casefile.Receipt {
	t.Helper()
	for _, r := range casefile.Shown(events, func(casefile.TwofoldBody) {}) {
		return r
	}
	t.Fatal("no receipt")
	return casefile.Receipt{}
}

// forge replaces a receipt of a judge, and signs its chain from there on again, as it could itself.
func forge(t *testing.T, w *casetest.World, b *casefile.Bundle, is, becomes casefile.Receipt) {
	t.Helper()
	i := slices.IndexFunc(w.Judges, func(j casetest.Judge) bool { return casefile.DID(j.Peer()) == is.Asker })
	key := w.Judges[i].Key
	var before casefile.Digest
	for n, e := range b.Events {
		if e.Actor != is.Asker {
			continue
		}
		if e.Kind == casefile.KindData {
			e.Body = []byte(strings.Replace(string(e.Body), fmt.Sprintf("%q", text(t, is.Signature)), fmt.Sprintf("%q", text(t, becomes.Signature)), 1))
		}
		e.Prev = before
		id, err := e.ID()
		if err != nil {
			t.Fatal(err)
		}
		preimage := slices.Concat([]byte("oju:event:v1"), w.Domain.Network[:], w.Domain.Program[:], id[:])
		e.Sig, before = casefile.Signature(ed25519.Sign(key, preimage)), id
		b.Events[n] = e
	}
}

func text(t *testing.T, s casefile.Signature) string {
	t.Helper()
	raw, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
