package sheet

import (
	"encoding/json"
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/casefile/runs"
)

// exhibit begins the checks of exhibits, whose names are words of the parties.
const exhibit = "exhibit/"

// Line is a fact as a model reads it: whether it holds, and the fact. A finding about a signed text
// says itself what came of it, because "does not hold: the signature is wrong" denies that it is
// wrong. It names the party and the number of the exhibit, from 1.
func Line(f casefile.Finding) (holds, text string) {
	if party, n, is := signed(f); is {
		return "", fmt.Sprintf("exhibit %d of the %s %s: %s", n, map[string]string{"objection": "creator's objection", "counter-objection": "worker's answer"}[party], map[casefile.CheckOutcome]string{
			casefile.Pass: "passes the checks of code", casefile.Fail: "fails the checks of code", casefile.Unknown: "is not decided by code"}[f.Outcome], f.Detail)
	}
	return map[casefile.CheckOutcome]string{casefile.Pass: " (holds)", casefile.Fail: " (does not hold)", casefile.Unknown: " (undecided)"}[f.Outcome], Fact(f)
}

// signed reports the party and the number of the exhibit that a finding about a signed text is of.
func signed(f casefile.Finding) (party string, n int, is bool) {
	name, is := strings.CutPrefix(f.Check, exhibit)
	party, place, under := strings.Cut(name, "/evidence[")
	if _, err := fmt.Sscanf(place, "%d]", &n); err != nil {
		return "", 0, false
	}
	return party, n + 1, is && under
}

// Fact says what code found, without a word of a party. A creator's program gives its reasons in
// the creator's words; a pattern, a path and the name of an exhibit are words of a party, too.
// These stand among the checks (Checks).
func Fact(f casefile.Finding) string {
	class, name, _ := strings.Cut(f.Check, "/")
	switch {
	case strings.HasPrefix(f.Check, exhibit) && strings.Contains(name, "/"):
		return f.Detail // of a signed text: words of code alone, whatever came of it
	case strings.HasPrefix(f.Check, exhibit) && f.Outcome != casefile.Pass:
		return "the exhibits of the " + name + " are as declared"
	case strings.HasPrefix(name, "expected["):
		return name + ": " + stands(f.Outcome)
	case f.Run != nil:
		return fmt.Sprintf("the call of %s was made, and %s", name, map[runs.Said]string{
			runs.True: "it returns what its party expects", runs.False: "it does not return what its party expects", runs.None: "it has no answer"}[f.Run.Said])
	case class == "specification" && (name == "result" || name == "schema" || strings.HasPrefix(name, "instruction[")), strings.HasPrefix(f.Check, exhibit):
		return f.Detail // words of code alone
	}
	return name
}

func stands(o casefile.CheckOutcome) string {
	return map[casefile.CheckOutcome]string{casefile.Pass: "true", casefile.Fail: "false", casefile.Unknown: "not decided"}[o]
}

// Checks are the checks of a task, with what they say of the result, and the calls that parties
// name: words of the parties. It is empty if there are none.
func Checks(task casefile.Task, findings []casefile.Finding) []byte {
	type check struct {
		Says  string          `json:"a_says,omitempty"` // it stands before the check, which may be cut
		Check *casefile.Check `json:"check,omitempty"`
	}
	out := map[string]check{}
	for i, k := range task.Expected {
		out[fmt.Sprintf("expected[%d]", i)] = check{Check: &k}
	}
	for _, f := range findings {
		_, name, _ := strings.Cut(f.Check, "/")
		if k, ok := out[name]; ok || f.Run != nil {
			k.Says = f.Detail
			out[name] = k
		}
	}
	if len(out) == 0 {
		return nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return fmt.Appendf(nil, "the checks cannot be written: %v", err)
	}
	return raw
}
