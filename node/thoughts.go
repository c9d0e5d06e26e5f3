package node

import (
	"context"
	"errors"
	"time"

	"ojud/ledger/brain"
	"ojud/megabrain/memory/remote"
	"ojud/node/brainview"
	"ojud/voting"
)

// fetchTime bounds the search for one document of MegaBrain, which a page waits for.
const fetchTime = time.Second

// oftenest bounds what pages ask one memory node in half a minute: a task has eight results, lists
// of attachments and evaluations, three documents, and a second look.
const oftenest = 60

// maxFar bounds a result of MegaBrain that a page shows from a memory node, in bytes.
const maxFar = 256 << 10

// openThoughts opens what the node's pages and its API show of MegaBrain. Results are on this node
// if a dispute showed them to the court, or on the memory nodes of the class; words are in
// transactions of the chain.
func (a *assembly) openThoughts() (*brainview.TaskReader, error) {
	far := among(a.n.cfg.Ledger.VisitPrivate, oftenest)
	from := brainview.Sources{Chain: a.n.chain, Program: brain.Devnet().ID(), Content: func(ctx context.Context, hash [32]byte) ([]byte, error) {
		ctx, stop := context.WithTimeout(ctx, fetchTime)
		defer stop()
		return a.papers.Fetch(ctx, voting.Hash(hash), nil)
	}, Nodes: func(ctx context.Context, nodes []string, hash [32]byte) ([]byte, error) {
		return far(ctx, nodes, hash, maxFar)
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

// among gets content from the first of several memory nodes that has it. All are asked at once.
// Private says whether those of private networks are asked.
func among(private bool, often int) func(ctx context.Context, nodes []string, hash [32]byte, most int) ([]byte, error) {
	far := &remote.Strangers{Private: private, Cut: true, Often: often}
	type answer struct {
		content []byte
		err     error
	}
	return func(ctx context.Context, nodes []string, hash [32]byte, most int) ([]byte, error) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		answers := make(chan answer, len(nodes))
		for _, at := range nodes {
			go func() {
				content, err := far.Get(ctx, at, hash, int64(most))
				answers <- answer{content, err}
			}()
		}
		err := errNoNode
		for range nodes {
			got := <-answers
			if got.err == nil {
				return got.content, nil
			}
			err = got.err
		}
		return nil, err
	}
}

// errNoNode means that a class names no memory node.
var errNoNode = errors.New("no memory node is named")
