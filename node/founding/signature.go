package founding

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/node"
	"ojud/node/status"
)

// Powers are the addresses that can change a court. An empty one is nobody's.
type Powers struct {
	Authority string `json:"authority"` // over the rules
	Upgrade   string `json:"upgrade"`   // may replace the program
}

// ReadPowers reads from the chain who can change the court of a wish.
func ReadPowers(ctx context.Context, w Wish) (out Powers, err error) {
	err = with(w, func(c *ledger.Client) error {
		config, _, err := c.Config(ctx)
		if err != nil {
			return err
		}
		if !config.Authority.IsZero() {
			out.Authority = config.Authority.String()
		}
		out.Upgrade, err = upgrader(ctx, c)
		return err
	})
	return out, err
}

// Of says which power an address has. It is empty if it has none.
func (p Powers) Of(address string) string {
	switch address {
	case "":
		return ""
	case p.Authority:
		return "has the authority over the court"
	case p.Upgrade:
		return "may replace the program of the court"
	}
	return ""
}

// Signature says who signed network.json, and whether that key has a power over the court. It asks
// the chain only if there is a signature.
func Signature(ctx context.Context, w Wish, d node.Descriptor) status.Finding {
	const name = "signature"
	by := d.Signer()
	switch {
	case by == "" && d.Faucet:
		return good(name, "nobody signed network.json; it is that of a test court")
	case by == "":
		return note(name, "nobody signed network.json, so that who can change the file leads judges to RPC nodes of his own", "compare it with that of others; its authority signs it with: ojud court sign network.json --key FILE")
	}
	p, err := ReadPowers(ctx, w)
	if err != nil {
		return bad(name, fmt.Sprintf("network.json is signed by %s, and whether this key has a power over the court is not known: %v", by, err), "try it again")
	}
	if power := p.Of(by); power != "" {
		return good(name, fmt.Sprintf("network.json is signed by %s, which %s", by, power))
	}
	return bad(name, fmt.Sprintf("network.json is signed by %s, which has no power over the court", by), "get it again from the court; if you know that key, name it with --signed-by")
}
