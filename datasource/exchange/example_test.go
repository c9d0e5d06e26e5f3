package exchange_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// everybody stands for the part that reads the chain.
type everybody struct{ *chain }

// directory knows its holders. A node asks its registry, the DHT and the data topic.
type directory []exchange.Candidate

func (d directory) Holders(ctx context.Context, _ string) <-chan exchange.Candidate {
	out := make(chan exchange.Candidate)
	go func() {
		defer close(out)
		for _, c := range d {
			select {
			case out <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// Two nodes: one has a source, the judge of the other needs it.
func Example() {
	// Fakes stand for the parts of a node: see court_test.go.
	ctx := context.Background()
	judge, holder := newJudge(0), newJudge(1)
	chain := newChain(judge)

	// The node that has the source. Its stream handler calls Serve with the proven identity of the
	// peer.
	h, err := exchange.NewHolder(exchange.DefaultHolderConfig(), exchange.HolderDeps{
		Self: holder.peer, Domain: domain, Book: newBook(`"hello"`), Authority: everybody{chain},
		Sign:  func(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(holder.key) },
		Clock: func() int64 { return time.Now().Unix() },
	})
	if err != nil {
		panic(err)
	}

	// The node of the judge.
	served := make(chan struct{})
	desk, err := exchange.NewRequester(exchange.DefaultRequesterConfig(), exchange.RequesterDeps{
		Self: judge.peer, Domain: domain, Blobs: &blobs{}, Finder: directory{{Peer: holder.peer}},
		Sign: func(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(judge.key) },
		Dial: func(_ context.Context, _ casefile.DID) (exchange.Stream, error) { // a node opens a stream
			near, far := pipe(1)
			go func() {
				defer close(served)
				if _, err := h.Serve(ctx, judge.peer, far); err != nil {
					fmt.Println(err)
				}
			}()
			return near, nil
		},
		Clock: func() int64 { return time.Now().Unix() },
	})
	if err != nil {
		panic(err)
	}

	// One evaluation.
	now := time.Now()
	session, err := desk.Open(ctx, exchange.Evaluation{Case: task, Round: 1, Judge: judge.authority, Sources: []string{"posts"},
		From: now.Unix(), Until: now.Add(7 * time.Minute).Unix(), Deadline: now.Add(6 * time.Minute)})
	if err != nil {
		panic(err)
	}
	answers, err := session.Ask(ctx, "posts", json.RawMessage(`{"id": "7"}`))
	if err != nil {
		panic(err)
	}
	session.Close()
	<-served

	// The content for the case file and the vote.
	record, receipts := session.Record(), session.Receipts()
	root, err := casefile.Receipts(receipts)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n%d record of %d receipt\n", answers[0].Content, len(record), len(record[0].Receipts))
	fmt.Println(ed25519.PublicKeySize == len(answers[0].Holder), root == voting.ReceiptsRoot([]voting.Hash{answers[0].Hash}))
	// Output:
	// {"id":"7","text":"hello"}
	// 1 record of 1 receipt
	// true true
}
