package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/node"
	"ojud/node/client"
)

// shown is a case with what the node of the home knows of its panel.
type shown struct {
	client.CaseView
	// Panel is nil if no node runs here, if it does not know the case, or if nobody was drawn yet.
	Panel *node.PanelStatus `json:"panel,omitempty"`
	why   string            // there is no Panel
}

// panel asks the node that runs on the home how many votes the panel is worth. The case is shown without it too.
func (a *app) panel(ctx context.Context, task solana.PublicKey, v client.CaseView) (shown, error) {
	s := shown{CaseView: v}
	if len(v.Seats) == 0 {
		return s, nil
	}
	home, err := a.homeDir()
	if err != nil {
		return s, err
	}
	local, err := client.OpenLocal(home)
	var p node.PanelStatus
	if err == nil {
		p, err = local.Panel(ctx, task)
	}
	switch {
	case err == nil:
		s.Panel = &p
	case errors.Is(err, client.ErrNotRunning):
		s.why = "a node that runs here knows; start it with: ojud run"
	default:
		s.why = "the node here does not know: " + err.Error()
	}
	return s, ctx.Err()
}

// votes is the raw tally in seats, and what it is worth.
func (s shown) votes() string {
	switch {
	case len(s.Seats) == 0:
		return ""
	case s.Panel == nil:
		return fmt.Sprintf("%d for two sides; how many independent ones these are worth: %s", s.sides(), s.why)
	case !s.Panel.Cast:
		return fmt.Sprintf("%d for two sides so far; those of all %d seats would be worth %s independent ones %s",
			s.sides(), s.Panel.Votes, s.Panel.Independent, s.Panel.Basis())
	}
	return s.Panel.String()
}

// sides counts the votes for a side that the chain shows.
func (s shown) sides() (n int) {
	for _, seat := range s.Seats {
		if (seat.Choice == "accept" || seat.Choice == "reject") && !seat.Equivocated {
			n++
		}
	}
	return n
}
