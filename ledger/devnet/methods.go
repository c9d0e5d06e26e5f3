package devnet

import (
	"encoding/json"

	"ojud/ledger/devnet/bank"
)

// handler runs a method. The number of parameters is already checked. If p.err is set when it
// returns, that is the answer.
type handler func(p *params) (any, error)

// method is a handler with the number of its parameters.
type method struct {
	least, most int
	run         handler
}

// methods are the calls of a connection, by name.
type methods map[string]method

// run runs a method.
func (m methods) run(name string, raw json.RawMessage) (any, error) {
	one, ok := m[name]
	if !ok {
		return nil, noMethod()
	}
	p, err := newParams(raw, one.least, one.most)
	if err != nil {
		return nil, err
	}
	result, err := one.run(p)
	if p.err != nil {
		return nil, p.err
	}
	return result, err
}

// table lists the methods. The numbers of parameters are those of Agave's rpc/src/rpc.rs.
func (s *Server) table() methods {
	cluster, account := clusterMethods{s.chain, s.addresses}, accountMethods{s.chain}
	sending, history := sendMethods{s.chain}, historyMethods{s.chain}
	return methods{
		"getHealth":              {0, 0, cluster.getHealth},
		"getVersion":             {0, 0, getVersion},
		"getGenesisHash":         {0, 0, cluster.getGenesisHash},
		"getIdentity":            {0, 0, cluster.getIdentity},
		"getEpochSchedule":       {0, 0, s.plain(epochSchedule)},
		"getClusterNodes":        {0, 0, cluster.getClusterNodes},
		"getVoteAccounts":        {0, 1, cluster.getVoteAccounts},
		"getHighestSnapshotSlot": {0, 0, getHighestSnapshotSlot},
		"getSlot":                {0, 1, s.plain(func(v *bank.View) any { return v.Slot() })},
		"getBlockHeight":         {0, 1, s.plain(func(v *bank.View) any { return v.Height() })},
		"getTransactionCount":    {0, 1, s.plain(func(v *bank.View) any { return v.Transactions() })},
		"getSlotLeader":          {0, 1, s.plain(func(*bank.View) any { return s.bank.Identity().String() })},
		"getEpochInfo":           {0, 1, s.plain(epochInfo)},
		"getSlotLeaders":         {2, 2, cluster.getSlotLeaders},

		"getRecentPrioritizationFees": {0, 1, cluster.getRecentPrioritizationFees},
		"getRecentPerformanceSamples": {0, 1, cluster.getRecentPerformanceSamples},

		"getBalance":                        {1, 2, account.getBalance},
		"getAccountInfo":                    {1, 2, account.getAccountInfo},
		"getMultipleAccounts":               {1, 2, account.getMultipleAccounts},
		"getProgramAccounts":                {1, 2, account.getProgramAccounts},
		"getMinimumBalanceForRentExemption": {1, 2, account.getMinimumBalanceForRentExemption},
		"getSupply":                         {0, 1, account.getSupply},
		"getTokenSupply":                    {1, 2, account.getTokenSupply},
		"getTokenAccountBalance":            {1, 2, account.getTokenAccountBalance},
		"getTokenAccountsByOwner":           {2, 3, account.getTokenAccountsByOwner},

		"getLatestBlockhash":  {0, 1, sending.getLatestBlockhash},
		"isBlockhashValid":    {1, 2, sending.isBlockhashValid},
		"getFeeForMessage":    {1, 2, sending.getFeeForMessage},
		"sendTransaction":     {1, 2, sending.sendTransaction},
		"simulateTransaction": {1, 2, sending.simulateTransaction},
		"requestAirdrop":      {2, 3, sending.requestAirdrop},

		"getSignatureStatuses":    {1, 2, history.getSignatureStatuses},
		"getSignaturesForAddress": {1, 2, history.getSignaturesForAddress},
		"getTransaction":          {1, 2, history.getTransaction},

		"getBlock":               {1, 2, history.getBlock},
		"getBlockTime":           {1, 1, history.getBlockTime},
		"getBlocks":              {1, 3, history.getBlocks},
		"getBlocksWithLimit":     {2, 3, history.getBlocksWithLimit},
		"getFirstAvailableBlock": {0, 0, history.getFirstAvailableBlock},
		"minimumLedgerSlot":      {0, 0, history.getFirstAvailableBlock},

		"devnet_warp": {1, 1, s.warp},
	}
}
