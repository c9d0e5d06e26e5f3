//go:build unix

package oju_test

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

var (
	votesTimes = flag.Int("figures.votes", 1, "how often TestVotes executes a panel's commits and reveals on each side")
	votesTo    = flag.String("figures.to", "", "append lines of the table of figures to this file")
)

// TestVotes: the commits and reveals of a whole panel, with signatures, succeed on ledger/svm, in a
// bank, and on LiteSVM. The number that each executes in a second is a line of the table of
// figures. Without Node.js there is no floor, and no line.
//
//	go test ./ledger/svm/difftest/oju -run 'TestVotes$' -figures.votes 50 -v
func TestVotes(t *testing.T) {
	s := alone(t)
	s.cast(voting.MaxSeats)
	k := s.seated()
	s.flush()
	s.vote(k, all(s.panel(k), voting.Accept))
	c := *s.open
	if len(c.Transactions) != 2*voting.MaxSeats {
		t.Fatalf("%d transactions", len(c.Transactions))
	}
	judge, machine := difftest.New(t, difftest.Options{}), floor.ReadMachine(t)
	var runtime, banks, lite []float64
	rate := func(d time.Duration) float64 { return float64(len(c.Transactions)) / d.Seconds() }
	for range *votesTimes {
		runtime, banks = append(runtime, rate(s.simulated(c))), append(banks, rate(s.banked(c)))
		if !judge.Live() {
			continue
		}
		took, err := judge.TimeLite(c)
		if err != nil {
			t.Fatal(err)
		}
		lite = append(lite, rate(took))
	}
	if len(lite) == 0 {
		return
	}
	line := func(what string, here []float64) floor.Figure {
		r := floor.Ratio(here, lite)
		return floor.Figure{ID: "SVM", What: fmt.Sprintf("%s executes the 56 commits and reveals of a panel, of LiteSVM (Agave's runtime), %d times", what, len(here)),
			Here: fmt.Sprintf("%.0f a second", floor.Median(here)), Floor: fmt.Sprintf("%.0f a second", floor.Median(lite)), Ratio: r, Goal: "none set", Met: true, Others: machine.Foreign(t)}
	}
	figures := []floor.Figure{line("ledger/svm, an interpreter,", runtime), line("a bank of the devnet on it, with its history,", banks)}
	for _, f := range figures {
		t.Log(f)
	}
	if *votesTo != "" {
		floor.Tell(t, *votesTo, figures...)
	}
}

// simulated runs a case on ledger/svm alone, on a runtime that has the program and no signature.
func (s *scene) simulated(c difftest.Case) time.Duration {
	s.t.Helper()
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		s.t.Fatal(err)
	}
	s.executed(runtime, c, false)
	return s.executed(runtime, c, true)
}

func (s *scene) executed(runtime *svm.Runtime, c difftest.Case, verify bool) time.Duration {
	s.t.Helper()
	held := s.accounts
	defer func() { s.accounts = held }()
	s.accounts = map[onchain.Address]accounts.Account{}
	s.store(c.Accounts...)
	start := time.Now()
	for _, made := range c.Transactions {
		tx, err := solana.TransactionFromBytes(made.Raw)
		if err != nil {
			s.t.Fatal(err)
		}
		r := runtime.Simulate(tx, c.Env, s, verify)
		if r.Err != nil {
			s.t.Fatalf("%v: %v", r.Err, r.Logs)
		}
		s.store(r.Writes...)
	}
	return time.Since(start)
}

// banked runs a case's transactions in a bank in memory that begins with its accounts, and seals
// the block.
func (s *scene) banked(c difftest.Case) time.Duration {
	s.t.Helper()
	now := time.Unix(c.Env.Clock.UnixTimestamp, 0)
	g := bank.Genesis{Seed: make([]byte, 32), Programs: []bank.Program{{ID: solana.PublicKey(s.prog.ID()), ELF: s.suite.elf}}, Accounts: c.Accounts}
	b, err := bank.Open(bank.DefaultConfig(), g, now, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			s.t.Error(err)
		}
	}()
	raws := s.renewed(b, c)
	start := time.Now()
	for _, raw := range raws {
		tx, err := solana.TransactionFromBytes(raw)
		if err != nil {
			s.t.Fatal(err)
		}
		done, refused, err := b.Process(tx)
		if err != nil || refused != nil || done.Err != nil {
			s.t.Fatalf("%v, %v, %+v", err, refused, done)
		}
	}
	if err := b.Seal(now.Add(400 * time.Millisecond)); err != nil {
		s.t.Fatal(err)
	}
	return time.Since(start)
}

// renewed returns the transactions with the bank's blockhash.
func (s *scene) renewed(b *bank.Bank, c difftest.Case) (raws [][]byte) {
	s.t.Helper()
	var latest solana.Hash
	b.Read(bank.Confirmed, func(v *bank.View) { latest, _ = v.Blockhash() })
	for _, made := range c.Transactions {
		tx, err := solana.TransactionFromBytes(made.Raw)
		if err != nil {
			s.t.Fatal(err)
		}
		tx.Message.RecentBlockhash = latest
		again, err := difftest.Finish(tx, slices.Collect(maps.Values(s.keys))...)
		if err != nil {
			s.t.Fatal(err)
		}
		raws = append(raws, again.Raw)
	}
	return raws
}
