package accounts

import "github.com/gagliardetto/solana-go"

// Addresses of solana-sdk-ids 3.1, under names that the runtime uses.
var (
	NativeLoaderID      = solana.MustPublicKeyFromBase58("NativeLoader1111111111111111111111111111111")
	loaderV4ID          = solana.MustPublicKeyFromBase58("LoaderV411111111111111111111111111111111111")
	Ed25519ID           = solana.MustPublicKeyFromBase58("Ed25519SigVerify111111111111111111111111111")
	secp256r1ID         = solana.MustPublicKeyFromBase58("Secp256r1SigVerify1111111111111111111111111")
	IncineratorID       = solana.MustPublicKeyFromBase58("1nc1nerator11111111111111111111111111111111")
	SysvarID            = solana.MustPublicKeyFromBase58("Sysvar1111111111111111111111111111111111111")
	clockID             = solana.MustPublicKeyFromBase58("SysvarC1ock11111111111111111111111111111111")
	RentID              = solana.MustPublicKeyFromBase58("SysvarRent111111111111111111111111111111111")
	epochScheduleID     = solana.MustPublicKeyFromBase58("SysvarEpochSchedu1e111111111111111111111111")
	epochRewardsID      = solana.MustPublicKeyFromBase58("SysvarEpochRewards1111111111111111111111111")
	feesID              = solana.MustPublicKeyFromBase58("SysvarFees111111111111111111111111111111111")
	InstructionsID      = solana.MustPublicKeyFromBase58("Sysvar1nstructions1111111111111111111111111")
	lastRestartSlotID   = solana.MustPublicKeyFromBase58("SysvarLastRestartS1ot1111111111111111111111")
	RecentBlockhashesID = solana.MustPublicKeyFromBase58("SysvarRecentB1ockHashes11111111111111111111")
	rewardsID           = solana.MustPublicKeyFromBase58("SysvarRewards111111111111111111111111111111")
	slotHashesID        = solana.MustPublicKeyFromBase58("SysvarS1otHashes111111111111111111111111111")
	slotHistoryID       = solana.MustPublicKeyFromBase58("SysvarS1otHistory11111111111111111111111111")
	stakeHistoryID      = solana.MustPublicKeyFromBase58("SysvarStakeHistory1111111111111111111111111")
	stakeConfigID       = solana.MustPublicKeyFromBase58("StakeConfig11111111111111111111111111111111")
	zkElGamalID         = solana.MustPublicKeyFromBase58("ZkE1Gama1Proof11111111111111111111111111111")
	zkTokenProofID      = solana.MustPublicKeyFromBase58("ZkTokenProof1111111111111111111111111111111")
	SystemID            = solana.SystemProgramID
	ComputeBudgetID     = solana.ComputeBudget
	LoaderDeprecatedID  = solana.BPFLoaderDeprecatedProgramID
	LoaderV2ID          = solana.BPFLoaderProgramID
	LoaderV3ID          = solana.BPFLoaderUpgradeableProgramID
)

// Reserved reports whether the protocol keeps transactions from write-locking the address
// (agave-reserved-account-keys 4.2).
func Reserved(key solana.PublicKey) bool {
	switch key {
	case solana.AddressLookupTableProgramID, LoaderV2ID, LoaderDeprecatedID, LoaderV3ID, ComputeBudgetID,
		solana.ConfigProgramID, Ed25519ID, solana.FeatureProgramID, loaderV4ID, solana.Secp256k1ProgramID,
		secp256r1ID, stakeConfigID, solana.StakeProgramID, SystemID, solana.VoteProgramID, zkElGamalID, zkTokenProofID,
		clockID, epochRewardsID, epochScheduleID, feesID, InstructionsID, lastRestartSlotID, RecentBlockhashesID,
		RentID, rewardsID, slotHashesID, slotHistoryID, stakeHistoryID, NativeLoaderID, SysvarID:
		return true
	}
	return false
}

// IsBuiltin reports whether an instruction of the program counts as a builtin for the default
// compute limit (solana-builtins-default-costs 4.2; the Vote program no longer does).
func IsBuiltin(key solana.PublicKey) bool {
	switch key {
	case SystemID, ComputeBudgetID, LoaderV3ID, LoaderDeprecatedID, LoaderV2ID, loaderV4ID,
		solana.Secp256k1ProgramID, Ed25519ID:
		return true
	}
	return false
}

// IsPrecompile reports whether the runtime verifies the program's instructions itself.
func IsPrecompile(key solana.PublicKey) bool {
	return key == Ed25519ID || key == solana.Secp256k1ProgramID || key == secp256r1ID
}

// RunsPrograms reports whether accounts of this owner are programs (PROGRAM_OWNERS of solana-svm).
func RunsPrograms(owner solana.PublicKey) bool {
	return owner == LoaderV3ID || owner == LoaderV2ID || owner == LoaderDeprecatedID || owner == loaderV4ID
}
