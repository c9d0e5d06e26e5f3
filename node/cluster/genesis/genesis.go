// Package genesis has what every devnet has from its beginning: the programs of the court, of
// signers, of an escrow and of MegaBrain.
package genesis

import (
	"ojud/ledger/brain"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/escrow"
	"ojud/ledger/onchain"
	"ojud/ledger/signers"
	"ojud/programs/megabrain"
	"ojud/programs/oju"
	escrowelf "ojud/programs/oju/escrow"
	signerself "ojud/programs/oju/signers"
)

// Programs are the programs of a devnet, which the deployer may upgrade.
func Programs(court, deployer onchain.Address) []bank.Program {
	return []bank.Program{
		bank.Upgradeable(court, deployer, oju.ELF()),
		bank.Upgradeable(signers.Devnet(), deployer, signerself.ELF()),
		bank.Upgradeable(escrow.Devnet(), deployer, escrowelf.ELF()),
		bank.Upgradeable(brain.Devnet().ID(), deployer, megabrain.ELF()),
	}
}

// Treasury is the deployer's first instruction to MegaBrain, which brings disputes to this court.
func Treasury(court, deployer onchain.Address) onchain.Instruction {
	return brain.Devnet().Init(deployer, brain.Init{Court: court})
}
