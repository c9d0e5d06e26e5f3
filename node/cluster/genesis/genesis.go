// Package genesis has what every devnet has from its beginning: the programs of the court, of
// signers, of an escrow and of MegaBrain, and those of tokens.
package genesis

import (
	"ojud/ledger/brain"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/devnet/spl"
	"ojud/ledger/escrow"
	"ojud/ledger/onchain"
	"ojud/ledger/signers"
	"ojud/ledger/svm/accounts"
	"ojud/programs/megabrain"
	"ojud/programs/oju"
	escrowelf "ojud/programs/oju/escrow"
	signerself "ojud/programs/oju/signers"
)

// Court returns the address of the oju program on every devnet. It is fixed, so that examples and
// scripts can name it. No key belongs to it, because the chain has the program from its genesis on.
func Court() onchain.Address {
	id, err := onchain.ParseAddress("ojucourt11111111111111111111111111111111111")
	if err != nil {
		panic(err)
	}
	return id
}

// Programs are the programs of a devnet, which the deployer may upgrade.
func Programs(deployer onchain.Address) []bank.Program {
	return []bank.Program{
		bank.Upgradeable(Court(), deployer, oju.ELF()),
		bank.Upgradeable(signers.Devnet(), deployer, signerself.ELF()),
		bank.Upgradeable(escrow.Devnet(), deployer, escrowelf.ELF()),
		bank.Upgradeable(brain.Devnet().ID(), deployer, megabrain.ELF()),
	}
}

// Tokens are the accounts of the token programs, which nobody can upgrade.
func Tokens() ([]accounts.Keyed, error) { return spl.Accounts() }

// Treasury is the deployer's first instruction to MegaBrain, which brings disputes to this court.
func Treasury(court, deployer onchain.Address) onchain.Instruction {
	return brain.Devnet().Init(deployer, brain.Init{Court: court})
}
