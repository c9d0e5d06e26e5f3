// Package signed looks at the agreements in a task's input data. A dispute of others is brought by
// one party, whose word it is that the other one has signed. Anybody can check that by code.
//
// The caller gives the parties as the chain names them. A finding that fails belongs to the
// demands of the task: without a signature of the respondent nothing was agreed.
package signed

import (
	"encoding/json"
	"fmt"
	"slices"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/casefile"
	"ojud/voting"
)

// Parties are those of a dispute of others. They are zero in the case of a task.
type Parties struct{ Respondent, Claimant voting.Key }

// Findings checks that the respondent signed each agreement in the input data, and that its parties
// are those of the dispute. A signature that is there is a fact, and decides nothing alone.
func Findings(input []json.RawMessage, of Parties) (out []casefile.Finding) {
	if of == (Parties{}) {
		return nil
	}
	for i, raw := range input {
		if !talk.IsAgreement(raw) {
			continue
		}
		f := casefile.Finding{Check: "specification/agreement", Outcome: casefile.Fail, Evidence: []string{fmt.Sprintf("task:/input_data/%d", i)}}
		respondent, claimant := delegation.Principal(of.Respondent).String(), delegation.Principal(of.Claimant).String()
		switch a, err := talk.ParseAgreement(raw); {
		case err != nil:
			f.Detail = "the agreement in input_data is not whole, so nobody signed it"
		case !slices.Contains([]string{a.Asker, a.Holder}, respondent) || !slices.Contains([]string{a.Asker, a.Holder}, claimant) || respondent == claimant:
			f.Detail = "the parties of the agreement in input_data are not those of the dispute"
		case !a.SignedBy(respondent):
			f.Detail = "the respondent, " + respondent + ", did not sign the agreement in input_data"
		default:
			f.Check, f.Outcome = "exhibit/agreement", casefile.Pass
			f.Detail = "the respondent, " + respondent + ", signed the agreement in input_data"
		}
		out = append(out, f)
	}
	return out
}
