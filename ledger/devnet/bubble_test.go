package devnet_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
)

// TestFakeTime runs the server on plain package time, as in production, through ten minutes of fake
// time and a warp.
func TestFakeTime(t *testing.T) {
	run := func() (hash solana.Hash, slot uint64) {
		synctest.Test(t, func(t *testing.T) {
			config := devnet.DefaultConfig()
			config.Chain.KeepBlocks = 2000
			s, err := devnet.New(config, devnet.Deps{Logger: quiet(), Genesis: genesis()})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- s.Run(ctx) }()
			c := &chain{Server: s, t: t, rpc: client("http://devnet", s.Transport())}
			began := time.Now()
			c.sendAndWait(transfer(t, "payer", address("alice"), 1, c.blockhash()))
			time.Sleep(10*time.Minute - time.Since(began) + time.Millisecond)
			var now int64
			s.Bank().Read(bank.Processed, func(v *bank.View) { slot, now = v.Slot(), v.Time() })
			if slot != 1501 || now != time.Now().Unix() {
				t.Errorf("after ten minutes: slot %d, clock %d behind", slot, time.Now().Unix()-now)
			}
			if err := s.Warp(8 * time.Hour); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			s.Bank().Read(bank.Processed, func(v *bank.View) {
				if ahead := v.Time() - time.Now().Unix(); ahead < 8*3600-1 || ahead > 8*3600 {
					t.Errorf("after the warp the clock is %d s ahead", ahead)
				}
				hash, slot = v.Environment().SlotHashes[0].Hash, v.Slot()
			})
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return hash, slot
	}
	hash, slot := run()
	again, same := run()
	if hash != again || slot != same {
		t.Errorf("two runs ended in %d %s and %d %s", slot, hash, same, again)
	}
}

// sendAndWait sends as a client does, and polls until the transaction is finalized.
func (c *chain) sendAndWait(tx *solana.Transaction) {
	ctx := context.Background()
	signature, err := c.rpc.SendTransactionWithOpts(ctx, tx, rpc.TransactionOpts{PreflightCommitment: rpc.CommitmentProcessed})
	if err != nil {
		c.t.Error(err)
		return
	}
	for range 100 {
		got, err := c.rpc.GetSignatureStatuses(ctx, false, signature)
		if err != nil {
			c.t.Error(err)
			return
		}
		if s := got.Value[0]; s != nil && s.ConfirmationStatus == rpc.ConfirmationStatusFinalized {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	c.t.Errorf("%s was not finalized", signature)
}

// TestManyClients lets 28 clients send at once while slots pass and a socket listens.
func TestManyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: quiet(), Genesis: genesis()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		c := &chain{Server: s, t: t, rpc: client("http://devnet", s.Transport())}
		var total uint64
		s.Bank().Read(bank.Processed, func(v *bank.View) { total = v.Capitalization() })
		l := c.listen()
		l.call("logsSubscribe", `"all",{"commitment":"finalized"}`)
		l.expect(answered(1, 1))
		const clients, each = 28, 5
		var group sync.WaitGroup
		for i := range clients {
			group.Go(func() {
				for n := range each {
					time.Sleep(time.Duration(i*7+n*31) * time.Millisecond)
					c.sendAndWait(transfer(t, "payer", address("alice"), uint64(i*each+n), c.blockhash()))
				}
			})
		}
		heard := map[string]bool{}
		for range clients * each {
			heard[l.read()] = true
		}
		group.Wait()
		if len(heard) != clients*each {
			t.Errorf("%d different notifications, want %d", len(heard), clients*each)
		}
		s.Bank().Read(bank.Processed, func(v *bank.View) {
			if v.Capitalization() != total || v.Transactions() != clients*each {
				t.Errorf("capitalization %d, want %d; %d transactions", v.Capitalization(), total, v.Transactions())
			}
		})
		l.close()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestFaucetLimits(t *testing.T) {
	airdrop := func(c *chain, lamports uint64) error {
		_, err := c.rpc.RequestAirdrop(context.Background(), address("new"), lamports, rpc.CommitmentProcessed)
		return err
	}
	c := open(t, func(c *devnet.Config, _ *devnet.Deps) { c.AirdropLimit, c.FaucetLimit = 2*sol, 5*sol })
	if err := airdrop(c, 2*sol+1); err == nil || !strings.Contains(err.Error(), "2.000000001 SOL is more than the 2 SOL that one request may have") {
		t.Error(err)
	}
	given := 0
	for airdrop(c, 2*sol) == nil {
		given++
	}
	if given != 2 {
		t.Errorf("%d times 2 SOL of 5 were given", given)
	}
	if err := airdrop(c, sol/2); err != nil {
		t.Error(err)
	}
	off := open(t, func(c *devnet.Config, _ *devnet.Deps) { c.NoFaucet, c.NoWarp = true, true })
	if err := airdrop(off, 1); err == nil {
		t.Error("a faucet that is off gave")
	}
	if _, got := off.post(`{"jsonrpc":"2.0","id":1,"method":"devnet_warp","params":[1]}`); got != refusal(1, -32601, "Method not found") {
		t.Errorf("warp: %s", got)
	}
	poor := open(t, func(c *devnet.Config, _ *devnet.Deps) { c.Chain.FaucetLamports = sol })
	if err := airdrop(poor, sol); err == nil {
		t.Error("a poor faucet gave")
	}
}

// TestOldStatuses asks for a transaction that has left the status cache.
func TestOldStatuses(t *testing.T) {
	c := open(t, nil)
	tx := transfer(t, "payer", address("alice"), 1, c.blockhash())
	c.process(tx)
	known := func(history bool) bool {
		got, err := c.rpc.GetSignatureStatuses(context.Background(), history, tx.Signatures[0])
		if err != nil {
			t.Fatal(err)
		}
		return got.Value[0] != nil
	}
	c.seal(300)
	if !known(false) {
		t.Error("a recent transaction is not known")
	}
	c.seal(1)
	if known(false) || !known(true) {
		t.Errorf("an old transaction is known: %v, from history: %v", known(false), known(true))
	}
}

func ExampleServer_Transport() {
	s, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: quiet(), Manual: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := client("http://devnet", s.Transport())
	slot, err := c.GetSlot(context.Background(), rpc.CommitmentProcessed)
	fmt.Println(slot, err)
	fmt.Println(s.Close())
	// Output:
	// 1 <nil>
	// <nil>
}
