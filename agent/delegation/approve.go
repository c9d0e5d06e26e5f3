package delegation

import (
	"time"
)

// approveCommand answers a call that waits for a person.
const approveCommand = "/ojud/approve"

// Approval is a person's answer to a call that waits.
type Approval struct {
	Call string // CID of the invocation
	By   Principal
	Yes  bool
}

// Approve signs an answer.
func Approve(s Signer, call string, yes bool, nonce []byte, now time.Time) ([]byte, error) {
	inv := &Invocation{Audience: s.Principal(), Args: map[string]any{"call": call, "yes": yes}, Issued: now.Unix()}
	inv.Issuer, inv.Subject, inv.Command, inv.Nonce, inv.Expires = s.Principal(), s.Principal(), approveCommand, nonce, never
	inv, err := inv.sign(s)
	if err != nil {
		return nil, err
	}
	return inv.Bytes(), nil
}

// ParseApproval reads an answer and checks its signature. Whether the person may answer is for the
// executor to know.
func ParseApproval(raw []byte) (a Approval, err error) {
	inv, err := parseInvocation(raw)
	if err != nil {
		return a, err
	}
	if r := inv.authentic(); r != nil {
		return a, r
	}
	call, isText := inv.Args["call"].(string)
	yes, isBool := inv.Args["yes"].(bool)
	if inv.Command != approveCommand || inv.Issuer != inv.Subject || !isText || !isBool {
		return a, Refuse(InvalidClaim, "cmd", "it is no answer to a call that waits")
	}
	return Approval{Call: call, By: inv.Issuer, Yes: yes}, nil
}
