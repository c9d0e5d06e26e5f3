// Package signed looks at the agreements in a task's input data. A dispute of others is brought by
// one party, whose word it is that the other one has signed. Anybody can check that by code.
//
// The caller gives the parties as the chain names them. A finding that fails belongs to the
// demands of the task: without a signature of the respondent nothing was agreed.
package signed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	for n, found := range agreements(input) {
		i, raw := found.item, found.raw
		f := casefile.Finding{Check: "specification/agreement", Outcome: casefile.Fail, Evidence: []string{fmt.Sprintf("task:/input_data/%d", i)}}
		respondent, claimant := delegation.Principal(of.Respondent).String(), delegation.Principal(of.Claimant).String()
		switch a, err := talk.ParseAgreement(raw); {
		case n == maxFound:
			f.Detail = fmt.Sprintf("input_data has more than %d agreements, so code does not know who signed them", maxFound)
		case err != nil:
			f.Detail = "the agreement in input_data is not whole, so nobody signed it"
		case !slices.Contains(a.Names(), respondent) || !slices.Contains(a.Names(), claimant) || respondent == claimant:
			f.Detail = "the parties of the agreement in input_data are not those of the dispute"
		case !a.SignedBy(respondent):
			f.Detail = "the respondent, " + respondent + ", did not sign the agreement in input_data"
		case missing(a, claimant) != "":
			f.Detail = "the party " + missing(a, claimant) + " did not sign the agreement in input_data, and its terms bind when all have signed"
		default:
			f.Check, f.Outcome = "exhibit/agreement", casefile.Pass
			f.Detail = "the respondent, " + respondent + ", signed the agreement in input_data"
		}
		out = append(out, f)
	}
	return out
}

// missing names a party of a meeting that did not sign. The claimant signs by its claim.
func missing(a talk.Agreement, claimant string) string {
	for _, who := range a.Parties {
		if who != claimant && !a.SignedBy(who) {
			return who
		}
	}
	return ""
}

// The bounds of the search for agreements.
const (
	maxDeep  = 80 // arrays, objects and texts inside each other
	maxFound = 64
)

type found struct {
	item int // of the input data
	raw  json.RawMessage
}

// agreements finds what says of itself that it is an agreement, at any depth, and in texts that are
// JSON: a reader would see it there, and take it for one.
func agreements(input []json.RawMessage) (out []found) {
	for i, raw := range input {
		var look func(raw json.RawMessage, left int)
		look = func(raw json.RawMessage, left int) {
			if left == 0 || len(out) > maxFound {
				return
			}
			var members map[string]json.RawMessage
			var items []json.RawMessage
			var text string
			switch raw = bytes.TrimSpace(raw); {
			case bytes.HasPrefix(raw, []byte("{")) && json.Unmarshal(raw, &members) == nil:
				if talk.IsAgreement(raw) || says(members) {
					out = append(out, found{i, raw})
					return
				}
				for _, name := range slices.Sorted(maps.Keys(members)) {
					look(members[name], left-1)
				}
			case bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &items) == nil:
				for _, item := range items {
					look(item, left-1)
				}
			case bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &text) == nil && strings.Contains(strings.ToLower(text), agreement):
				look(json.RawMessage(text), left-1)
			}
		}
		look(raw, maxDeep)
	}
	return out
}

// agreement begins the format of agreements, in each version.
const agreement = "anex-agreement"

// says reports whether an object says that it is an agreement, also of another version, or in other
// letters: no judge can check those, so nobody signed them.
func says(members map[string]json.RawMessage) bool {
	for name, raw := range members {
		var text string
		if strings.EqualFold(name, "format") && json.Unmarshal(raw, &text) == nil && strings.Contains(strings.ToLower(text), agreement) {
			return true
		}
	}
	return false
}
