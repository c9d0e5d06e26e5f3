package evidence

import (
	"errors"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/voting"
)

// diary remembers what was said.
type diary map[voting.Hash]voting.Hash

func (d diary) Said(_ voting.Key, question, answer voting.Hash) (voting.Hash, error) {
	if _, ok := d[question]; !ok {
		d[question] = answer
	}
	return d[question], nil
}

// TestSignsOneAnswer: a node signs no second answer to a question of a case, whoever asks, because
// it would be evidence against itself. Outside of cases nothing is compared.
func TestSignsOneAnswer(t *testing.T) {
	e := &Evidence{d: Parts{Key: casetest.NodeKey("holder"), Said: diary{}}}
	in := casefile.Receipt{Case: casefile.Address{1}, Round: 1, Source: "site.post", Access: []string{}, Response: casefile.Digest{1}}
	again, changed, elsewhere := in, in, in
	again.Asker, changed.Response, changed.Round = casefile.DID{4}, casefile.Digest{2}, 2
	elsewhere.Case, elsewhere.Round, elsewhere.Response = casefile.Address{}, 0, casefile.Digest{3}
	for i, c := range []struct {
		receipt casefile.Receipt
		err     error
	}{{in, nil}, {again, nil}, {changed, errTwofold}, {elsewhere, nil}} {
		if r, err := e.sign(c.receipt); !errors.Is(err, c.err) || (err == nil) != (r.Signature != casefile.Signature{}) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
