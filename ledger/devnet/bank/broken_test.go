package bank

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
)

// failing is a store that fails from some moment on.
type failing struct {
	memory
	now bool
}

func (f *failing) commit([]entry) error {
	if f.now {
		return errors.New("the disk is gone")
	}
	return nil
}

func openFailing(t *testing.T) (*Bank, *failing) {
	t.Helper()
	seed := sha256.Sum256([]byte("broken"))
	b, err := Open(DefaultConfig(), Genesis{Seed: seed[:]}, time.Unix(0, 0), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s := &failing{}
	b.journal.store = s
	return b, s
}

func TestNothingIsAcknowledgedAfterAFailedWrite(t *testing.T) {
	b, s := openFailing(t)
	if _, _, err := b.Airdrop(solana.PublicKey{1}, 1<<30, solana.Hash{}); err != nil {
		t.Fatal(err)
	}
	s.now = true
	for range 2 {
		if got, _, err := b.Airdrop(solana.PublicKey{1}, 1<<30, solana.Hash{}); got != nil || !errors.Is(err, ErrBroken) {
			t.Errorf("airdrop: %v, %v", got, err)
		}
		s.now = false // it does not recover
	}
	for name, err := range map[string]error{
		"seal": b.Seal(time.Unix(1, 0)), "warp": b.Warp(time.Hour, time.Unix(1, 0)), "sync": b.Sync(), "failure": b.Failure(),
	} {
		if !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnbalancedResultStopsTheBank(t *testing.T) {
	b, _ := openFailing(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	l, index := b.at(Processed)
	made := &svm.Result{Writes: []accounts.Keyed{{Key: solana.PublicKey{1}, Account: accounts.Account{Lamports: 1}}}}
	if _, err := b.apply(l, index, made); !errors.Is(err, ErrBroken) {
		t.Errorf("apply: %v", err)
	}
	if err := b.journal.failure(); !errors.Is(err, ErrBroken) {
		t.Errorf("failure: %v", err)
	}
}
