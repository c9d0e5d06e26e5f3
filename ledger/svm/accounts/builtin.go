package accounts

import "github.com/gagliardetto/solana-go"

// builtinNames are the programs of the runtime. The name is their account's data (solana-builtins
// 4.2).
var builtinNames = [...]struct {
	id   solana.PublicKey
	name string
}{
	{solana.SystemProgramID, "solana_system_program"},
	{solana.BPFLoaderProgramID, "solana_bpf_loader_program"},
	{solana.BPFLoaderUpgradeableProgramID, "solana_bpf_loader_upgradeable_program"},
	{solana.ComputeBudget, "compute_budget_program"},
}

// Builtins returns the accounts of the builtin programs and the Ed25519 precompile, for the
// genesis of a chain.
func Builtins() []Keyed {
	out := make([]Keyed, 0, len(builtinNames)+1)
	for _, b := range builtinNames {
		out = append(out, Keyed{b.id, Account{
			Lamports: 1, Data: []byte(b.name), Owner: NativeLoaderID, Executable: true,
		}})
	}
	return append(out, Keyed{Ed25519ID, Account{Lamports: 1, Owner: NativeLoaderID, Executable: true}})
}
