package svm

import "github.com/gagliardetto/solana-go"

// Addresses that solana-go lacks; solana-sdk-ids 3.1.
var (
	nativeLoaderID     = solana.MustPublicKeyFromBase58("NativeLoader1111111111111111111111111111111")
	loaderV4ID         = solana.MustPublicKeyFromBase58("LoaderV411111111111111111111111111111111111")
	ed25519ID          = solana.MustPublicKeyFromBase58("Ed25519SigVerify111111111111111111111111111")
	secp256r1ID        = solana.MustPublicKeyFromBase58("Secp256r1SigVerify1111111111111111111111111")
	incineratorID      = solana.MustPublicKeyFromBase58("1nc1nerator11111111111111111111111111111111")
	sysvarID           = solana.MustPublicKeyFromBase58("Sysvar1111111111111111111111111111111111111")
	clockID            = solana.MustPublicKeyFromBase58("SysvarC1ock11111111111111111111111111111111")
	rentID             = solana.MustPublicKeyFromBase58("SysvarRent111111111111111111111111111111111")
	epochScheduleID    = solana.MustPublicKeyFromBase58("SysvarEpochSchedu1e111111111111111111111111")
	epochRewardsID     = solana.MustPublicKeyFromBase58("SysvarEpochRewards1111111111111111111111111")
	feesID             = solana.MustPublicKeyFromBase58("SysvarFees111111111111111111111111111111111")
	instructionsID     = solana.MustPublicKeyFromBase58("Sysvar1nstructions1111111111111111111111111")
	lastRestartSlotID  = solana.MustPublicKeyFromBase58("SysvarLastRestartS1ot1111111111111111111111")
	recentBlockhashes  = solana.MustPublicKeyFromBase58("SysvarRecentB1ockHashes11111111111111111111")
	rewardsID          = solana.MustPublicKeyFromBase58("SysvarRewards111111111111111111111111111111")
	slotHashesID       = solana.MustPublicKeyFromBase58("SysvarS1otHashes111111111111111111111111111")
	slotHistoryID      = solana.MustPublicKeyFromBase58("SysvarS1otHistory11111111111111111111111111")
	stakeHistoryID     = solana.MustPublicKeyFromBase58("SysvarStakeHistory1111111111111111111111111")
	stakeConfigID      = solana.MustPublicKeyFromBase58("StakeConfig11111111111111111111111111111111")
	zkElGamalID        = solana.MustPublicKeyFromBase58("ZkE1Gama1Proof11111111111111111111111111111")
	zkTokenProofID     = solana.MustPublicKeyFromBase58("ZkTokenProof1111111111111111111111111111111")
	systemID           = solana.SystemProgramID
	computeBudgetID    = solana.ComputeBudget
	loaderDeprecatedID = solana.BPFLoaderDeprecatedProgramID
	loaderV2ID         = solana.BPFLoaderProgramID
	loaderV3ID         = solana.BPFLoaderUpgradeableProgramID
)

// reserved reports whether the protocol keeps transactions from write-locking the address
// (agave-reserved-account-keys 4.2).
func reserved(key solana.PublicKey) bool {
	switch key {
	case solana.AddressLookupTableProgramID, loaderV2ID, loaderDeprecatedID, loaderV3ID, computeBudgetID,
		solana.ConfigProgramID, ed25519ID, solana.FeatureProgramID, loaderV4ID, solana.Secp256k1ProgramID,
		secp256r1ID, stakeConfigID, solana.StakeProgramID, systemID, solana.VoteProgramID, zkElGamalID, zkTokenProofID,
		clockID, epochRewardsID, epochScheduleID, feesID, instructionsID, lastRestartSlotID, recentBlockhashes,
		rentID, rewardsID, slotHashesID, slotHistoryID, stakeHistoryID, nativeLoaderID, sysvarID:
		return true
	}
	return false
}

// isBuiltin reports whether an instruction of the program counts as a builtin for the default
// compute limit (solana-builtins-default-costs 4.2; the Vote program no longer does).
func isBuiltin(key solana.PublicKey) bool {
	switch key {
	case systemID, computeBudgetID, loaderV3ID, loaderDeprecatedID, loaderV2ID, loaderV4ID,
		solana.Secp256k1ProgramID, ed25519ID:
		return true
	}
	return false
}

// isPrecompile reports whether the runtime verifies the program's instructions itself.
func isPrecompile(key solana.PublicKey) bool {
	return key == ed25519ID || key == solana.Secp256k1ProgramID || key == secp256r1ID
}

// runsPrograms reports whether accounts of this owner are programs (PROGRAM_OWNERS of solana-svm).
func runsPrograms(owner solana.PublicKey) bool {
	return owner == loaderV3ID || owner == loaderV2ID || owner == loaderDeprecatedID || owner == loaderV4ID
}
