package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// accounts reads accounts of the chain.
type accounts interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error)
	Program() program.Program
}

// shelf is what this node can answer itself: the book of its owner, and the data of agents, which
// every node reads from the chain.
type shelf struct {
	exchange.Book
	chain   accounts
	cases   holdsTerms
	content documents
}

// holdsTerms is the part of the followed cases that says what a task pins.
type holdsTerms interface {
	Terms(ctx context.Context, task voting.Key) (*program.Task, error)
	SeatPeers(task voting.Key) []peer.ID
}

// keptTime bounds the search for bytes that an account does not have any more.
const keptTime = 10 * time.Second

// pin returns the task of a case and the hash that it says of data. Without a case there is none.
func (s shelf) pin(ctx context.Context, task, data casefile.Address) (terms *program.Task, hash casefile.Digest, pinned bool) {
	if task == (casefile.Address{}) {
		return nil, hash, false
	}
	terms, err := s.cases.Terms(ctx, voting.Key(task))
	if err != nil {
		return nil, hash, false
	}
	raw, err := s.content.Fetch(ctx, terms.TaskHash, s.cases.SeatPeers(voting.Key(task)))
	if err != nil {
		return nil, hash, false
	}
	doc, err := casefile.ParseTask(raw)
	if err != nil {
		return nil, hash, false
	}
	hash, pinned = agentdata.Pin(doc.Value, data)
	return terms, hash, pinned
}

// kept returns the bytes with a hash, if any node has them: they prove themselves, whoever shows
// them (ADR 0159).
func (s shelf) kept(ctx context.Context, task casefile.Address, hash casefile.Digest) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(ctx, keptTime)
	defer cancel()
	content, err := s.content.Fetch(ctx, voting.Hash(hash), s.cases.SeatPeers(voting.Key(task)))
	return content, err == nil && len(content) <= program.MaxData
}

// Card implements exchange.Book.
func (s shelf) Card(name string) (datasource.Card, bool) {
	if name != agentdata.Source {
		return s.Book.Card(name)
	}
	return datasource.Card{
		Tool: kind.Tool{
			Name: agentdata.Source, Description: "Public data that agents keep on the chain, by the address of their account.",
			InputSchema: json.RawMessage(agentdata.InputSchema), OutputSchema: json.RawMessage(agentdata.OutputSchema),
		},
		Terms: datasource.DefaultTerms(),
	}, true
}

// AnswerIn implements exchange.Book.
func (s shelf) AnswerIn(ctx context.Context, task casefile.Address, name string, request []byte) (out datasource.Answer, err error) {
	if name != agentdata.Source {
		return s.Book.AnswerIn(ctx, task, name, request)
	}
	data, err := agentdata.ParseQuery(request)
	if err != nil {
		return out, fmt.Errorf("%w: %w", datasource.ErrRequest, err)
	}
	at := time.Now()
	read, err := s.read(ctx, task, data)
	if err != nil {
		return out, err
	}
	body, err := read.Encode()
	if err != nil {
		return out, fmt.Errorf("%w: %w", datasource.ErrSchema, err)
	}
	card, _ := s.Card(name)
	hash, err := card.Hash()
	return datasource.Answer{Source: name, Card: hash, Body: body, Hash: casefile.HashOf(body), FetchedAt: at}, err
}

// read reads the data of an account. If the account does not have what the task of the case pins,
// it is what somebody kept. If nobody shows those bytes yet, other bytes are an answer only if a
// party owns them, because they count against that party. An answer is given once and for all
// (datasource.Steady): a friend of a party could write other bytes and ask every node at once, and
// what the other party hands in a minute later would change nothing.
func (s shelf) read(ctx context.Context, task, data casefile.Address) (agentdata.Reading, error) {
	d, _, err := ledger.Read(ctx, s.chain, onchain.Address(data), program.DecodeAgentData)
	var now agentdata.Reading
	if err == nil {
		now = agentdata.Reading{
			Data: data, Owner: casefile.Address(d.Authority), Name: d.Name, Private: agentdata.Private(d.Content), UpdatedAt: d.UpdatedAt,
		}.Fill(d.Content)
	}
	if terms, hash, pinned := s.pin(ctx, task, data); pinned && (err != nil || now.SHA256 != hash) {
		if content, ok := s.kept(ctx, task, hash); ok {
			return agentdata.KeptOf(data, content), nil
		}
		if owner := onchain.Address(now.Owner); err == nil && owner != terms.Creator && owner != terms.Worker {
			return now, fmt.Errorf("%w: the data at %s has other bytes than the task says, and nobody shows those with the hash %s", datasource.ErrDown, data, hash)
		}
	}
	switch {
	case errors.Is(err, ledger.ErrNotFound), errors.Is(err, ledger.ErrForeign):
		return now, fmt.Errorf("%w: there is no data of an agent at %s", datasource.ErrRequest, data)
	case err != nil:
		return now, fmt.Errorf("%w: %w", datasource.ErrDown, err)
	}
	return now, nil
}
