package payment

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

var errCrash = errors.New("the power is gone")

// disk is a store in memory that loses the power in the middle of a write.
type disk struct {
	mu     sync.Mutex
	values map[string][]byte
	puts   int
	crash  int  // at which Put; 0: never
	after  bool // the write is there, but the caller got no result
}

func newDisk() *disk { return &disk{values: map[string][]byte{}} }

func (d *disk) Get(key []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.values[string(key)]), nil
}

func (d *disk) Each(prefix []byte, f func(key, value []byte) error) error {
	d.mu.Lock()
	all := maps.Clone(d.values)
	d.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(k, string(prefix)) {
			continue
		}
		if err := f([]byte(k), all[k]); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) Put(all map[string][]byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.puts++
	if d.crash == d.puts && !d.after {
		return errCrash
	}
	for k, v := range all {
		if len(v) == 0 {
			delete(d.values, k)
		} else {
			d.values[k] = slices.Clone(v)
		}
	}
	if d.crash == d.puts {
		return errCrash
	}
	return nil
}

// cut lets the power fail at the n-th write from now.
func (d *disk) cut(n int, after bool) { d.puts, d.crash, d.after = 0, n, after }

// chainOf is the part of the chain for payments. A test with a running till changes it by with.
type chainOf struct {
	mu     sync.Mutex
	p      program.Program
	vaults map[onchain.Address]uint64
	paid   map[pair]uint64
	gifts  map[pair]uint64 // lamports at the place of a Channel that is not made
	now    int64
	reads  int
	places map[pair]onchain.Address
	err    error
}

const rent = 1_503_360 // of 88 bytes

func newChain() *chainOf {
	return &chainOf{p: program.New(onchain.Address{9}), vaults: map[onchain.Address]uint64{}, paid: map[pair]uint64{}, gifts: map[pair]uint64{}, places: map[pair]onchain.Address{}, now: 1_800_000_000}
}

// with changes the chain.
func (c *chainOf) with(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// vault returns the lamports in a vault.
func (c *chainOf) vault(name string) (v uint64) {
	c.with(func() { v = c.vaults[authority(name)] })
	return v
}

func (c *chainOf) looks() (n int) {
	c.with(func() { n = c.reads })
	return n
}

func (c *chainOf) clock() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *chainOf) Program() program.Program { return c.p }

func (c *chainOf) RentMinimum(_ context.Context, size int) (uint64, error) {
	if size != program.ChannelSize {
		return 0, fmt.Errorf("rent of %d bytes", size)
	}
	return rent, c.err
}

func (c *chainOf) Accounts(_ context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	if c.err != nil || len(addresses) == 0 || len(addresses) > 100 {
		return nil, 0, errors.Join(c.err, fmt.Errorf("%d accounts", len(addresses)))
	}
	all := make([]*ledger.Account, len(addresses))
	for i, a := range addresses {
		all[i] = c.account(a)
	}
	return all, 1, nil
}

func (c *chainOf) account(address onchain.Address) *ledger.Account {
	for authority, vault := range c.vaults {
		if c.place(authority, onchain.Address{}) == address {
			return &ledger.Account{Address: address, Owner: c.p.ID(), Data: (&program.Agent{Authority: authority, Vault: vault}).Encode()}
		}
	}
	for q, paid := range c.paid {
		if c.place(q.payer, q.payee) == address {
			return &ledger.Account{Address: address, Owner: c.p.ID(), Data: (&program.Channel{Payer: q.payer, Payee: q.payee, Paid: paid}).Encode()}
		}
	}
	for q, gift := range c.gifts {
		if c.place(q.payer, q.payee) == address {
			return &ledger.Account{Address: address, Owner: onchain.SystemProgram(), Lamports: gift}
		}
	}
	return nil
}

// place returns the address of an agent or a Channel. It caches them, because finding one takes
// time.
func (c *chainOf) place(payer, payee onchain.Address) onchain.Address {
	q := pair{payer, payee}
	if _, known := c.places[q]; !known && payee.IsZero() {
		c.places[q] = c.p.Agent(payer)
	} else if !known {
		c.places[q] = c.p.Channel(payer, payee)
	}
	return c.places[q]
}

// pull does the program's part (programs/oju/src/rule/voucher.rs).
func (c *chainOf) pull(v program.Voucher) (amount uint64, made bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := pair{v.Payer, v.Payee}
	paid, there := c.paid[q]
	switch {
	case c.now >= v.Expires:
		return 0, false, program.ErrVoucherExpired
	case v.Cumulative <= paid:
		return 0, false, program.ErrVoucherSpent
	case c.vaults[v.Payer] == 0:
		return 0, false, program.ErrVaultEmpty
	}
	amount = min(v.Cumulative-paid, c.vaults[v.Payer])
	c.paid[q] = paid + amount
	c.vaults[v.Payer] -= amount
	c.vaults[v.Payee] += amount
	return amount, !there, nil
}

