package ledger

import (
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
)

// What the tests of package ledger_test use; they are outside because ledger/journal imports this
// package.

func ChainGenesis(seed string) bank.Genesis { return testGenesis(seed) }
func ProgramID() onchain.Address            { return programID() }
func Key(n byte) *Keypair                   { return keypair(n) }
func Payment(from *Keypair, i int) []onchain.Instruction {
	return transfer(from.Address(), payee(i), Amount(i))
}
func Payee(i int) onchain.Address { return payee(i) }
func Amount(i int) uint64         { return sol + uint64(i) }
