package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// Native returns instructions in the form that solana-go builds transactions from.
func Native(all ...onchain.Instruction) []solana.Instruction {
	out := make([]solana.Instruction, len(all))
	for n, i := range all {
		metas := make(solana.AccountMetaSlice, len(i.Accounts))
		for k, a := range i.Accounts {
			metas[k] = &solana.AccountMeta{PublicKey: solana.PublicKey(a.Address), IsSigner: a.Signer, IsWritable: a.Writable}
		}
		out[n] = solana.NewInstruction(solana.PublicKey(i.Program), metas, i.Data)
	}
	return out
}
