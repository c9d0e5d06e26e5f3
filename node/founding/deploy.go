package founding

import (
	"context"

	"ojud/ledger"
	"ojud/ledger/deploy"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	oju "ojud/programs/oju"
)

// Cost is what a founding costs that deploys the program first.
type Cost struct {
	Program      string          `json:"program"`
	Deployed     bool            `json:"deployed"` // the program is there already
	Transactions int             `json:"transactions"`
	Rent         client.Lamports `json:"rent"`  // of the program, as long as it is there
	Court        client.Lamports `json:"court"` // rent of the court's accounts
	Fees         client.Lamports `json:"fees"`  // of signatures, without priority fees
	Held         client.Lamports `json:"held"`  // an earlier try has paid it
	Balance      client.Lamports `json:"balance"`
	Missing      client.Lamports `json:"missing"`   // the payer has too little
	Authority    string          `json:"authority"` // may upgrade the program
	Buffer       client.Lamports `json:"buffer"`    // rent of an upgrade, until it is over
}

// Deployment is the part of a founding that deploys the program.
type Deployment struct {
	Key  *client.Keypair // of the program's address
	Room int             // bytes by which the program may grow
}

// Estimate checks a wish and says what it costs to deploy the program and to found the court. It
// sends nothing.
func Estimate(ctx context.Context, w Wish, d Deployment) (Cost, error) {
	var out Cost
	err := with(w, func(c *ledger.Client) error {
		also, err := rent(ctx, c)
		if err != nil {
			return err
		}
		p, err := deploy.Look(ctx, c, w.order(d), also)
		out = costOf(p, also)
		return err
	})
	return out, err
}

// Deploy deploys the program of this ojud. A deployment that died at any point goes on. It returns
// what is there afterwards.
func Deploy(ctx context.Context, w Wish, d Deployment, tell deploy.Progress) (Cost, error) {
	var out Cost
	err := with(w, func(c *ledger.Client) error {
		also, err := rent(ctx, c)
		if err != nil {
			return err
		}
		s, err := ledger.OpenSender(ctx, c, &ledger.MemoryOutbox{})
		if err != nil {
			return err
		}
		defer s.Close()
		p, err := deploy.Run(ctx, c, s, w.order(d), also, tell)
		out = costOf(p, also)
		return err
	})
	return out, err
}

// Refund gives the rent back that a deployment holds which is not to go on, and returns how much
// that is. It needs nothing of a wish but its cluster and key. If it is dry, it sends nothing.
func Refund(ctx context.Context, w Wish, dry bool) (client.Lamports, error) {
	c, err := ledger.New(w.Ledger, onchain.ClockAccount(), ledger.Deps{Transport: w.Transport}) // no program is called
	if err != nil {
		return 0, err
	}
	defer c.Close()
	s, err := ledger.OpenSender(ctx, c, &ledger.MemoryOutbox{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	out, err := deploy.Refund(ctx, c, s, w.Key, dry)
	return client.Lamports(out), err
}

// with checks a wish before anything is paid, and works with a client of its cluster.
func with(w Wish, work func(*ledger.Client) error) error {
	if err := w.Params.Validate(); err != nil {
		return law.Bound(w.Params, err)
	}
	if err := w.network(onchain.Hash{1}).Validate(); err != nil {
		return err
	}
	c, err := ledger.New(w.Ledger, w.Program, ledger.Deps{Transport: w.Transport})
	if err != nil {
		return err
	}
	defer c.Close()
	return work(c)
}

func (w Wish) order(d Deployment) deploy.Wanted {
	return deploy.Wanted{Program: w.Program, ELF: oju.ELF(), Room: d.Room, Payer: w.Key, Key: d.Key}
}

// rent returns what a court of no judges pays for its accounts, and the fee of its founding.
func rent(ctx context.Context, c *ledger.Client) (sum uint64, err error) {
	const fee = 5000
	for _, size := range []int{program.ConfigSize, program.RulesSize, program.PotSize, program.RosterSize(0)} {
		one, err := c.RentMinimum(ctx, size)
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum + fee, nil
}

func costOf(p deploy.Survey, court uint64) Cost {
	return Cost{
		Program: p.Program.String(), Deployed: p.Deployed, Transactions: p.Transactions, Rent: client.Lamports(p.Rent), Court: client.Lamports(court),
		Fees: client.Lamports(p.Fees), Held: client.Lamports(p.Held), Balance: client.Lamports(p.Balance), Missing: client.Lamports(p.Missing),
		Authority: p.Authority.String(), Buffer: client.Lamports(p.Lent()),
	}
}
