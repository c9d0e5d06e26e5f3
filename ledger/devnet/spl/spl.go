// Package spl has the accounts of the token programs that a chain begins with: SPL Token,
// Token-2022 and the Associated Token Account program, at their addresses and under their loaders
// of mainnet.
package spl

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
	"ojud/programs/token"
)

// Accounts returns the accounts. Nobody can upgrade the programs.
func Accounts() ([]accounts.Keyed, error) {
	rent := accounts.DefaultEnvironment().Rent
	var out []accounts.Keyed
	for _, p := range []struct {
		id   [32]byte
		load func() ([]byte, error)
	}{{tokens.SPL(), token.SPL}, {tokens.Token2022(), token.Token2022}} {
		elf, err := p.load()
		if err != nil {
			return nil, err
		}
		pair, err := accounts.ProgramPair(p.id, elf, nil, rent)
		if err != nil {
			return nil, fmt.Errorf("spl: program %s: %w", solana.PublicKey(p.id), err)
		}
		out = append(out, pair...)
	}
	elf, err := token.Associated()
	if err != nil {
		return nil, err
	}
	return append(out, accounts.Keyed{Key: solana.PublicKey(tokens.AssociatedProgram()), Account: accounts.Account{
		Lamports: rent.MinimumBalance(len(elf)), Data: elf, Owner: accounts.LoaderV2ID, Executable: true, RentEpoch: accounts.RentExempt,
	}}), nil
}
