package bank_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// start returns the time when the test chains begin.
func start() time.Time { return time.Unix(1_800_000_000, 0) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// key returns the key pair for a word.
func key(name string) solana.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return solana.PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
}

func address(name string) solana.PublicKey { return key(name).PublicKey() }

func seed(name string) []byte {
	s := sha256.Sum256([]byte(name))
	return s[:]
}

// chain is a bank under test with its own clock.
type chain struct {
	*bank.Bank
	t   testing.TB
	now time.Time
}

// open opens a chain with a rich payer and some friends.
func open(t testing.TB, change func(*bank.Config)) *chain {
	t.Helper()
	config := bank.DefaultConfig()
	if change != nil {
		change(&config)
	}
	return reopen(t, config, nil)
}

func reopen(t testing.TB, config bank.Config, observer func(bank.Event)) *chain {
	t.Helper()
	b, err := bank.Open(config, testGenesis(), start(), observer, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeBank(t, b) })
	return &chain{b, t, start()}
}

// closeBank closes a bank that the test may have closed, or broken, before.
func closeBank(t testing.TB, b *bank.Bank) {
	t.Helper()
	if err := b.Close(); err != nil && !errors.Is(err, bank.ErrClosed) && !errors.Is(err, bank.ErrBroken) {
		t.Error(err)
	}
}

func testGenesis() bank.Genesis {
	g := bank.Genesis{Seed: seed("genesis")}
	for _, name := range []string{"payer", "alice", "bob"} {
		g.Accounts = append(g.Accounts, accounts.Keyed{
			Key:     address(name),
			Account: accounts.Account{Lamports: 100 * solana.LAMPORTS_PER_SOL, Owner: solana.SystemProgramID},
		})
	}
	return g
}

func (c *chain) seal() {
	c.t.Helper()
	c.now = c.now.Add(400 * time.Millisecond)
	if err := c.Seal(c.now); err != nil {
		c.t.Fatal(err)
	}
}

func (c *chain) blockhash() solana.Hash {
	var h solana.Hash
	c.Read(bank.Processed, func(v *bank.View) { h, _ = v.Blockhash() })
	return h
}

func (c *chain) balance(level bank.Level, who solana.PublicKey) (lamports uint64) {
	c.Read(level, func(v *bank.View) {
		a, _ := v.Account(who)
		lamports = a.Lamports
	})
	return lamports
}

func (c *chain) capitalization() (total uint64) {
	c.Read(bank.Processed, func(v *bank.View) { total = v.Capitalization() })
	return total
}

// transfer returns a signed transfer that names a blockhash.
func transfer(t testing.TB, from string, to solana.PublicKey, lamports uint64, blockhash solana.Hash) *solana.Transaction {
	t.Helper()
	return signed(t, blockhash, from, system.NewTransferInstruction(lamports, address(from), to).Build())
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

// must processes a transaction, which must land.
func (c *chain) must(tx *solana.Transaction) *bank.Transaction {
	c.t.Helper()
	got, rejected, err := c.Process(tx)
	if err != nil || rejected != nil {
		c.t.Fatalf("process: rejected %v, error %v", rejected, err)
	}
	return got
}

// refused processes a transaction, which must be refused for this reason.
func (c *chain) refused(tx *solana.Transaction, why failure.TransactionCode) {
	c.t.Helper()
	_, rejected, err := c.Process(tx)
	if err != nil || rejected == nil || rejected.Code != why {
		c.t.Fatalf("process: rejected %v, error %v; want %v", rejected, err, &failure.TransactionError{Code: why})
	}
}
