package why

import (
	"testing"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/voting"
)

// TestDisputeWords: who reads why a dispute of others was decided reads of its claim and its sides,
// and not of a creator who is refunded.
func TestDisputeWords(t *testing.T) {
	t.Parallel()
	terms := casefile.TaskTerms{Creator: casefile.Address{1}, Worker: casefile.Address{2}, WorkerOperator: casefile.Address{3}}
	for prepaid, want := range map[bool][4]string{
		false: {"reject, the creator is refunded", "the creator", "the worker", "the operator of the worker"},
		true:  {"reject, the claim fails", "the respondent", "the claimant", "the operator of the claimant"},
	} {
		terms.Prepaid = prepaid
		e := &explainer{}
		e.f.Record = &reading.Record{Open: &casefile.Doc[casefile.OpenFact]{Value: casefile.OpenFact{Task: terms}}}
		got := [4]string{words(e, voting.ForCreator), party(terms, terms.Creator), party(terms, terms.Worker), party(terms, terms.WorkerOperator)}
		if got != want {
			t.Errorf("prepaid %t: %q, want %q", prepaid, got, want)
		}
	}
}
