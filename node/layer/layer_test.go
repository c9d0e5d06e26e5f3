package layer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/layer"
	oju "ojud/programs/oju"
	"ojud/voting"
)

func key(t *testing.T, n byte) *ledger.Keypair {
	t.Helper()
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func params() program.Params {
	p := program.DefaultParams()
	p.MinSeats = 3
	return p
}

// subject is a chain with a program whose court is not open.
func subject(t *testing.T, c layer.Chain, genesis onchain.Hash, wallet *ledger.Keypair) Subject {
	open := c.Program().InitConfig(wallet.Address(), program.InitConfig{Network: voting.Hash(genesis), Params: params()})
	return Subject{Chain: c, Genesis: genesis, Wallet: wallet, Open: open, Patience: 2 * time.Minute}
}

// inMemory is a Memory whose one step opens the court.
func inMemory(t *testing.T) Subject {
	wallet, p, genesis := key(t, 100), program.New(key(t, 101).Address()), onchain.Hash{9}
	open := func(all Accounts, _ onchain.Instruction, _ ledger.Moment) ([]program.Event, error) {
		if _, ok := all[p.Config()]; ok {
			return nil, errors.New("AccountAlreadyInUse")
		}
		config := program.Config{Authority: wallet.Address(), Network: voting.Hash(genesis), Rules: program.FirstRules}
		rules := program.Rules{Number: program.FirstRules, Params: params()}
		all[p.Config()] = ledger.Account{Owner: p.ID(), Lamports: 1, Data: config.Encode()}
		all[p.Rules(program.FirstRules)] = ledger.Account{Owner: p.ID(), Lamports: 1, Data: rules.Encode()}
		all[p.Roster()] = ledger.Account{Owner: p.ID(), Lamports: 1, Data: (&program.Roster{}).Encode()}
		return []program.Event{&program.ConfigSet{Authority: wallet.Address()}}, nil
	}
	accounts := Accounts{wallet.Address(): {Lamports: onchain.LamportsPerSOL}}
	return subject(t, NewMemory(p, genesis, accounts, open), genesis, wallet)
}

// onDevnet is the embedded chain with the real program, behind its RPC.
func onDevnet(t *testing.T) Subject {
	wallet, id := key(t, 100), key(t, 101).Address()
	server, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{
		Seed: bytes.Repeat([]byte{7}, 32), Programs: []bank.Program{bank.Upgradeable(id, wallet.Address(), oju.ELF())},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, server.Close()); err != nil {
			t.Error(err)
		}
	})
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Calls.Rate = "http://node.test:8899", "ws://node.test:8900", 0
	c, err := layer.RPC(cfg, id, ledger.Deps{Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	faucet, err := ledger.New(cfg, id, ledger.Deps{Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(faucet.Close)
	sig, err := faucet.Airdrop(t.Context(), wallet.Address(), onchain.LamportsPerSOL)
	if err == nil {
		_, err = faucet.Await(t.Context(), sig)
	}
	if err != nil {
		t.Fatal(err)
	}
	genesis, err := faucet.Genesis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return subject(t, c, genesis, wallet)
}

// TestChains checks the rules against both implementations.
func TestChains(t *testing.T) {
	for name, open := range map[string]func(*testing.T) Subject{"memory": inMemory, "devnet": onDevnet} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := Check(t.Context(), open(t)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// faulty is a chain that breaks one rule.
type faulty struct {
	layer.Chain
	accounts  func(all []*ledger.Account, slot uint64) ([]*ledger.Account, uint64)
	submit    func(s layer.Submitter, ctx context.Context, all []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error)
	events    func(o ledger.Occurred) []ledger.Occurred
	anyChain  bool
	longHeads bool
	stoppedAt ledger.Moment
}

func (f faulty) Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error) {
	all, slot, err := f.Chain.Accounts(ctx, addresses...)
	if f.accounts != nil && err == nil {
		all, slot = f.accounts(all, slot)
	}
	return all, slot, err
}

func (f faulty) Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error) {
	if f.longHeads {
		length++
	}
	return f.Chain.Heads(ctx, account, having, offset, length)
}

func (f faulty) CheckChain(ctx context.Context, genesis onchain.Hash) error {
	err := f.Chain.CheckChain(ctx, genesis)
	if f.anyChain && errors.Is(err, ledger.ErrOtherChain) {
		return nil
	}
	return err
}

func (f faulty) Now(ctx context.Context) (ledger.Moment, error) {
	if f.stoppedAt.Slot > 0 {
		return f.stoppedAt, nil
	}
	return f.Chain.Now(ctx)
}

func (f faulty) Submitter(ctx context.Context, outbox ledger.Outbox) (layer.Submitter, error) {
	s, err := f.Chain.Submitter(ctx, outbox)
	return faultySubmitter{s, f.submit}, err
}

type faultySubmitter struct {
	layer.Submitter
	submit func(s layer.Submitter, ctx context.Context, all []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error)
}

func (s faultySubmitter) Submit(ctx context.Context, all []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error) {
	if s.submit == nil {
		return s.Submitter.Submit(ctx, all, o)
	}
	return s.submit(s.Submitter, ctx, all, o)
}

func (f faulty) Follower(from ledger.Cursor, judge onchain.Address) layer.Follower {
	in := f.Chain.Follower(from, judge)
	if f.events == nil {
		return in
	}
	return faultyFollower{in, f.events, make(chan ledger.Occurred)}
}

type faultyFollower struct {
	layer.Follower
	change func(o ledger.Occurred) []ledger.Occurred
	out    chan ledger.Occurred
}

func (f faultyFollower) Events() <-chan ledger.Occurred { return f.out }

func (f faultyFollower) Run(ctx context.Context) error {
	go func() {
		defer close(f.out)
		for o := range f.Follower.Events() {
			for _, o := range f.change(o) {
				select {
				case f.out <- o:
				case <-ctx.Done():
				}
			}
		}
	}()
	return f.Follower.Run(ctx)
}

// TestBrokenChains is the negative control: a chain that breaks a rule is found.
func TestBrokenChains(t *testing.T) {
	type options = ledger.SubmitOptions
	submit := func(change func(*options)) func(layer.Submitter, context.Context, []onchain.Instruction, options) (transact.Outcome, error) {
		return func(s layer.Submitter, ctx context.Context, all []onchain.Instruction, o options) (transact.Outcome, error) {
			change(&o)
			return s.Submit(ctx, all, o)
		}
	}
	for rule, broken := range map[string]faulty{
		"genesis": {anyChain: true},
		"heads":   {longHeads: true},
		"clock":   {stoppedAt: ledger.Moment{Slot: 1, Unix: 946684800}},
		"follow":  {events: func(o ledger.Occurred) []ledger.Occurred { return []ledger.Occurred{o, o} }},
		"open":    {accounts: func(all []*ledger.Account, _ uint64) ([]*ledger.Account, uint64) { return all, 1 }},
		"accounts": {accounts: func(all []*ledger.Account, slot uint64) ([]*ledger.Account, uint64) {
			slices.Reverse(all)
			return all, slot
		}},
		"done":   {submit: submit(func(o *options) { o.Done = nil })},
		"before": {submit: submit(func(o *options) { o.Before = 0 })},
		"submit": {submit: func(s layer.Submitter, ctx context.Context, all []onchain.Instruction, o options) (transact.Outcome, error) {
			out, err := s.Submit(ctx, all, o)
			if err == nil && out.Class == ledger.Landed {
				_, err = s.Submit(ctx, all, o)
			}
			return out, err
		}},
		"atomic": {submit: func(s layer.Submitter, ctx context.Context, all []onchain.Instruction, o options) (out transact.Outcome, err error) {
			for i := range all {
				if out, err = s.Submit(ctx, all[i:i+1], o); err != nil || out.Class != ledger.Landed {
					break
				}
			}
			return out, err
		}},
		"purpose": {submit: submit(func(o *options) {
			if o.Purpose != "" {
				o.Purpose, o.Done = "", nil
			}
		})},
	} {
		t.Run(rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := inMemory(t)
				broken.Chain = s.Chain
				s.Chain = broken
				err := Check(t.Context(), s)
				if err == nil || !strings.Contains("\n"+err.Error(), "\n"+rule+": ") {
					t.Errorf("not found: %v", err)
				}
			})
		})
	}
}
