package bank

import (
	"fmt"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/compute-budget"
	"github.com/gagliardetto/solana-go/programs/system"

	"ojud/ledger/svm/failure"
)

// Dispensed returns the lamports that the faucet has spent since genesis: its balance at genesis
// less its balance now.
func (b *Bank) Dispensed() uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	a, _ := b.lookup(len(b.layers)-1, b.Faucet())
	return b.genesis.faucet - min(a.Lamports, b.genesis.faucet)
}

// Airdrop transfers lamports from the faucet and returns the record when it is durable. The
// transaction names blockhash; if it is zero, the newest one. The error is ErrFaucetEmpty, or one
// of Process. Repeated airdrops are different transactions: a second one with the same bytes gets
// its own compute limit, where a cluster's faucet would send the first one again.
func (b *Bank) Airdrop(to solana.PublicKey, lamports uint64, blockhash solana.Hash) (*Transaction, *failure.TransactionError, error) {
	if blockhash.IsZero() {
		b.Read(Processed, func(v *View) { blockhash, _ = v.Blockhash() })
	}
	if err := b.affords(lamports); err != nil {
		return nil, nil, err
	}
	transfer := system.NewTransferInstruction(lamports, b.Faucet(), to).Build()
	instructions := []solana.Instruction{transfer}
	for {
		tx, err := b.signed(instructions, blockhash)
		if err != nil {
			return nil, nil, err
		}
		t, rejected, err := b.Process(tx)
		switch {
		case err != nil:
			return nil, nil, err
		case rejected == nil:
			return t, nil, nil
		case rejected.Code != failure.ErrAlreadyProcessed:
			return nil, rejected, nil
		}
		const base = 10_000 // more than the two instructions take
		limit := uint32(base + b.airdrops.Add(1)%1_000_000)
		instructions = []solana.Instruction{computebudget.NewSetComputeUnitLimitInstruction(limit).Build(), transfer}
	}
}

// affords returns ErrFaucetEmpty unless the faucet can pay this and stay rent exempt.
func (b *Bank) affords(lamports uint64) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	l, index := b.at(Processed)
	a, _ := b.lookup(index, b.Faucet())
	keep := l.env.Rent.MinimumBalance(0) + 2*l.env.LamportsPerSignature
	if a.Lamports < keep || a.Lamports-keep < lamports {
		return fmt.Errorf("%w: %d asked for, it has %d", ErrFaucetEmpty, lamports, a.Lamports)
	}
	return nil
}

func (b *Bank) signed(instructions []solana.Instruction, blockhash solana.Hash) (*solana.Transaction, error) {
	tx, err := solana.NewTransaction(instructions, blockhash, solana.TransactionPayer(b.Faucet()))
	if err != nil {
		return nil, fmt.Errorf("bank: airdrop: %w", err)
	}
	_, err = tx.Sign(func(key solana.PublicKey) *solana.PrivateKey { return &b.keys.faucetKey })
	if err != nil {
		return nil, fmt.Errorf("bank: airdrop: %w", err)
	}
	return tx, nil
}
