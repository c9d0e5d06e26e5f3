package delegation

import "fmt"

// RefusalName is the name of a refusal. Those up to MatchError are the specification's.
type RefusalName string

// The names of refusals.
const (
	// InvalidClaim says that a member is missing or cannot be true.
	InvalidClaim RefusalName = "InvalidClaim"
	// UnavailableProof says that a token of the chain is not there.
	UnavailableProof RefusalName = "UnavailableProof"
	Expired          RefusalName = "Expired"
	TooEarly         RefusalName = "TooEarly"
	// InvalidAudience says that a link is not for the agent that uses it.
	InvalidAudience RefusalName = "InvalidAudience"
	// InvalidSubject says that a link is about another agent.
	InvalidSubject   RefusalName = "InvalidSubject"
	InvalidSignature RefusalName = "InvalidSignature"
	// MatchError says that the policy of a link refuses the arguments.
	MatchError     RefusalName = "MatchError"
	InvalidCommand RefusalName = "InvalidCommand"
	// Malformed says that the bytes are no token.
	Malformed RefusalName = "Malformed"
	TooLarge  RefusalName = "TooLarge"
	// TooDeep says that the chain has too many links.
	TooDeep RefusalName = "TooDeep"
	// Cycle says that an agent stands twice in a chain.
	Cycle RefusalName = "Cycle"
	// Revoked says that a link was taken back.
	Revoked RefusalName = "Revoked"
	// Widened says that a link allows more than the link before it.
	Widened RefusalName = "Widened"
	// Replayed says that the call was seen before.
	Replayed   RefusalName = "Replayed"
	OverBudget RefusalName = "OverBudget"
	// NotApproved says that a person said no, or nothing.
	NotApproved RefusalName = "NotApproved"
	// Busy says that a bound of the executor is reached.
	Busy RefusalName = "Busy"
)

// Refusal says why a token, a chain or a call is refused.
type Refusal struct {
	Name  RefusalName `json:"name"`
	Link  int         `json:"link"`  // index of the link in the chain, -1 for a token by itself
	Field string      `json:"field"` // the member, "" if it is the token as a whole
	Why   string      `json:"why"`   // a sentence with the limit and the fix
	Token string      `json:"token,omitempty"`
}

// Error implements error.
func (r *Refusal) Error() string {
	where := "the token"
	if r.Link >= 0 {
		where = fmt.Sprintf("link %d of the chain", r.Link+1)
	}
	if r.Field != "" {
		where += ": " + r.Field
	}
	return fmt.Sprintf("%s: %s: %s", r.Name, where, r.Why)
}

// Refuse returns a refusal that is about no link of a chain.
func Refuse(name RefusalName, field, format string, args ...any) *Refusal {
	return &Refusal{Name: name, Link: -1, Field: field, Why: fmt.Sprintf(format, args...)}
}
