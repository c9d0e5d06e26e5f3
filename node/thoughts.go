package node

import (
	"context"
	"time"

	"ojud/ledger/brain"
	"ojud/node/brainview"
	"ojud/voting"
)

// fetchTime bounds the search for one document of MegaBrain, which a page waits for.
const fetchTime = time.Second

// openThoughts opens what the node's pages and its API show of MegaBrain. Results are on this node
// if a dispute showed them to the court; words are in transactions of the chain.
func (a *assembly) openThoughts() (*brainview.TaskReader, error) {
	from := brainview.Sources{Chain: a.n.chain, Program: brain.Devnet().ID(), Content: func(ctx context.Context, hash [32]byte) ([]byte, error) {
		ctx, stop := context.WithTimeout(ctx, fetchTime)
		defer stop()
		return a.papers.Fetch(ctx, voting.Hash(hash), nil)
	}}
	if a.deps.Chain != nil {
		return brainview.New(from), nil // another chain, whose transactions only it can read
	}
	words, err := brainview.OpenWords(a.n.cfg.Ledger.RPC, a.n.cfg.Ledger.Calls, a.deps.Transport)
	if err != nil {
		return nil, err
	}
	a.n.onClose(words.Close)
	from.Words = words.All
	return brainview.New(from), nil
}
