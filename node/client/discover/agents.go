package discover

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/node/client"
	"ojud/voting"
)

// maxCards bounds the cards that one look asks nodes for, of the agents with the best record.
const maxCards = 200

// Agents returns the agents of a court with their cards, as far as nodes send them within 10 s.
func Agents(ctx context.Context, c *client.Client) (agents.Directory, error) {
	l, err := c.Library(ctx)
	if err != nil {
		return agents.Directory{}, err
	}
	return directory(ctx, c.Agents, l.Fetch)
}

func directory(ctx context.Context, list func(context.Context) ([]client.AgentView, error), fetch Fetch) (agents.Directory, error) {
	return agents.New(agents.Needs{
		List: func(ctx context.Context) ([]*program.Agent, error) {
			views, err := list(ctx)
			if err != nil {
				return nil, err
			}
			out := make([]*program.Agent, len(views))
			for i, v := range views {
				if out[i], err = account(v); err != nil {
					return nil, err
				}
			}
			return out, nil
		},
		Card: func(ctx context.Context, _ voting.Key, hash voting.Hash) ([]byte, error) { return fetch(ctx, hash) },
	}, agents.Bounds{Ask: maxCards, Patience: patience, Fresh: time.Second}).Read(ctx)
}

// account is the account of an agent that a view shows.
func account(v client.AgentView) (*program.Agent, error) {
	a := &program.Agent{
		RegisteredAt: v.RegisteredAt, TasksCreated: v.TasksCreated, TasksClaimed: v.TasksClaimed, TasksPaid: v.TasksPaid,
		TasksMissed: v.TasksMissed, CasesWon: v.CasesWon, CasesLost: v.CasesLost,
	}
	for to, text := range map[*onchain.Address]string{&a.Authority: v.Authority, &a.Operator: v.Operator} {
		if text == "" {
			continue
		}
		parsed, err := casefile.ParseAddress(text)
		if err != nil {
			return nil, fmt.Errorf("discover: agent %s: %w", v.Authority, err)
		}
		*to = onchain.Address(parsed)
	}
	if v.CardHash == "" {
		return a, nil
	}
	hash, err := hex.DecodeString(v.CardHash)
	if err != nil || len(hash) != len(a.CardHash) {
		return nil, fmt.Errorf("discover: agent %s: the hash of its card is %.80q, not 64 digits", v.Authority, v.CardHash)
	}
	a.CardHash = voting.Hash(hash)
	return a, nil
}
