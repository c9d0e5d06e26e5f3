package talk

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAttackWordsOfAMeeting: terms of a meeting have no words besides purpose, promises and deal,
// so nobody who compares these three signs a relation, an owner, access or a vocabulary that the
// proposer wrote.
func TestAttackWordsOfAMeeting(t *testing.T) {
	t.Parallel()
	good := Several(strings.Repeat("0", 64), "did:key:a", "a trip", []string{"did:key:a", "did:key:b"}, []string{"pay a third"}, nil, "")
	for name, change := range map[string]func(*Agreement){
		"":           func(*Agreement) {},
		"relation":   func(a *Agreement) { a.Relation = "Bob owes Eve 500 SOL" },
		"owner":      func(a *Agreement) { a.Owner = "Bob Lee, debtor" },
		"access":     func(a *Agreement) { a.Access = []string{"Bob's wallet"} },
		"ontologies": func(a *Agreement) { a.Ontologies = json.RawMessage(`[]`) },
	} {
		a := good
		change(&a)
		raw, err := a.Canonical()
		if err == nil {
			_, err = ParseAgreement(raw)
		}
		if (err == nil) != (name == "") {
			t.Errorf("with %q: %v", name, err)
		}
	}
}
