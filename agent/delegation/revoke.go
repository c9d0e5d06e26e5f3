package delegation

import (
	"slices"
	"time"

	"github.com/ipfs/go-cid"
)

// revokeCommand takes a delegation back.
const revokeCommand = "/ucan/revoke"

// Revoke signs that the link with index n of a chain is taken back. Only who issued that link or a
// link before it can do that. A revocation does not expire and cannot be taken back.
func Revoke(s Signer, links []*Delegation, n int, nonce []byte, now time.Time) (*Invocation, error) {
	if n < 0 || n >= len(links) {
		return nil, Refuse(InvalidClaim, "link", "the chain has the links 1 to %d", len(links))
	}
	inv := &Invocation{Audience: s.Principal(), Args: map[string]any{"ucan": links[n].id}, Issued: now.Unix()}
	inv.Issuer, inv.Subject, inv.Command, inv.Nonce, inv.Expires = s.Principal(), s.Principal(), revokeCommand, nonce, never
	inv, err := inv.sign(s)
	if err != nil {
		return nil, err
	}
	_, err = takesBack(inv, links)
	return inv, err
}

// takesBack checks a revocation beside the chain that it is about, and returns the link that is
// taken back.
func takesBack(inv *Invocation, links []*Delegation) (*Delegation, error) {
	if r := inv.authentic(); r != nil {
		return nil, r
	}
	id, ok := inv.Args["ucan"].(cid.Cid)
	if inv.Command != revokeCommand || !ok || inv.Issuer != inv.Subject {
		return nil, Refuse(InvalidClaim, "cmd", "it is no revocation: %s about %s", inv.Command, inv.Subject)
	}
	n := slices.IndexFunc(links, func(d *Delegation) bool { return d.id.Equals(id) })
	if n < 0 {
		return nil, Refuse(UnavailableProof, "args.ucan", "it takes back %s, which is not in the chain", id)
	}
	for i, d := range links {
		if r := d.authentic(); r != nil {
			return nil, inLink(i, r)
		}
		if i > 0 && links[i-1].Audience != d.Issuer {
			return nil, at(i, d, InvalidAudience, "iss", "it does not follow the link before it")
		}
		if i <= n && (d.Powerline || d.Subject != links[n].Subject) && d.Issuer != inv.Issuer {
			return nil, at(i, d, InvalidSubject, "sub", "it is about another agent than the link that is taken back")
		}
	}
	if links[0].Issuer != links[0].Subject {
		return nil, at(0, links[0], InvalidSubject, "sub", "the first link is of %s, and only the subject %s can begin a chain", links[0].Issuer, links[0].Subject)
	}
	if links[n].Powerline && links[n].Issuer != inv.Issuer {
		return nil, at(n, links[n], InvalidAudience, "iss", "it names no subject, so only its issuer %s takes it back", links[n].Issuer)
	}
	if !slices.ContainsFunc(links[:n+1], func(d *Delegation) bool {
		return d.Issuer == inv.Issuer && (d.id.Equals(id) || !d.Powerline && d.Subject == links[n].Subject)
	}) {
		return nil, Refuse(InvalidAudience, "iss", "%s issued neither link %d nor one before it", inv.Issuer, n+1)
	}
	return links[n], nil
}
