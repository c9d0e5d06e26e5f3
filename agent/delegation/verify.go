package delegation

import (
	"strings"
	"time"
)

// Skew is by how much the clocks of two hosts may differ.
const Skew = 60 * time.Second

// Check is what a caller knows when it checks a token.
type Check struct {
	Now      time.Time
	Executor Principal // who is asked to execute: an invocation for another is refused
	// Find returns the token with that CID, and false if it is not there.
	Find func(id string) ([]byte, bool)
	// Revoked reports whether a token was taken back; nil means that none was.
	Revoked func(id string) bool
	Skew    time.Duration // 0 trusts the clocks
}

// Verify checks an invocation and its whole chain by UCAN 1.0: signatures, time, principals,
// subject, commands, policies and revocations. It does not remember the call, so its caller must
// refuse what it has seen before. It returns the links, root first, which are none if the subject
// itself calls. If the chain holds and does not allow the call, it returns them with the refusal.
func Verify(inv *Invocation, c Check) ([]*Delegation, error) {
	if r := inv.authentic(); r != nil {
		return nil, r
	}
	if inv.Audience != c.Executor {
		return nil, Refuse(InvalidAudience, "aud", "the invocation is for %s and not for %s", inv.Audience, c.Executor)
	}
	if r := c.due(inv.Expires, inv.Issued); r != nil {
		return nil, r
	}
	links, err := c.resolve(inv)
	if err != nil {
		return nil, err
	}
	if len(links) == 0 {
		if inv.Issuer != inv.Subject {
			return nil, Refuse(InvalidClaim, "prf", "%s calls for %s and shows no delegation", inv.Issuer, inv.Subject)
		}
		return nil, nil
	}
	if err := c.chain(links); err != nil {
		return nil, err
	}
	if links[0].Subject != inv.Subject {
		return nil, Refuse(InvalidSubject, "sub", "the invocation is about %s and its chain is about %s", inv.Subject, links[0].Subject)
	}
	last := links[len(links)-1]
	if last.Audience != inv.Issuer {
		return nil, at(len(links)-1, last, InvalidAudience, "aud", "it allows %s, and %s calls", last.Audience, inv.Issuer)
	}
	for n, d := range links {
		if !covers(d.Command, inv.Command) {
			return links, at(n, d, InvalidCommand, "cmd", "it allows %s, and the call is %s", d.Command, inv.Command)
		}
		if err := d.admit(n, inv.Args); err != nil {
			return links, err
		}
	}
	return links, nil
}

// Denies reports whether a link of a chain names a command, or one above it, as denied.
func Denies(links []*Delegation, command string) (bool, error) {
	for _, d := range links {
		s, _, err := d.Scope()
		if err != nil || covered(s.Deny, command) {
			return err == nil, err
		}
	}
	return false, nil
}

// Grant checks a chain without a call: what its last audience was allowed.
func Grant(links []*Delegation, c Check) error {
	switch {
	case len(links) == 0:
		return Refuse(InvalidClaim, "prf", "a chain has at least one link")
	case len(links) > maxProofs:
		return Refuse(TooDeep, "prf", "the chain has %d links, at most %d", len(links), maxProofs)
	}
	return c.chain(links)
}

// at returns a refusal of a link.
func at(n int, d *Delegation, name RefusalName, field, format string, args ...any) *Refusal {
	r := Refuse(name, field, format, args...)
	r.Link, r.Token = n, d.ID()
	return r
}

// admit refuses arguments that the policy of a link does not admit.
func (d *Delegation) admit(n int, args map[string]any) error {
	failed, ok, err := matches(d.rules, args)
	if err != nil {
		return at(n, d, MatchError, "pol", "%v", err)
	}
	if !ok {
		s, _, scoped := d.Scope()
		switch call, _ := args["call"].(string); {
		case scoped != nil || call == "":
		case len(s.Allow) > 0 && !covered(s.Allow, call):
			return at(n, d, MatchError, "pol", "it allows %.300s, and the call is %.100s", strings.Join(s.Allow, ", "), call)
		case covered(s.Deny, call):
			return at(n, d, MatchError, "pol", "it denies %.300s, and the call is %.100s", strings.Join(s.Deny, ", "), call)
		}
		return at(n, d, MatchError, "pol", "the arguments do not fulfil %s", short(failed))
	}
	return nil
}

// resolve finds the links that an invocation names.
func (c Check) resolve(inv *Invocation) ([]*Delegation, error) {
	if len(inv.Proofs) > maxProofs {
		return nil, Refuse(TooDeep, "prf", "the chain has %d links, at most %d", len(inv.Proofs), maxProofs)
	}
	links := make([]*Delegation, len(inv.Proofs))
	for n, id := range inv.Proofs {
		raw, ok := c.Find(id.String())
		if !ok {
			r := Refuse(UnavailableProof, "prf", "the token %s is not there; send the whole chain", id)
			r.Link, r.Token = n, id.String()
			return nil, r
		}
		d, err := parseDelegation(raw)
		if err != nil {
			return nil, inLink(n, err)
		}
		if !d.id.Equals(id) {
			return nil, at(n, d, UnavailableProof, "prf", "the bytes are those of another token than %s", id)
		}
		links[n] = d
	}
	return links, nil
}

// inLink says of which link a refusal is.
func inLink(n int, err error) error {
	if r, ok := err.(*Refusal); ok { //nolint:errorlint // it was made here, and nothing wraps it
		c := *r
		c.Link = n
		return &c
	}
	return err
}

// chain checks links that follow each other, root first.
func (c Check) chain(links []*Delegation) error {
	root := links[0]
	if root.Powerline {
		return at(0, root, InvalidClaim, "sub", "the first link names no subject; only later links may")
	}
	if root.Issuer != root.Subject {
		return at(0, root, InvalidSubject, "sub", "the first link is of %s, and only the subject %s can begin a chain", root.Issuer, root.Subject)
	}
	met := map[Principal]bool{root.Issuer: true}
	for n, d := range links {
		if r := d.authentic(); r != nil {
			return inLink(n, r)
		}
		if c.Revoked != nil && c.Revoked(d.ID()) {
			return at(n, d, Revoked, "", "it was taken back")
		}
		if r := c.due(d.Expires, d.NotBefore); r != nil {
			r.Link, r.Token = n, d.ID()
			return r
		}
		if !d.Powerline && d.Subject != root.Subject {
			return at(n, d, InvalidSubject, "sub", "it is about %s, and the chain is about %s", d.Subject, root.Subject)
		}
		if n > 0 && links[n-1].Audience != d.Issuer {
			return at(n, d, InvalidAudience, "iss", "it is of %s, and the link before it allows %s", d.Issuer, links[n-1].Audience)
		}
		if n > 0 && !covers(links[n-1].Command, d.Command) {
			return at(n, d, InvalidCommand, "cmd", "it allows %s, and the link before it only %s", d.Command, links[n-1].Command)
		}
		if met[d.Audience] {
			return at(n, d, Cycle, "aud", "%s stands in the chain already", d.Audience)
		}
		met[d.Audience] = true
	}
	return nil
}

// due refuses a token before its time and after it.
func (c Check) due(expires, notBefore int64) *Refusal {
	now, skew := c.Now.Unix(), int64(c.Skew/time.Second)
	if expires != never && expires <= now-skew {
		return Refuse(Expired, "exp", "it expired at %s, and it is %s", clock(expires), clock(now))
	}
	if notBefore > now+skew {
		return Refuse(TooEarly, "nbf", "it begins at %s, and it is %s", clock(notBefore), clock(now))
	}
	return nil
}

// clock shows Unix seconds.
func clock(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }
