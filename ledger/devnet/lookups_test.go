package devnet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	addresslookuptable "github.com/gagliardetto/solana-go/programs/address-lookup-table"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/gagliardetto/solana-go/rpc"
)

// TestLookupTables makes an address lookup table as wallets do, names accounts by it, and finds
// these in the history.
func TestLookupTables(t *testing.T) {
	c := open(t, withLibrary(t))
	ctx, alice, bob, carol := t.Context(), address("alice"), address("bob"), address("carol")
	c.seal(2)
	slot, err := c.rpc.GetSlot(ctx, rpc.CommitmentFinalized)
	if err != nil {
		t.Fatal(err)
	}
	create, at, err := addresslookuptable.NewCreateLookupTableInstruction(alice, alice, slot)
	if err != nil {
		t.Fatal(err)
	}
	extend := addresslookuptable.NewExtendLookupTableInstruction(at, alice, alice, []solana.PublicKey{carol, bob})
	if _, err := c.sign([]solana.Instruction{create.Build(), extend.Build()}); err != nil {
		t.Fatal(err)
	}
	table := solana.TransactionAddressTables(map[solana.PublicKey]solana.PublicKeySlice{at: {carol, bob}})
	gift := system.NewTransferInstruction(1_000_000, alice, bob).Build()
	memo := solana.NewInstruction(solana.MemoProgramID, []*solana.AccountMeta{solana.Meta(alice).SIGNER()}, []byte("for bob"))
	early, err := c.sign([]solana.Instruction{gift, memo}, table)
	if err == nil || !strings.Contains(err.Error(), "uses an invalid index") {
		t.Fatalf("in the slot of the extension: %v %v", early, err)
	}
	c.seal(1)
	before, err := c.rpc.GetBalance(ctx, bob, rpc.CommitmentProcessed)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := c.sign([]solana.Instruction{gift, memo}, table)
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.rpc.GetBalance(ctx, bob, rpc.CommitmentProcessed)
	if err != nil || after.Value != before.Value+1_000_000 {
		t.Errorf("bob has %v after %d, %v", after, before.Value, err)
	}
	c.seal(1)
	zero := uint64(0)
	got, err := c.rpc.GetTransaction(ctx, sent, &rpc.GetTransactionOpts{
		Encoding: solana.EncodingBase64, Commitment: rpc.CommitmentConfirmed, MaxSupportedTransactionVersion: &zero,
	})
	if err != nil {
		t.Fatal(err)
	}
	if l := got.Meta.LoadedAddresses; !slices.Equal(l.Writable, solana.PublicKeySlice{bob}) || len(l.ReadOnly) != 0 {
		t.Errorf("loaded %+v", l)
	}
	if n := len(got.Meta.PreBalances); n != 4 || got.Meta.PostBalances[n-1] != after.Value { // alice, two programs, bob
		t.Errorf("balances %v, %v", got.Meta.PreBalances, got.Meta.PostBalances)
	}
	if !slices.ContainsFunc(got.Meta.LogMessages, func(line string) bool { return line == "Program log: for bob" }) {
		t.Errorf("no memo in %q", got.Meta.LogMessages)
	}
	parsed, err := c.rpc.GetParsedTransaction(ctx, sent, &rpc.GetParsedTransactionOpts{Commitment: rpc.CommitmentConfirmed, MaxSupportedTransactionVersion: &zero})
	if err != nil {
		t.Fatal(err)
	}
	keys := parsed.Transaction.Message.AccountKeys
	if last := keys[len(keys)-1]; last.PublicKey != bob || !last.Writable || last.Signer {
		t.Errorf("the last account is %+v", last)
	}
	of, err := c.rpc.GetSignaturesForAddressWithOpts(ctx, bob, &rpc.GetSignaturesForAddressOpts{Commitment: rpc.CommitmentConfirmed})
	if err != nil || !slices.ContainsFunc(of, func(s *rpc.TransactionSignature) bool { return s.Signature == sent }) {
		t.Errorf("bob's transactions: %v %v", of, err)
	}
	if _, err := c.sign([]solana.Instruction{addresslookuptable.NewDeactivateLookupTableInstruction(at, alice).Build()}); err != nil {
		t.Fatal(err)
	}
	c.seal(1)
	if _, err := c.sign([]solana.Instruction{gift}, table); err != nil {
		t.Errorf("a table that was deactivated a slot ago: %v", err)
	}
	c.seal(513)
	if _, err := c.sign([]solana.Instruction{gift}, table); err == nil || !strings.Contains(err.Error(), "doesn't exist") {
		t.Errorf("a table that was deactivated long ago: %v", err)
	}
}
