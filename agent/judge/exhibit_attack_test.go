package judge

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/casefile"
	"ojud/voting"
)

// TestAttackForgeryReadsRight: in the whole prompt a forged receipt stood as "(does not hold):
// …: the signature is wrong", and the limit of a line cut the warning of a long finding.
func TestAttackForgeryReadsRight(t *testing.T) {
	receipt, err := os.ReadFile("../../casefile/exhibit/testdata/x402-jws.json")
	if err != nil {
		t.Fatal(err)
	}
	forged := regexp.MustCompile(`\.[A-Za-z0-9_-]{86}"`).ReplaceAll(receipt, []byte("."+strings.Repeat("A", 86)+`"`))
	if string(forged) == string(receipt) {
		t.Fatal("nothing was forged")
	}
	b := dataBrief(t, poem, `{"text":"The owl sits in the oak"}`, NoSources{})
	b.Exhibits = map[voting.Hash][]byte{}
	pleading := func(reason string, exhibit []byte) Paper[casefile.Objection] {
		hash := casefile.HashOf(exhibit)
		b.Exhibits[hash] = exhibit
		d, err := casefile.ParseObjection(fmt.Appendf(nil, `{"reason":%q,"evidence":[{"name":"x","sha256":%q,"bytes":%d}]}`, reason, hash, len(exhibit)))
		if err != nil {
			t.Fatal(err)
		}
		return Open(d.Hash, d.Raw, casefile.ParseObjection)
	}
	b.Objection, b.Counter = pleading("It is not there.", forged), pleading("It is there.", receipt)
	m := &fake{answer: always(say(unclear))}
	j, err := NewReasoner(Shared, DefaultReasoning(), ReasonerDeps{Model: func() agent.Model { return m }})
	if err != nil {
		t.Fatal(err)
	}
	o, err := j.Evaluate(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.prompts) == 0 {
		t.Fatalf("the model was not asked: %+v", o)
	}
	_, facts, _ := strings.Cut(m.prompts[0].Messages[0].Text, " begin facts")
	facts, _, _ = strings.Cut(facts, " end facts")
	for _, want := range []string{
		": exhibit 1 of the creator's objection fails the checks of code: x402 offer: it proves nothing: the signature is wrong\n",
		": exhibit 1 of the worker's answer is not decided by code: x402 receipt: a receipt names no amount; nothing ties it to this case",
	} {
		if !strings.Contains(facts, want) {
			t.Errorf("want %q in the facts:\n%s", want, facts)
		}
	}
	if regexp.MustCompile(`hold\): [^\n]*x402`).MatchString(facts) {
		t.Errorf("a signed text holds or does not hold:\n%s", facts)
	}
}
