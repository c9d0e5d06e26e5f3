// Package spl has the programs of the Solana Program Library that a chain begins with, at their
// addresses and under their loaders of mainnet: SPL Token, Token-2022, Associated Token Account,
// Memo, and the program of address lookup tables. README.md says where the files come from.
package spl

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
)

// listed is a program of the library.
type listed struct {
	name, packed string
	id           solana.PublicKey
	upgradeable  bool // under loader-v3; else under loader-v2
}

func programs() []listed {
	return []listed{
		{"addresses", addressesELF, solana.AddressLookupTableProgramID, true},
		{"ata", associatedELF, solana.PublicKey(tokens.AssociatedProgram()), false},
		{"memo", memoELF, solana.MemoProgramID, false},
		{"token", tokenELF, solana.PublicKey(tokens.SPL()), true},
		{"token2022", token2022ELF, solana.PublicKey(tokens.Token2022()), true},
	}
}

// Accounts returns the accounts. Nobody can upgrade the programs.
func Accounts() ([]accounts.Keyed, error) {
	rent := accounts.DefaultEnvironment().Rent
	var out []accounts.Keyed
	for _, p := range programs() {
		elf, err := unpack(p.name, p.packed)
		if err != nil {
			return nil, err
		}
		if !p.upgradeable {
			out = append(out, accounts.Keyed{Key: p.id, Account: accounts.Account{
				Lamports: rent.MinimumBalance(len(elf)), Data: elf, Owner: accounts.LoaderV2ID, Executable: true, RentEpoch: accounts.RentExempt,
			}})
			continue
		}
		pair, err := accounts.ProgramPair(p.id, elf, nil, rent)
		if err != nil {
			return nil, fmt.Errorf("spl: program %s: %w", p.id, err)
		}
		out = append(out, pair...)
	}
	return out, nil
}