func key(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func authority(name string) onchain.Address {
	return onchain.Address(key(name).Public().(ed25519.PublicKey))
}

func node(name string) casefile.DID { return casefile.DID(authority("node of " + name)) }

func (c *chainOf) domain() voting.Domain {
	return voting.Domain{Network: sha256.Sum256([]byte("network")), Program: voting.Key(c.p.ID())}
}

// hash is the n-th receipt or task.
func hash(n int) voting.Hash { return sha256.Sum256(fmt.Appendf(nil, "receipt %d", n)) }

func task(n int) casefile.Address { return casefile.Address(hash(-n)) }

// payer is a node that pays, with its disk. It can be started again.
type payer struct {
	*Purse
	t      testing.TB
	chain  *chainOf
	disk   *disk
	name   string
	cfg    Config
	payees map[casefile.DID]onchain.Address
	signed []program.Voucher // all that it ever signed
}

func newPayer(t testing.TB, c *chainOf, name string, vault uint64) *payer {
	t.Helper()
	p := &payer{t: t, chain: c, disk: newDisk(), name: name, cfg: DefaultConfig(), payees: map[casefile.DID]onchain.Address{}}
	c.vaults[authority(name)] = vault
	p.start()
	return p
}

func (p *payer) start() {
	p.t.Helper()
	purse, err := NewPurse(p.cfg, PurseDeps{
		Domain: p.chain.domain(), Self: authority(p.name), Sign: p.sign, Chain: p.chain, Store: p.disk, Clock: p.chain.clock,
		Payee: func(holder casefile.DID) (onchain.Address, error) {
			if payee, ok := p.payees[holder]; ok {
				return payee, nil
			}
			return onchain.Address{}, errors.New("nobody knows its authority")
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.Purse = purse
}

// sign records the signed voucher, because it may be shown.
func (p *payer) sign(message []byte) onchain.Signature {
	for _, to := range p.payees {
		v := program.Voucher{Domain: p.chain.domain(), Payer: authority(p.name), Payee: to}
		at := len(message) - 16
		for i := range 8 {
			v.Cumulative |= uint64(message[at+i]) << (8 * i)
			v.Expires |= int64(message[at+8+i]) << (8 * i)
		}
		if bytes.Equal(v.Statement(), message) {
			p.signed = append(p.signed, v)
		}
	}
	return onchain.Signature(ed25519.Sign(key(p.name), message))
}

// drawable returns the lamports that a payee has drawn or could draw with any voucher ever signed.
func (p *payer) drawable(payee onchain.Address) uint64 {
	most := p.chain.paid[pair{authority(p.name), payee}]
	for _, v := range p.signed {
		if v.Payee == payee && p.chain.now < v.Expires {
			most = max(most, v.Cumulative)
		}
	}
	return most
}

// bill returns the bill for an answer of a holder.
func (p *payer) bill(holder string, n int, price uint64) exchange.Bill {
	return exchange.Bill{Seat: exchange.Seat{Case: task(n / 10), Round: 1, Judge: casefile.Address(authority(p.name)), Peer: node(p.name)},
		Holder: node(holder), Receipt: hash(n), Price: price}
}

// payee is a node that is paid, with its disk.
type payee struct {
	*Till
	t       testing.TB
	chain   *chainOf
	disk    *disk
	name    string
	cfg     Config
	fee     uint64 // cost of a pull
	settled []voting.Hash
	cost    uint64 // of all pulls
	gain    uint64
	pulls   int
	fail    error
	moot    bool // pulls end well and move nothing
}

func newPayee(t testing.TB, c *chainOf, name string) *payee {
	t.Helper()
	p := &payee{t: t, chain: c, disk: newDisk(), name: name, cfg: DefaultConfig(), fee: 10_000}
	c.vaults[authority(name)] = 0
	p.start()
	return p
}

func (p *payee) start() {
	p.t.Helper()
	till, err := NewTill(p.cfg, TillDeps{
		Domain: p.chain.domain(), Self: authority(p.name), Chain: p.chain, Store: p.disk, Clock: p.chain.clock, Pull: p.pull,
		Settled: func(receipt voting.Hash) error { p.settled = append(p.settled, receipt); return nil },
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.Till = till
}

func (p *payee) pull(_ context.Context, s Signed, most uint64) error {
	p.chain.with(func() { p.pulls++ })
	switch {
	case p.fail != nil:
		return p.fail
	case p.moot:
		return nil
	case p.fee > most:
		return ledger.ErrFee
	}
	if err := s.Verify(s.Signature); err != nil {
		return err
	}
	gain, made, err := p.chain.pull(s.Voucher)
	if err != nil {
		return err
	}
	cost := p.fee
	if made {
		cost += rent - min(rent, p.chain.gifts[pair{s.Payer, s.Payee}])
	}
	if gain <= cost {
		p.t.Errorf("a pull brought %d and cost %d", gain, cost)
	}
	p.chain.with(func() { p.gain, p.cost = p.gain+gain, p.cost+cost })
	return nil
}

// tried returns how often a pull was tried.
func (p *payee) tried() (n int) {
	p.chain.with(func() { n = p.pulls })
	return n
}

// owe notes an answer that is about to be given.
func (p *payee) owe(b exchange.Bill) error { return p.Add(exchange.Debt{Bill: b, At: p.chain.clock()}) }

// owes reports whether an answer is still owed.
func (p *payee) owes(receipt voting.Hash) bool {
	p.t.Helper()
	_, ok := p.disk.values[debtKey(receipt)]
	return ok
}

// account returns the record of a payer.
func (p *payee) account(payer string) account {
	p.t.Helper()
	a, _, err := load[account](p.disk, partyKey(accountKind, authority(payer)))
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

// newPair makes one payer and one payee that know each other.
func newPair(t testing.TB, vault uint64) (*chainOf, *payer, *payee) {
	t.Helper()
	c := newChain()
	from, to := newPayer(t, c, "alice", vault), newPayee(t, c, "bob")
	from.payees[node("bob")] = authority("bob")
	return c, from, to
}
