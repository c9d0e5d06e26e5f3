package devnet

import (
	"context"

	"ojud/ledger/devnet/bank"
)

// handler runs a method. The number of parameters is already checked.
type handler func(context.Context, params) (any, error)

// method is a handler with the number of its parameters.
type method struct {
	least, most int
	run         handler
}

// table lists the methods. The numbers of parameters are those of Agave's rpc/src/rpc.rs.
func (s *Server) table() map[string]method {
	return map[string]method{
		"getHealth":              {0, 0, s.getHealth},
		"getVersion":             {0, 0, s.getVersion},
		"getGenesisHash":         {0, 0, s.getGenesisHash},
		"getIdentity":            {0, 0, s.getIdentity},
		"getEpochSchedule":       {0, 0, s.getEpochSchedule},
		"getClusterNodes":        {0, 0, s.getClusterNodes},
		"getVoteAccounts":        {0, 1, s.getVoteAccounts},
		"getHighestSnapshotSlot": {0, 0, s.getHighestSnapshotSlot},
		"getSlot":                {0, 1, s.state(func(v *bank.View) any { return v.Slot() })},
		"getBlockHeight":         {0, 1, s.state(func(v *bank.View) any { return v.Height() })},
		"getTransactionCount":    {0, 1, s.state(func(v *bank.View) any { return v.Transactions() })},
		"getSlotLeader":          {0, 1, s.state(func(*bank.View) any { return s.bank.Identity().String() })},
		"getEpochInfo":           {0, 1, s.state(epochInfo)},
		"getSlotLeaders":         {2, 2, s.getSlotLeaders},

		"getRecentPrioritizationFees": {0, 1, s.getRecentPrioritizationFees},
		"getRecentPerformanceSamples": {0, 1, s.getRecentPerformanceSamples},

		"getBalance":                        {1, 2, s.getBalance},
		"getAccountInfo":                    {1, 2, s.getAccountInfo},
		"getMultipleAccounts":               {1, 2, s.getMultipleAccounts},
		"getProgramAccounts":                {1, 2, s.getProgramAccounts},
		"getMinimumBalanceForRentExemption": {1, 2, s.getMinimumBalanceForRentExemption},
		"getSupply":                         {0, 1, s.getSupply},

		"getLatestBlockhash":  {0, 1, s.getLatestBlockhash},
		"isBlockhashValid":    {1, 2, s.isBlockhashValid},
		"getFeeForMessage":    {1, 2, s.getFeeForMessage},
		"sendTransaction":     {1, 2, s.sendTransaction},
		"simulateTransaction": {1, 2, s.simulateTransaction},
		"requestAirdrop":      {2, 3, s.requestAirdrop},

		"getSignatureStatuses":    {1, 2, s.getSignatureStatuses},
		"getSignaturesForAddress": {1, 2, s.getSignaturesForAddress},
		"getTransaction":          {1, 2, s.getTransaction},

		"getBlock":               {1, 2, s.getBlock},
		"getBlockTime":           {1, 1, s.getBlockTime},
		"getBlocks":              {1, 3, s.getBlocks},
		"getBlocksWithLimit":     {2, 3, s.getBlocksWithLimit},
		"getFirstAvailableBlock": {0, 0, s.getFirstAvailableBlock},
		"minimumLedgerSlot":      {0, 0, s.getFirstAvailableBlock},

		"devnet_warp": {1, 1, s.warp},
	}
}
