package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/program"
	"ojud/node/payment"
	"ojud/voting"
)

// openPayments opens what pays for answers and what is paid for them. Both begin with what the journal has.
func (n *Node) openPayments() (err error) {
	self, store, clock := n.home.Keys.Authority.Address(), money{n}, func() int64 { return at(n.client) }
	n.purse, err = payment.NewPurse(n.cfg.Payment, payment.PurseDeps{
		Domain: n.domain, Self: self, Sign: n.home.Keys.Authority.Sign, Chain: n.client, Store: store, Clock: clock, Payee: n.payee,
		Log: n.log, Metrics: n.deps.Metrics,
	})
	if err != nil {
		return err
	}
	n.till, err = payment.NewTill(n.cfg.Payment, payment.TillDeps{
		Domain: n.domain, Self: self, Chain: n.client, Store: store, Clock: clock, Pull: n.pull,
		Settled: func(receipt voting.Hash) error { return n.holder.Settled(receipt) }, Log: n.log, Metrics: n.deps.Metrics,
	})
	return err
}

// money is the journal's, and stops the node when it fails: nobody knows then what is on the disk.
type money struct{ n *Node }

var _ payment.Store = money{}

// Get implements payment.Store.
func (m money) Get(key []byte) ([]byte, error) { return m.n.journal.Money().Get(key) }

// Each implements payment.Store.
func (m money) Each(prefix []byte, f func(key, value []byte) error) error {
	return m.n.journal.Money().Each(prefix, f)
}

// Put implements payment.Store.
func (m money) Put(all map[string][]byte) error {
	err := m.n.journal.Money().Put(all)
	if err != nil && !errors.Is(err, journal.ErrTooLarge) && !errors.Is(err, journal.ErrInvalid) {
		m.n.fail(err)
	}
	return err
}

// payee is the authority that is paid for what a node answers: that to which the Roster binds the node, or else the one that the node has
// announced. A node that names an authority of somebody else gives its earnings away; nobody else loses by it.
func (n *Node) payee(holder casefile.DID) (solana.PublicKey, error) {
	if book := n.roster.Load(); book != nil {
		for _, e := range book.now.Entries {
			if e.Peer == voting.Key(holder) && e.State != program.EntryFree {
				return e.Authority, nil
			}
		}
	}
	id, err := keyPeer(voting.Key(holder))
	if err != nil {
		return solana.PublicKey{}, err
	}
	j, ok := n.host.Registry().Judge(id)
	if !ok {
		return solana.PublicKey{}, fmt.Errorf("node: %s is not on the roster and has not announced an authority", holder)
	}
	return solana.PublicKeyFromBase58(j.Authority)
}

// pull shows a voucher to the program. Of one payer there is one pull at a time.
func (n *Node) pull(ctx context.Context, s payment.Signed, maxFee uint64) error {
	self := n.home.Keys.Authority
	instructions, err := n.client.Program().PullPayment(self.Address(), s.Voucher, s.Signature)
	if err != nil {
		return err
	}
	out, err := n.sender.Submit(ctx, instructions, ledger.SubmitOptions{
		Purpose: ledger.Purpose("pull/" + s.Payer.String()), Payer: self, Before: s.Expires, MaxFee: maxFee, Done: n.pulled(s),
	})
	if errors.Is(err, ledger.ErrOutbox) {
		n.fail(err)
	}
	switch {
	case err != nil:
		return err
	case out.Class == ledger.Landed || out.Class == ledger.AlreadyDone || out.Voting(nil) == voting.Moot:
		return nil
	case out.Class == ledger.Rejected:
		return out.Rejection
	}
	return fmt.Errorf("node: the pull from %s did not land: %s", s.Payer, out.Class)
}

// pulled reports whether all that a voucher promises has been paid.
func (n *Node) pulled(s payment.Signed) func(context.Context) (bool, error) {
	p := n.client.Program()
	return func(ctx context.Context) (bool, error) {
		all, _, err := n.client.Accounts(ctx, p.Channel(s.Payer, s.Payee))
		if err != nil || all[0] == nil || all[0].Owner != p.ID() {
			return false, err
		}
		c, err := program.DecodeChannel(all[0].Data)
		return err == nil && c.Paid >= s.Cumulative, err
	}
}

// sweepEvery is how often what nobody asks for any more is forgotten.
const sweepEvery = 12 * time.Hour

// payments pulls what is owed, and forgets what is old.
func (n *Node) payments(ctx context.Context) error {
	n.spawn(ctx, n.till.Run)
	n.advisePayer(ctx)
	for {
		if err := n.purse.Sweep(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		if !wait(ctx, sweepEvery) {
			return nil
		}
	}
}

// advisePayer says what is missing if the settings want to pay.
func (n *Node) advisePayer(ctx context.Context) {
	most := n.cfg.Data.Desk.MaxPrice
	if most == 0 {
		return
	}
	room, err := n.purse.Room(ctx)
	if err == nil && room < most {
		err = fmt.Errorf("node: the vault can promise %d lamports, data.desk.max_price is %d; fill it: ojud agent deposit", room, most)
	}
	if err != nil && ctx.Err() == nil {
		n.log.Warn("data that has a price will not be asked for", "err", err)
	}
}

// adviseSeller says what is missing if a source wants to be paid.
func (n *Node) adviseSeller(ctx context.Context) error {
	for _, card := range n.book.Cards() {
		if card.Terms.Price == 0 {
			continue
		}
		if err := n.till.Ready(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("a source with a price will not be given", "source", card.Name, "err", err)
		}
	}
	return nil
}

// Payments is what this node was paid for data, what it is owed, and what it paid. Amounts are lamports.
type Payments struct {
	Vault  casefile.Amount   `json:"vault"` // what the own vault holds
	Earned []payment.Income  `json:"earned"`
	Owed   []payment.Owed    `json:"owed"`
	Spent  []payment.Expense `json:"spent"`
	// Problem is why vault and what was spent are not known: there is no agent, or the chain cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Payments returns what was paid for data. It reads the chain.
func (n *Node) Payments(ctx context.Context) (p Payments, err error) {
	if p.Earned, p.Owed, err = n.till.Income(); err != nil {
		return p, err
	}
	vault, spent, err := n.purse.Expenses(ctx)
	if p.Vault, p.Spent = casefile.Amount(vault), spent; err != nil {
		p.Problem, p.Spent = err.Error(), []payment.Expense{}
	}
	return p, nil
}
