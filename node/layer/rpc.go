package layer

import (
	"context"

	"ojud/ledger"
	"ojud/ledger/onchain"
)

// rpc is a Chain behind a Solana RPC node.
type rpc struct {
	*ledger.Client                // confirmed: what to act on
	final          *ledger.Client // finalized: what to testify to
}

// RPC returns the chain behind a Solana RPC node. It asks the node nothing.
func RPC(cfg ledger.Config, program onchain.Address, deps ledger.Deps) (Chain, error) {
	client, err := ledger.New(cfg, program, deps)
	if err != nil {
		return nil, err
	}
	return rpc{Client: client, final: client.Finalized()}, nil
}

// History implements Chain.
func (r rpc) History(ctx context.Context, task onchain.Address) ([]ledger.Occurred, error) {
	return r.final.History(ctx, task)
}

// Time implements Chain.
func (r rpc) Time() Time { return r.Clock() }

// Submitter implements Chain.
func (r rpc) Submitter(ctx context.Context, outbox ledger.Outbox) (Submitter, error) {
	s, err := ledger.OpenSender(ctx, r.Client, outbox)
	if err != nil {
		return nil, err // not s: a nil *ledger.Sender is not a nil Submitter
	}
	return s, nil
}

// Follower implements Chain.
func (r rpc) Follower(from ledger.Cursor, judge onchain.Address) Follower {
	return ledger.NewWatcher(r.Client, from, judge)
}
