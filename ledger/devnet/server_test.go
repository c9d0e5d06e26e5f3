package devnet_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/gagliardetto/solana-go/rpc/jsonrpc"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
)

const sol = solana.LAMPORTS_PER_SOL

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func key(name string) solana.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return solana.PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
}

func address(name string) solana.PublicKey { return key(name).PublicKey() }

func genesis() bank.Genesis {
	seed := sha256.Sum256([]byte("genesis"))
	g := bank.Genesis{Seed: seed[:]}
	for _, name := range []string{"payer", "alice"} {
		g.Accounts = append(g.Accounts, accounts.Keyed{
			Key: address(name), Account: accounts.Account{Lamports: 100 * sol, Owner: solana.SystemProgramID, RentEpoch: ^uint64(0)},
		})
	}
	return g
}

// chain is a server in manual mode whose clock the test moves.
type chain struct {
	*devnet.Server
	t   testing.TB
	now time.Time
	rpc *rpc.Client
}

func open(t testing.TB, change func(*devnet.Config, *devnet.Deps)) *chain {
	t.Helper()
	c := &chain{t: t, now: time.Unix(1_800_000_000, 0)}
	config := devnet.DefaultConfig()
	deps := devnet.Deps{Logger: quiet(), Genesis: genesis(), Now: func() time.Time { return c.now }, Manual: true}
	if change != nil {
		change(&config, &deps)
	}
	s, err := devnet.New(config, deps)
	if err != nil {
		t.Fatal(err)
	}
	c.Server = s
	c.rpc = client("http://devnet", s.Transport())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// client returns solana-go's client over a transport.
func client(url string, t http.RoundTripper) *rpc.Client {
	return rpc.NewWithCustomRPCClient(jsonrpc.NewClientWithOpts(url, &jsonrpc.RPCClientOpts{HTTPClient: &http.Client{Transport: t}}))
}

func (c *chain) seal(n int) {
	c.t.Helper()
	for range n {
		c.now = c.now.Add(400 * time.Millisecond)
		if err := c.Seal(); err != nil {
			c.t.Fatal(err)
		}
	}
}

// serve runs a server on free ports until the test ends and returns its URLs.
func serve(t testing.TB, change func(*devnet.Config, *devnet.Deps)) (s *devnet.Server, http, ws string) {
	t.Helper()
	s, http, ws, err := tryServe(t, change)
	if err != nil {
		t.Fatal(err)
	}
	return s, http, ws
}

// tryServe is serve, but returns the error of a server that cannot start, for instance because
// another process took its port.
func tryServe(t testing.TB, change func(*devnet.Config, *devnet.Deps)) (s *devnet.Server, http, ws string, err error) {
	t.Helper()
	config := devnet.DefaultConfig()
	config.RPC, config.WS = "127.0.0.1:0", "127.0.0.1:0"
	deps := devnet.Deps{Logger: quiet(), Genesis: genesis()}
	if change != nil {
		change(&config, &deps)
	}
	s, err = devnet.New(config, deps)
	if err != nil {
		return nil, "", "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan [2]net.Addr, 1), make(chan error, 1)
	go func() { done <- s.Serve(ctx, func(rpc, ws net.Addr) { up <- [2]net.Addr{rpc, ws} }) }()
	select {
	case err := <-done:
		cancel()
		return nil, "", "", errors.Join(err, s.Close())
	case at := <-up:
		http, ws = "http://"+at[0].String(), "ws://"+at[1].String()
	}
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, http, ws, nil
}

// transfer returns a signed transfer that names a blockhash.
func transfer(t testing.TB, from string, to solana.PublicKey, lamports uint64, blockhash solana.Hash) *solana.Transaction {
	t.Helper()
	ix := system.NewTransferInstruction(lamports, address(from), to).Build()
	return signed(t, blockhash, from, ix)
}

func signed(t testing.TB, blockhash solana.Hash, from string, instructions ...solana.Instruction) *solana.Transaction {
	t.Helper()
	tx, err := solana.NewTransaction(instructions, blockhash, solana.TransactionPayer(address(from)))
	if err != nil {
		t.Fatal(err)
	}
	k := key(from)
	if _, err := tx.Sign(func(solana.PublicKey) *solana.PrivateKey { return &k }); err != nil {
		t.Fatal(err)
	}
	return tx
}

func (c *chain) blockhash() (h solana.Hash) {
	c.Bank().Read(bank.Processed, func(v *bank.View) { h, _ = v.Blockhash() })
	return h
}
