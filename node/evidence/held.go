package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
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
	chain accounts
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

// Answer implements exchange.Book.
func (s shelf) Answer(ctx context.Context, name string, request []byte) (out datasource.Answer, err error) {
	if name != agentdata.Source {
		return s.Book.Answer(ctx, name, request)
	}
	data, err := agentdata.ParseQuery(request)
	if err != nil {
		return out, fmt.Errorf("%w: %w", datasource.ErrRequest, err)
	}
	at := time.Now()
	d, _, err := ledger.Read(ctx, s.chain, onchain.Address(data), program.DecodeAgentData)
	switch {
	case errors.Is(err, ledger.ErrNotFound), errors.Is(err, ledger.ErrForeign):
		return out, fmt.Errorf("%w: there is no data of an agent at %s", datasource.ErrRequest, data)
	case err != nil:
		return out, fmt.Errorf("%w: %w", datasource.ErrDown, err)
	}
	body, err := agentdata.Reading{
		Data: data, Owner: casefile.Address(d.Authority), Name: d.Name, Private: agentdata.Private(d.Content), UpdatedAt: d.UpdatedAt,
	}.Fill(d.Content).Encode()
	if err != nil {
		return out, fmt.Errorf("%w: %w", datasource.ErrSchema, err)
	}
	card, _ := s.Card(name)
	hash, err := card.Hash()
	return datasource.Answer{Source: name, Card: hash, Body: body, Hash: casefile.HashOf(body), FetchedAt: at}, err
}
