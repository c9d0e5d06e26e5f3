package signed_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"ojud/agent/delegation"
	"ojud/agent/judge/signed"
	"ojud/agent/talk"
	"ojud/casefile"
	"ojud/voting"
)

type key ed25519.PrivateKey

func newKey(seed byte) key {
	return key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

func (k key) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k key) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

// TestAttackForgedAgreement: a claimant brings a dispute about an agreement that the respondent
// never signed, or signed with somebody else or about something else. Code sees it. Before, the
// judges had the claimant's word alone.
func TestAttackForgedAgreement(t *testing.T) {
	t.Parallel()
	joe, ann, eve := newKey(1), newKey(2), newKey(3)
	for name, c := range map[string]struct {
		change func(*talk.Agreement)
		signed bool
	}{
		"signed":                       {func(a *talk.Agreement) { a.Sign(joe) }, true},
		"not signed":                   {func(*talk.Agreement) {}, false},
		"signed by the claimant alone": {func(a *talk.Agreement) { a.Sign(ann) }, false},
		"signed, and changed":          {func(a *talk.Agreement) { a.Sign(joe); a.Deal = json.RawMessage(`{"fee":"100 SOL"}`) }, false},
		"with somebody else":           {func(a *talk.Agreement) { a.Asker = eve.Principal().String(); a.Sign(joe) }, false},
		"the signature of another":     {func(a *talk.Agreement) { a.Sign(eve); a.Signatures = map[string]string{a.Holder: a.Sign(eve)} }, false},
	} {
		a := talk.Agreement{
			Format: "anex-agreement/1", Conversation: "c", Asker: ann.Principal().String(), Holder: joe.Principal().String(),
			RequestType: "painting", Access: []string{}, Promise: []string{}, Deal: json.RawMessage(`{"fee":"1 SOL"}`),
		}
		c.change(&a)
		raw, err := a.Task(ann.Principal().String(), joe.Principal().String())
		if err != nil {
			t.Fatal(err)
		}
		doc, err := casefile.ParseTask(raw)
		if err != nil {
			t.Fatal(err)
		}
		of := signed.Parties{Respondent: voting.Key(joe.Principal()), Claimant: voting.Key(ann.Principal())}
		got := signed.Findings(doc.Value.InputData, of)
		if len(got) != 1 || (got[0].Outcome == casefile.Pass) != c.signed {
			t.Errorf("%s: %+v", name, got)
		}
		if got := signed.Findings(doc.Value.InputData, signed.Parties{}); got != nil {
			t.Errorf("%s: it is no dispute: %+v", name, got)
		}
	}
	of := signed.Parties{Respondent: voting.Key{1}}
	for raw, found := range map[string]int{`{"format":"anex-agreement/1"}`: 1, `{"format":"other"}`: 0, `"text"`: 0, `{`: 0} {
		if got := signed.Findings([]json.RawMessage{json.RawMessage(raw)}, of); len(got) != found {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

// TestAttackIncompleteAgreement: a party of a meeting brings a dispute about terms that one of the
// others did not sign, so that they bind nobody. The respondent, who signed first, would pay.
func TestAttackIncompleteAgreement(t *testing.T) {
	t.Parallel()
	joe, ann, eve := newKey(1), newKey(2), newKey(3)
	of := signed.Parties{Respondent: voting.Key(joe.Principal()), Claimant: voting.Key(ann.Principal())}
	var parties []string
	for _, k := range []key{joe, ann, eve} {
		parties = append(parties, k.Principal().String())
	}
	for name, c := range map[string]struct {
		by    []key
		whole bool
	}{
		"all": {[]key{joe, ann, eve}, true}, "all but the claimant": {[]key{joe, eve}, true}, "the respondent alone": {[]key{joe}, false},
		"both, and not the third": {[]key{joe, ann}, false}, "not the respondent": {[]key{ann, eve}, false},
	} {
		a := talk.Several("m", parties[1], "A trip", parties, nil, json.RawMessage(`{"fee":"1 SOL"}`), "")
		for _, k := range c.by {
			a.Sign(k)
		}
		raw, err := a.Task(parties[1], parties[0])
		if err != nil {
			t.Fatal(err)
		}
		doc, err := casefile.ParseTask(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := signed.Findings(doc.Value.InputData, of); len(got) != 1 || (got[0].Outcome == casefile.Pass) != c.whole {
			t.Errorf("%s: %+v", name, got)
		}
		if strings.Contains(string(raw), `"`+parties[1]+`":`) {
			t.Errorf("%s: the claimant's signature is part of the terms", name)
		}
	}
}

// TestAttackNestedAgreement: a claimant puts an agreement that the respondent never signed into an
// object, a list or a text, or names another version, so that code does not look at it and readers
// have the claimant's word. Code finds all of these.
func TestAttackNestedAgreement(t *testing.T) {
	t.Parallel()
	joe, ann := newKey(1), newKey(2)
	a := talk.Agreement{
		Format: "anex-agreement/1", Conversation: "c", Asker: ann.Principal().String(), Holder: joe.Principal().String(),
		RequestType: "painting", Access: []string{}, Promise: []string{}, Deal: json.RawMessage(`{"fee":"100 SOL"}`),
	}
	a.Sign(ann)
	plain := func(a talk.Agreement) string {
		raw, err := a.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	quoted := func(text string) string {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	forged, both := plain(a), a
	both.Signatures = maps.Clone(a.Signatures)
	both.Sign(joe)
	second := a
	second.Format = "anex-agreement/2"
	of := signed.Parties{Respondent: voting.Key(joe.Principal()), Claimant: voting.Key(ann.Principal())}
	for name, c := range map[string]struct {
		input string
		want  []casefile.CheckOutcome
	}{
		"in an object":           {`{"agreement":` + forged + `}`, []casefile.CheckOutcome{casefile.Fail}},
		"in a list":              {`[[` + forged + `]]`, []casefile.CheckOutcome{casefile.Fail}},
		"as a text":              {quoted(forged), []casefile.CheckOutcome{casefile.Fail}},
		"as a text in a text":    {`{"x":` + quoted(quoted(forged)) + `}`, []casefile.CheckOutcome{casefile.Fail}},
		"another version":        {plain(second), []casefile.CheckOutcome{casefile.Fail}},
		"another name":           {strings.Replace(forged, `"format"`, `"Format"`, 1), []casefile.CheckOutcome{casefile.Fail}},
		"signed, in an object":   {`{"agreement":` + plain(both) + `}`, []casefile.CheckOutcome{casefile.Pass}},
		"one of two":             {`[` + plain(both) + `,` + forged + `]`, []casefile.CheckOutcome{casefile.Pass, casefile.Fail}},
		"words about agreements": {`"An anex-agreement/1 has two signatures."`, nil},
		"deep":                   {strings.Repeat("[", 40) + strings.Repeat("]", 40), nil},
	} {
		var got []casefile.CheckOutcome
		for _, f := range signed.Findings([]json.RawMessage{json.RawMessage(c.input)}, of) {
			got = append(got, f.Outcome)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v instead of %v", name, got, c.want)
		}
	}
}

// FuzzFindings: whatever stands in the input data, the findings are bounded, each has its reason,
// and nothing that was not signed passes.
func FuzzFindings(f *testing.F) {
	for _, seed := range []string{
		`{"format":"anex-agreement/1"}`, `[{"Format":"ANEX-Agreement/9"}]`, `"{\"format\":\"anex-agreement/1\"}"`, `{"a":[[{"format":"other"}]]}`, `{`, `"x"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := signed.Findings([]json.RawMessage{raw, raw}, signed.Parties{Respondent: voting.Key{1}})
		if len(got) > 65 {
			t.Errorf("%d findings", len(got))
		}
		for _, f := range got {
			if f.Outcome != casefile.Fail || f.Detail == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
