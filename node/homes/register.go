package homes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"golang.org/x/sync/errgroup"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
)

// Registering says how judges get onto the Roster.
type Registering struct {
	Court  node.Descriptor
	Client client.Config
	// Payer pays what the judges' wallets lack. If it is nil, the court's faucet does.
	Payer *client.Keypair
	// Operator runs the judges, and also agents, and signs; nil: nobody who runs agents.
	Operator *client.Keypair
	// May says whether judges, by their addresses, may stake in the court. It is asked before
	// anything is paid.
	May func(ctx context.Context, judges []string) error
	// Purse is what each wallet should have besides the stake, for fees.
	Purse     client.Lamports
	Transport http.RoundTripper // nil means the network
	Log       *slog.Logger
}

// atOnce is how many judges are registered at the same time.
const atOnce = 4

// need is what a judge that is not on the Roster wants.
type need struct {
	home  *Home
	at    onchain.Address
	stake client.Lamports
	lacks client.Lamports
}

// Register puts those judges on the Roster that are not there. It checks all of them before it
// pays, and may be repeated: it pays only what a wallet lacks. It sets the state of the homes.
func Register(ctx context.Context, homes []Home, r Registering) error {
	needs, err := r.look(ctx, homes)
	if err != nil {
		return err
	}
	judges := make([]string, len(homes))
	for i := range homes {
		judges[i] = homes[i].Judge
	}
	if err := r.May(ctx, judges); err != nil {
		return err
	}
	if err := r.fund(ctx, needs); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, n := range needs {
		group.Go(func() error {
			err := r.with(ctx, n.home.keys.Authority, func(c *client.Client) error {
				_, err := c.Join(ctx, n.home.keys, client.Candidacy{Stake: n.stake, Operator: r.Operator})
				return err
			})
			if err != nil {
				return fmt.Errorf("homes: %s: %w", n.home.Name, err)
			}
			n.home.State = "joined"
			return nil
		})
	}
	return group.Wait()
}

func (r Registering) with(ctx context.Context, key *client.Keypair, work func(*client.Client) error) (err error) {
	c, err := client.Open(ctx, r.Court, key, r.Client, client.Deps{Logger: r.Log, Transport: r.Transport})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return work(c)
}

// look finds the judges that are not on the Roster, and what they lack.
func (r Registering) look(ctx context.Context, homes []Home) (out []need, err error) {
	err = r.with(ctx, nil, func(c *client.Client) error {
		usual, least, _, err := c.UsualStake(ctx)
		if err != nil {
			return err
		}
		for i := range homes {
			h := &homes[i]
			n := need{home: h, at: h.keys.Authority.Address(), stake: usual}
			on, err := c.OnRoster(ctx, n.at)
			if err != nil {
				return err
			}
			if on {
				h.State = "is on the roster"
				continue
			}
			if err := c.MayJoin(ctx, n.at); err != nil {
				return fmt.Errorf("homes: %s: %w", h.Name, err)
			}
			if h.Stake != nil {
				n.stake = *h.Stake
			}
			if n.stake < least {
				return fmt.Errorf("%w: %s.stake: %s, this court wants at least %s; nothing was paid", errFile, h.Name, n.stake, least)
			}
			h.Stake = &n.stake
			has, err := c.Balance(ctx, n.at)
			if err != nil {
				return err
			}
			n.lacks = n.stake + r.Purse - min(n.stake+r.Purse, has)
			out = append(out, n)
		}
		return nil
	})
	return out, err
}

// fund pays what the wallets lack.
func (r Registering) fund(ctx context.Context, needs []need) error {
	sum := client.Lamports(0)
	for _, n := range needs {
		sum += n.lacks
	}
	switch {
	case sum == 0:
		return nil
	case r.Payer == nil && !r.Court.Faucet:
		return fmt.Errorf("homes: the wallets lack %s, and court %q has no faucet; name a key that pays, or send SOL to each of them", sum, r.Court.Name)
	case r.Payer == nil:
		return r.with(ctx, nil, func(c *client.Client) error {
			for _, n := range needs {
				if n.lacks == 0 {
					continue
				}
				if _, err := c.Airdrop(ctx, n.at, n.lacks); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return r.pay(ctx, needs, sum)
}

// pay sends what is lacking from the payer.
func (r Registering) pay(ctx context.Context, needs []need, sum client.Lamports) error {
	program, err := onchain.ParseAddress(r.Court.Program)
	if err != nil {
		return err
	}
	cfg := r.Client.Ledger
	if cfg.RPC == "" {
		cfg.RPC, cfg.Told = r.Court.RPC, true
	}
	cfg.WS = "off"
	c, err := ledger.New(cfg, program, ledger.Deps{Transport: r.Transport})
	if err != nil {
		return err
	}
	defer c.Close()
	has, _, err := c.Balance(ctx, r.Payer.Address())
	if err != nil {
		return err
	}
	if client.Lamports(has) < sum {
		return fmt.Errorf("homes: %s has %s, and the judges need %s; nothing was paid", r.Payer.Address(), client.Lamports(has), sum)
	}
	s, err := ledger.OpenSender(ctx, c, &ledger.MemoryOutbox{})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, n := range needs {
		if n.lacks == 0 {
			continue
		}
		want := uint64(n.stake + r.Purse)
		out, err := s.Submit(ctx, []onchain.Instruction{onchain.Transfer(r.Payer.Address(), n.at, uint64(n.lacks))}, ledger.SubmitOptions{
			Purpose: ledger.Purpose("fund:" + n.at.String()), Payer: r.Payer,
			Done: func(ctx context.Context) (bool, error) {
				now, _, err := c.Balance(ctx, n.at)
				return now >= want, err
			},
		})
		switch {
		case err != nil:
			return fmt.Errorf("homes: paying %s: %w", n.home.Name, err)
		case out.Class != ledger.Landed && out.Class != ledger.AlreadyDone:
			return fmt.Errorf("homes: paying %s: the chain did not take the transaction; do it again", n.home.Name)
		}
	}
	return nil
}
