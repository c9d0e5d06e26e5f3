package founding

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
)

// Entering is who is about to pay a stake into a court.
type Entering struct {
	Court  node.Descriptor
	Ledger ledger.Config
	// Signer has to have signed network.json. Zero: a key with a power over the court, or nobody.
	Signer    string
	Judges    []string        // their addresses
	Operator  onchain.Address // that the judges declare; zero: none
	Withdraw  onchain.Address // zero: each judge's own key
	Payer     onchain.Address // of the stakes; zero: each judge's own wallet, or the faucet
	Transport http.RoundTripper
}

// errEntering means that a judge should not stake, or not so. Nothing was paid.
var errEntering = errors.New("founding: nothing was paid")

// MayEnter looks at a court before somebody stakes in it. It refuses a network.json that a key
// without a power over the court has signed, because its RPC node may show another court. And it
// refuses judges whose money comes from, or goes to, an agent or an owner of other judges that they
// do not declare as their operator: they could be drawn into cases of this agent.
func MayEnter(ctx context.Context, e Entering) error {
	w := Wish{Ledger: e.Ledger, Name: e.Court.Name, Bootstrap: e.Court.Bootstrap, Params: program.DefaultParams(), Transport: e.Transport}
	w.Ledger.WS = "" // nothing is subscribed
	if w.Ledger.RPC == "" {
		w.Ledger.RPC, w.Ledger.Told = e.Court.RPC, true
	}
	var err error
	if w.Program, err = onchain.ParseAddress(e.Court.Program); err != nil {
		return err
	}
	by := e.Court.Signer()
	switch {
	case e.Signer != "" && by == "":
		return fmt.Errorf("%w: nobody signed network.json, and %s should have; get it from somebody that you trust", errEntering, e.Signer)
	case e.Signer != "" && by != e.Signer:
		return fmt.Errorf("%w: network.json is signed by %s, and not by %s; get it from somebody that you trust", errEntering, by, e.Signer)
	case e.Signer == "" && by != "":
		if f := Signature(ctx, w, e.Court); !f.OK {
			return fmt.Errorf("%w: %s; %s", errEntering, f.Detail, f.Next)
		}
	}
	return with(w, func(c *ledger.Client) error { return e.declares(ctx, c) })
}

// declares refuses judges that have something in common with others and do not say so.
func (e Entering) declares(ctx context.Context, c *ledger.Client) error {
	for _, key := range []struct {
		at   onchain.Address
		does string
	}{{e.Payer, "pays the stakes"}, {e.Withdraw, "owns the stakes"}} {
		if key.at.IsZero() || slices.Contains(e.Judges, key.at.String()) {
			continue
		}
		a, _, err := c.Agent(ctx, key.at)
		switch {
		case errors.Is(err, ledger.ErrNotFound):
		case err != nil:
			return err
		case e.Operator != key.at && (a.Operator.IsZero() || e.Operator != a.Operator):
			operator := key.at
			if !a.Operator.IsZero() {
				operator = a.Operator
			}
			return fmt.Errorf("%w: %s %s, and is an agent of this court, so that its judges could be drawn into its own cases; declare who runs both: --operator with the key file of %s",
				errEntering, key.at, key.does, operator)
		}
	}
	roster, _, err := c.Roster(ctx)
	if err != nil {
		return err
	}
	for i := range roster.Entries {
		r := &roster.Entries[i]
		mine := slices.Contains(e.Judges, r.Authority.String())
		owned := r.Withdraw != r.Authority && (r.Withdraw == e.Withdraw || !e.Payer.IsZero() && r.Withdraw == e.Payer)
		if r.Operator == e.Operator || !mine && !owned {
			continue
		}
		why := "is one of these judges and on the roster already"
		if !mine {
			why = "has the same owner"
		}
		return fmt.Errorf("%w: the judge %s %s, and declares %s, while these judges declare %s; all judges of one operator have to declare it: --operator FILE",
			errEntering, r.Authority, why, declared(r.Operator), declared(e.Operator))
	}
	return nil
}

func declared(operator onchain.Address) string {
	if operator.IsZero() {
		return "no operator"
	}
	return "the operator " + operator.String()
}
