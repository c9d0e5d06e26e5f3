package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// AccountReader reads the chain: *ledger.Client.
type AccountReader interface {
	// Accounts reads up to 100 accounts of one slot. A nil stands for one that does not exist.
	Accounts(ctx context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error)
	// RentMinimum returns the lamports that an account of that size must hold.
	RentMinimum(ctx context.Context, size int) (lamports uint64, err error)
	Program() program.Program
}

// ErrNoAgent: an authority has no agent, and so no vault.
var ErrNoAgent = errors.New("payment: there is no agent")

// maxRead bounds the accounts of one read.
const maxRead = 100

// pair are the ends of a channel.
type pair struct{ payer, payee onchain.Address }

// sight is a look at the chain: the vaults of the agents that exist, and the channels.
type sight struct {
	vaults   map[onchain.Address]uint64
	channels map[pair]channel
}

// channel is a Channel, or the place where it will be.
type channel struct {
	made bool
	paid uint64
	has  uint64 // lamports at its address
}

// see reads agents and channels, in one slot if there are at most 100.
func see(ctx context.Context, c AccountReader, agents []onchain.Address, pairs []pair) (sight, error) {
	p := c.Program()
	var addresses []onchain.Address
	for _, a := range agents {
		addresses = append(addresses, p.Agent(a))
	}
	for _, q := range pairs {
		addresses = append(addresses, p.Channel(q.payer, q.payee))
	}
	var found []*ledger.Account
	for part := range slices.Chunk(addresses, maxRead) {
		some, _, err := c.Accounts(ctx, part...)
		if err != nil {
			return sight{}, fmt.Errorf("payment: reading the chain: %w", err)
		}
		found = append(found, some...)
	}
	s := sight{vaults: map[onchain.Address]uint64{}, channels: map[pair]channel{}}
	for i, a := range agents {
		if err := s.agent(p, a, found[i]); err != nil {
			return sight{}, err
		}
	}
	for i, q := range pairs {
		if err := s.channel(p, q, found[len(agents)+i]); err != nil {
			return sight{}, err
		}
	}
	return s, nil
}

func (s sight) agent(p program.Program, authority onchain.Address, a *ledger.Account) error {
	if a == nil || a.Owner != p.ID() {
		return nil
	}
	agent, err := program.DecodeAgent(a.Data)
	if err != nil {
		return fmt.Errorf("payment: agent of %s: %w", authority, err)
	}
	s.vaults[authority] = agent.Vault
	return nil
}

// channel records a Channel. Anyone can send lamports to its address before it is made.
func (s sight) channel(p program.Program, q pair, a *ledger.Account) error {
	switch {
	case a == nil:
		s.channels[q] = channel{}
		return nil
	case a.Owner != p.ID():
		s.channels[q] = channel{has: a.Lamports}
		return nil
	}
	c, err := program.DecodeChannel(a.Data)
	if err != nil {
		return fmt.Errorf("payment: channel of %s and %s: %w", q.payer, q.payee, err)
	}
	s.channels[q] = channel{made: true, paid: c.Paid, has: a.Lamports}
	return nil
}

func (s sight) vault(authority onchain.Address) (uint64, error) {
	v, ok := s.vaults[authority]
	if !ok {
		return 0, fmt.Errorf("%w of %s; make one: ojud agent register --deposit AMOUNT", ErrNoAgent, authority)
	}
	return v, nil
}
