package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	oju "ojud/programs/oju"
	"ojud/voting"
)

// wire holds a node's parts of the ledger.
type wire struct {
	client  *ledger.Client
	journal *journal.Journal
	sender  *ledger.Sender
	watcher *ledger.Watcher
}

// connect wires a node to a chain.
func connect(ctx context.Context, cfg ledger.Config, dir string, genesis onchain.Hash, address onchain.Address) (w *wire, err error) {
	w = &wire{}
	if w.client, err = ledger.New(cfg, address, ledger.Deps{}); err != nil {
		return nil, err
	}
	if err := w.client.CheckChain(ctx, genesis); err != nil {
		return nil, err
	}
	where := journal.DefaultConfig()
	where.Dir = dir
	if w.journal, err = journal.Open(where, journal.Identity{Network: voting.Hash(genesis), Program: voting.Key(address)}, nil, nil); err != nil {
		return nil, err
	}
	if w.sender, err = ledger.OpenSender(ctx, w.client, w.journal.Outbox()); err != nil { // goes on with what an earlier run sent
		return nil, errors.Join(err, w.journal.Close())
	}
	cursor, err := w.journal.Cursor()
	if err == nil && cursor == (ledger.Cursor{}) { // a new journal: from this slot on, not from whenever the watcher is ready
		var now ledger.Moment
		now, err = w.client.Now(ctx)
		cursor.Slot = now.Slot
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.watcher = ledger.NewWatcher(w.client, cursor)
	return w, nil
}

// close closes the sender before its outbox.
func (w *wire) close() error {
	w.sender.Close()
	w.client.Close()
	return w.journal.Close()
}

// serve runs an embedded chain with fast slots until ctx ends; wait returns when it has.
func serve(ctx context.Context, deployer, address onchain.Address) (cfg ledger.Config, genesis onchain.Hash, wait func() error, err error) {
	settings := devnet.DefaultConfig()
	settings.RPC, settings.WS, settings.Chain.SlotTime = "127.0.0.1:0", "127.0.0.1:0", 50*time.Millisecond
	server, err := devnet.New(settings, devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{
		Programs: []bank.Program{bank.Upgradeable(address, deployer, oju.ELF())},
	}})
	if err != nil {
		return ledger.Config{}, onchain.Hash{}, nil, err
	}
	cfg = ledger.DefaultConfig()
	up, done := make(chan bool), make(chan error, 1)
	go func() {
		err := server.Serve(ctx, func(rpc, ws net.Addr) {
			cfg.RPC, cfg.WS = "http://"+rpc.String(), "ws://"+ws.String()
			close(up)
		})
		done <- errors.Join(err, server.Close())
	}()
	wait = func() error { return <-done }
	select {
	case <-up:
		return cfg, onchain.Hash(server.Bank().GenesisHash()), wait, nil
	case err := <-done:
		return ledger.Config{}, onchain.Hash{}, nil, err
	}
}

// initialise pays the authority from the faucet and has it send init_config.
func initialise(ctx context.Context, cfg ledger.Config, genesis onchain.Hash, authority *ledger.Keypair, address onchain.Address) error {
	client, err := ledger.New(cfg, address, ledger.Deps{})
	if err != nil {
		return err
	}
	defer client.Close()
	sig, err := client.Airdrop(ctx, authority.Address(), 10*onchain.LamportsPerSOL)
	if err != nil {
		return err
	}
	if _, err := client.Await(ctx, sig); err != nil {
		return err
	}
	sender, err := ledger.OpenSender(ctx, client, &ledger.MemoryOutbox{})
	if err != nil {
		return err
	}
	defer sender.Close()
	found := program.InitConfig{Network: voting.Hash(genesis), Params: program.DefaultParams()}
	return submit(ctx, sender, authority, "init", client.Program().InitConfig(authority.Address(), found))
}

// submit sends what has to land.
func submit(ctx context.Context, s *ledger.Sender, payer *ledger.Keypair, purpose ledger.Purpose, all ...onchain.Instruction) error {
	out, err := s.Submit(ctx, all, ledger.SubmitOptions{Payer: payer, Purpose: purpose})
	switch {
	case err != nil:
		return err
	case out.Rejection != nil:
		return out.Rejection
	case out.Class != ledger.Landed:
		return fmt.Errorf("%s: %v", purpose, out.Class)
	}
	return nil
}

// A node that serves its own chain, initialises the program, registers an agent, and sees that
// happen.
func Example() {
	if err := example(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// the watcher saw AgentSet
	// the vault holds 0 lamports
}

func example() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "ojud")
	if err != nil {
		return err
	}
	key, _, err := transact.LoadOrCreateKeypair(dir + "/id.json")
	if err != nil {
		return err
	}
	address := solana.NewWallet().PublicKey()
	cfg, genesis, wait, err := serve(ctx, key.Address(), onchain.Address(address))
	if err != nil {
		return err
	}
	err = initialise(ctx, cfg, genesis, key, onchain.Address(address))
	if err == nil {
		err = register(ctx, cfg, dir, genesis, key, onchain.Address(address))
	}
	cancel()
	return errors.Join(err, wait(), os.RemoveAll(dir))
}

func register(ctx context.Context, cfg ledger.Config, dir string, genesis onchain.Hash, key *ledger.Keypair, address onchain.Address) error {
	w, err := connect(ctx, cfg, dir, genesis, address)
	if err != nil {
		return err
	}
	err = submit(ctx, w.sender, key, "register", w.client.Program().RegisterAgent(key.Address(), program.RegisterAgent{}))
	if err == nil {
		err = w.follow(ctx)
	}
	agent, _, missing := w.client.Agent(ctx, key.Address())
	if missing == nil {
		fmt.Println("the vault holds", agent.Vault, "lamports")
	}
	return errors.Join(err, missing, w.close())
}

// follow reads the watcher until it tells of an agent.
func (w *wire) follow(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- w.watcher.Run(ctx) }()
	defer func() { cancel(); err = errors.Join(err, <-ended) }()
	for {
		select {
		case <-w.watcher.Looks(): // a Look's Event is for voting.Machine.Step
		case o, ok := <-w.watcher.Events():
			if !ok {
				return context.Cause(ctx)
			}
			for _, e := range o.Events {
				if e.EventName() == "AgentSet" {
					fmt.Println("the watcher saw", e.EventName())
					return w.journal.SetCursor(o.Cursor) // when it was taken care of
				}
			}
		}
	}
}
