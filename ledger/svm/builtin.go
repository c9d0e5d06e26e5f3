package svm

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

// BuiltinAccounts returns the accounts of the builtin programs and the Ed25519 precompile, for the
// genesis of a chain.
func BuiltinAccounts() []KeyedAccount {
	out := make([]KeyedAccount, 0, len(builtinNames)+1)
	for _, b := range builtinNames {
		out = append(out, KeyedAccount{b.id, Account{
			Lamports: 1, Data: []byte(b.name), Owner: nativeLoaderID, Executable: true,
		}})
	}
	return append(out, KeyedAccount{ed25519ID, Account{Lamports: 1, Owner: nativeLoaderID, Executable: true}})
}

// Compute units of the builtin programs.
const (
	systemUnits        = 150
	computeBudgetUnits = 150
	loaderV2Units      = 570
	loaderV3Units      = 2370
)
