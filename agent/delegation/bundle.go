package delegation

import (
	"encoding/json"
	"fmt"
)

const (
	chainFormat      = "ojud-delegation/1"
	revocationFormat = "ojud-revocation/1"
	callFormat       = "ojud-call/1"
	// MaxBundle bounds the file of a chain, a revocation or a call, in bytes: tokens in base64, in
	// JSON.
	MaxBundle = (maxProofs + 1) * maxToken * 3 / 2
)

// bundle is a file with a chain, root first, and perhaps an invocation: a revocation of one of its
// links, or a call under it.
type bundle struct {
	Format     string   `json:"format"`
	Invocation []byte   `json:"invocation,omitempty"`
	Links      [][]byte `json:"links"`
}

// Bundle writes a chain as a file for its last audience.
func Bundle(links []*Delegation) ([]byte, error) {
	return writeBundle(bundle{Format: chainFormat}, links)
}

// BundleRevocation writes a revocation with the chain that it is about.
func BundleRevocation(inv *Invocation, links []*Delegation) ([]byte, error) {
	return writeBundle(bundle{Format: revocationFormat, Invocation: inv.Bytes()}, links)
}

// BundleCall writes a call with its chain.
func BundleCall(inv *Invocation, links []*Delegation) ([]byte, error) {
	return writeBundle(bundle{Format: callFormat, Invocation: inv.Bytes()}, links)
}

// ParseCall reads a file that BundleCall wrote. It checks no signature: Verify does. Find finds the
// links of the file.
func ParseCall(raw []byte) (inv *Invocation, find func(id string) ([]byte, bool), err error) {
	b, links, err := readBundle(raw, callFormat)
	if err != nil {
		return nil, nil, err
	}
	inv, err = parseInvocation(b.Invocation)
	return inv, func(id string) ([]byte, bool) {
		for _, d := range links {
			if d.ID() == id {
				return d.Bytes(), true
			}
		}
		return nil, false
	}, err
}

// Delegate returns to whom the owner of what is called gave the first link of a call's chain, or
// who calls if there is no link. Find finds the links. It checks nothing: Verify does.
func Delegate(inv *Invocation, find func(id string) ([]byte, bool)) (Principal, error) {
	if len(inv.Proofs) == 0 {
		return inv.Issuer, nil
	}
	raw, ok := find(inv.Proofs[0].String())
	if !ok {
		return Principal{}, Refuse(UnavailableProof, "prf", "the token %s is not there; send the whole chain", inv.Proofs[0])
	}
	d, err := parseDelegation(raw)
	if err != nil {
		return Principal{}, inLink(0, err)
	}
	return d.Audience, nil
}

// Holders returns who passed a call on: the issuer of each link of its chain, root first, and who
// signed the call. Find finds the links. It checks no signature: Verify does.
func Holders(inv *Invocation, find func(id string) ([]byte, bool)) (out []Principal, err error) {
	for n, id := range inv.Proofs {
		raw, ok := find(id.String())
		if !ok {
			return nil, Refuse(UnavailableProof, "prf", "the token %s is not there", id)
		}
		d, err := parseDelegation(raw)
		if err != nil {
			return nil, inLink(n, err)
		}
		out = append(out, d.Issuer)
	}
	return append(out, inv.Issuer), nil
}

func writeBundle(b bundle, links []*Delegation) ([]byte, error) {
	b.Links = [][]byte{}
	for _, d := range links {
		b.Links = append(b.Links, d.Bytes())
	}
	out, err := json.Marshal(b)
	return append(out, '\n'), err
}

// ParseChain reads a file that Bundle wrote. It checks no signature: Grant does.
func ParseChain(raw []byte) ([]*Delegation, error) {
	_, links, err := readBundle(raw, chainFormat)
	return links, err
}

// ParseRevocation reads a file that BundleRevocation wrote, checks it, and returns the link that is
// taken back.
func ParseRevocation(raw []byte) (link *Delegation, err error) {
	b, links, err := readBundle(raw, revocationFormat)
	if err != nil {
		return nil, err
	}
	inv, err := parseInvocation(b.Invocation)
	if err != nil {
		return nil, err
	}
	return takesBack(inv, links)
}

func readBundle(raw []byte, format string) (b bundle, links []*Delegation, err error) {
	if len(raw) > MaxBundle {
		return b, nil, Refuse(TooLarge, "", "the file has %d bytes, at most %d", len(raw), MaxBundle)
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, nil, Refuse(Malformed, "", "the file is no JSON of tokens: %v", err)
	}
	if b.Format != format {
		return b, nil, Refuse(Malformed, "format", "it is %.40q and not %s", b.Format, format)
	}
	if len(b.Links) > maxProofs {
		return b, nil, Refuse(TooDeep, "links", "the chain has %d links, at most %d", len(b.Links), maxProofs)
	}
	if len(b.Links) == 0 && format != callFormat {
		return b, nil, Refuse(InvalidClaim, "links", "the chain has no link")
	}
	for n, token := range b.Links {
		d, err := parseDelegation(token)
		if err != nil {
			return b, nil, fmt.Errorf("link %d: %w", n+1, err)
		}
		links = append(links, d)
	}
	return b, links, nil
}
