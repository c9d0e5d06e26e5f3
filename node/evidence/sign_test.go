package evidence

import (
	"errors"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/voting"
)

// diary remembers what was said since born.
type diary map[voting.Hash]voting.Hash

const born = 100

var errLost = errors.New("it may be lost")

func (d diary) Said(_ voting.Key, opened int64, question, answer voting.Hash) (voting.Hash, error) {
	if _, ok := d[question]; !ok && opened <= born {
		return question, errLost
	} else if !ok {
		d[question] = answer
	}
	return d[question], nil
}

// followed are the cases of a court, to Evidence.
type followed struct{ court }

func (followed) AddReceipt(casefile.Receipt) {}

// TestSignsOneAnswer: a node signs no second answer to a question of a case, whoever asks, because
// it would be evidence against itself. Outside of cases nothing is compared. In a case that was
// opened before its memory, or that it does not follow, it signs nothing.
func TestSignsOneAnswer(t *testing.T) {
	cases := followed{court{cases: map[voting.Key]voting.Case{{1}: {OpenedAt: born + 1}, {2}: {OpenedAt: born}}}}
	e := &Evidence{d: Parts{Cases: cases, Key: casetest.NodeKey("holder"), Said: diary{}}}
	in := casefile.Receipt{Case: casefile.Address{1}, Round: 1, Source: "site.post", Access: []string{}, Response: casefile.Digest{1}, FetchedAt: 1}
	again, changed, elsewhere, before, unknown := in, in, in, in, in
	before.Case, unknown.Case = casefile.Address{2}, casefile.Address{3}
	before.Source, unknown.Source = "site.other", "site.other"
	again.Asker, changed.Response, changed.Round = casefile.DID{4}, casefile.Digest{2}, 2
	elsewhere.Case, elsewhere.Round, elsewhere.Response = casefile.Address{}, 0, casefile.Digest{3}
	for i, c := range []struct {
		receipt casefile.Receipt
		err     error
	}{{in, nil}, {again, nil}, {changed, errTwofold}, {elsewhere, nil}, {before, errLost}, {unknown, errLost}} {
		if r, err := e.sign(c.receipt); !errors.Is(err, c.err) || (err == nil) != (r.Signature != casefile.Signature{}) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
