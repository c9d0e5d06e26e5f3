package devnet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/gagliardetto/solana-go/rpc/jsonrpc"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/spl"
	"ojud/ledger/onchain"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
)

// run sends instructions in a transaction of alice's, and waits for nothing: the chain executes on
// arrival.
func (c *chain) run(list ...onchain.Instruction) {
	c.t.Helper()
	var native []solana.Instruction
	for _, i := range list {
		var metas []*solana.AccountMeta
		for _, m := range i.Accounts {
			metas = append(metas, &solana.AccountMeta{PublicKey: solana.PublicKey(m.Address), IsSigner: m.Signer, IsWritable: m.Writable})
		}
		native = append(native, solana.NewInstruction(solana.PublicKey(i.Program), metas, i.Data))
	}
	if _, err := c.sign(native); err != nil {
		c.t.Fatal(err)
	}
}

// sign sends instructions as alice, and returns the signature.
func (c *chain) sign(list []solana.Instruction, more ...solana.TransactionOption) (solana.Signature, error) {
	c.t.Helper()
	hash, err := c.rpc.GetLatestBlockhash(c.t.Context(), rpc.CommitmentProcessed)
	if err != nil {
		c.t.Fatal(err)
	}
	tx, err := solana.NewTransaction(list, hash.Value.Blockhash, append(more, solana.TransactionPayer(address("alice")))...)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := tx.Sign(func(solana.PublicKey) *solana.PrivateKey { k := key("alice"); return &k }); err != nil {
		c.t.Fatal(err)
	}
	return c.rpc.SendTransactionWithOpts(c.t.Context(), tx, rpc.TransactionOpts{PreflightCommitment: rpc.CommitmentProcessed})
}

// withLibrary gives a chain the programs of package spl.
func withLibrary(t *testing.T) func(*devnet.Config, *devnet.Deps) {
	return func(_ *devnet.Config, d *devnet.Deps) {
		programs, err := spl.Accounts()
		if err != nil {
			t.Fatal(err)
		}
		d.Genesis.Accounts = append(d.Genesis.Accounts, programs...)
	}
}

// TestTokens makes mints of both token programs on a chain, and asks for them as wallets do.
func TestTokens(t *testing.T) {
	c := open(t, withLibrary(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	alice, bob := onchain.Address(address("alice")), onchain.Address(address("bob"))
	owned := map[onchain.Address]solana.PublicKey{}
	var at [2]solana.PublicKey
	for i, program := range []onchain.Address{tokens.SPL(), tokens.Token2022()} {
		m := &tokens.Mint{Program: program, Decimals: 6}
		var err error
		if m.Address, err = tokens.MintAddress(alice, "usd", program); err != nil {
			t.Fatal(err)
		}
		c.run(tokens.CreateMint(alice, "usd", m, accounts.DefaultEnvironment().Rent.MinimumBalance(tokens.MintSize))...)
		for _, owner := range []onchain.Address{alice, bob} {
			create, err := tokens.CreateAssociated(alice, owner, m)
			if err != nil {
				t.Fatal(err)
			}
			c.run(create, tokens.MintTo(m, create.Accounts[1].Address, alice, 1_250_000))
			owned[owner] = solana.PublicKey(create.Accounts[1].Address)
		}
		c.run(tokens.Transfer(m, onchain.Address(owned[alice]), onchain.Address(owned[bob]), alice, 250_000))
		at[i] = solana.PublicKey(m.Address)
		supply, err := c.rpc.GetTokenSupply(ctx, at[i], rpc.CommitmentProcessed)
		if err != nil || supply.Value.Amount != "2500000" || supply.Value.Decimals != 6 || supply.Value.UiAmountString != "2.5" {
			t.Errorf("supply %+v %v", supply, err)
		}
		held, err := c.rpc.GetTokenAccountBalance(ctx, owned[bob], rpc.CommitmentProcessed)
		if err != nil || held.Value.Amount != "1500000" || held.Value.UiAmountString != "1.5" {
			t.Errorf("balance %+v %v", held, err)
		}
		for _, by := range []*rpc.GetTokenAccountsConfig{{Mint: &at[i]}, {ProgramId: (*solana.PublicKey)(&program)}} {
			list, err := c.rpc.GetTokenAccountsByOwner(ctx, solana.PublicKey(bob), by, &rpc.GetTokenAccountsOpts{Encoding: solana.EncodingBase64, Commitment: rpc.CommitmentProcessed})
			if err != nil || len(list.Value) != 1 || list.Value[0].Pubkey != owned[bob] {
				t.Errorf("accounts %+v %v", list, err)
			}
		}
	}
	faults := map[string]error{}
	_, faults["Invalid param: not a Token mint"] = c.rpc.GetTokenSupply(ctx, owned[bob], rpc.CommitmentProcessed)
	_, faults["Invalid param: not a Token account"] = c.rpc.GetTokenAccountBalance(ctx, at[0], rpc.CommitmentProcessed)
	base64 := &rpc.GetTokenAccountsOpts{Encoding: solana.EncodingBase64, Commitment: rpc.CommitmentProcessed}
	stranger := address("carol")
	_, faults["Invalid param: could not find mint"] = c.rpc.GetTokenAccountsByOwner(ctx, stranger, &rpc.GetTokenAccountsConfig{Mint: &stranger}, base64)
	_, faults["Invalid param: unrecognized Token program id"] = c.rpc.GetTokenAccountsByOwner(ctx, stranger, &rpc.GetTokenAccountsConfig{ProgramId: &stranger}, base64)
	for want, err := range faults {
		var said *jsonrpc.RPCError
		if !errors.As(err, &said) || said.Message != want || said.Code != -32602 {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if list, err := c.rpc.GetTokenAccountsByOwner(ctx, stranger, &rpc.GetTokenAccountsConfig{Mint: &at[0]}, base64); err != nil || len(list.Value) != 0 {
		t.Errorf("a stranger has %+v %v", list, err)
	}
}
