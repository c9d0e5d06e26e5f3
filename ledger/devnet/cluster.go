package devnet

import (
	"slices"

	"ojud/ledger/devnet/bank"
)

const (
	// agaveVersion is the Agave release that this package imitates.
	agaveVersion = "4.2.0"
	// featureSet identifies the feature set to clients, which only show it.
	featureSet = 3_271_415_109
	// maxSlotLeaders bounds getSlotLeaders (Agave's MAX_GET_SLOT_LEADERS).
	maxSlotLeaders = 5_000
	// maxLocks bounds the accounts of getRecentPrioritizationFees.
	maxLocks = 64
	// prioritizationSlots is the number of recent blocks that it reports.
	prioritizationSlots = 150
	// sampleSeconds and maxSamples belong to getRecentPerformanceSamples.
	sampleSeconds, maxSamples = 60, 720
)

// clusterMethods are the methods about the cluster and its one validator.
type clusterMethods struct {
	*chain
	addresses func() (rpc, ws *string) // of the server; nil while it does not listen
}

func (s clusterMethods) getHealth(*params) (any, error) {
	if s.bank.Failure() != nil {
		return nil, &rpcError{codeUnhealthy, "Node is unhealthy", map[string]any{"numSlotsBehind": nil}}
	}
	return "ok", nil
}

func getVersion(*params) (any, error) {
	return map[string]any{"solana-core": agaveVersion, "feature-set": featureSet}, nil
}

func (s clusterMethods) getGenesisHash(*params) (any, error) {
	return s.bank.GenesisHash().String(), nil
}

func (s clusterMethods) getIdentity(*params) (any, error) {
	return map[string]string{"identity": s.bank.Identity().String()}, nil
}

func epochInfo(v *bank.View) any {
	schedule, clock := v.Environment().EpochSchedule, v.Environment().Clock
	return map[string]uint64{
		"absoluteSlot": v.Slot(), "blockHeight": v.Height(), "epoch": clock.Epoch,
		"slotIndex": v.Slot() % schedule.SlotsPerEpoch, "slotsInEpoch": schedule.SlotsPerEpoch,
		"transactionCount": v.Transactions(),
	}
}

func epochSchedule(v *bank.View) any {
	e := v.Environment().EpochSchedule
	return map[string]any{
		"slotsPerEpoch": e.SlotsPerEpoch, "leaderScheduleSlotOffset": e.LeaderScheduleSlotOffset,
		"warmup": e.Warmup, "firstNormalEpoch": e.FirstNormalEpoch, "firstNormalSlot": e.FirstNormalSlot,
	}
}

func (s clusterMethods) getSlotLeaders(p *params) (any, error) {
	p.u64(0)
	limit := p.u64(1)
	if limit > maxSlotLeaders {
		p.fail(invalidParams("Invalid limit; max %d", maxSlotLeaders))
	}
	if p.err != nil {
		return nil, p.err
	}
	return slices.Repeat([]string{s.bank.Identity().String()}, int(limit)), nil
}

func (s clusterMethods) getClusterNodes(*params) (any, error) {
	rpc, ws := s.addresses()
	return []map[string]any{{
		"pubkey": s.bank.Identity().String(), "version": agaveVersion, "featureSet": featureSet, "shredVersion": 1,
		"rpc": rpc, "pubsub": ws, "gossip": nil, "tvu": nil, "tpu": nil, "tpuQuic": nil, "tpuForwards": nil,
		"tpuForwardsQuic": nil, "tpuVote": nil, "serveRepair": nil,
	}}, nil
}

func (s clusterMethods) getVoteAccounts(p *params) (any, error) {
	var c struct {
		contextConfig
		VotePubkey *string `json:"votePubkey"`
	}
	p.optional(0, &c, "struct RpcGetVoteAccountsConfig")
	current := []map[string]any{}
	err := s.read(c.contextConfig, func(v *bank.View) error {
		if c.VotePubkey != nil {
			if key, err := parseKey(*c.VotePubkey); err != nil || key != s.bank.VoteAccount() {
				return err
			}
		}
		identity, _ := v.Account(s.bank.Identity())
		epoch := v.Environment().Clock.Epoch
		current = append(current, map[string]any{
			"votePubkey": s.bank.VoteAccount().String(), "nodePubkey": s.bank.Identity().String(),
			"activatedStake": identity.Lamports, "commission": 0, "inflationRewardsCommissionBps": 0,
			"epochVoteAccount": true, "epochCredits": [][3]uint64{{epoch, v.Height(), 0}},
			"lastVote": v.Slot(), "rootSlot": v.Root(),
		})
		return nil
	})
	return map[string]any{"current": current, "delinquent": []any{}}, err
}

func getHighestSnapshotSlot(*params) (any, error) {
	return nil, &rpcError{Code: codeNoSnapshot, Message: "No snapshot"}
}

func (s clusterMethods) getRecentPrioritizationFees(p *params) (any, error) {
	var words []string
	p.optional(0, &words, "a sequence")
	if len(words) > maxLocks {
		p.fail(invalidParams("Too many inputs provided; max %d", maxLocks))
	}
	p.keys(words)
	out := []map[string]uint64{}
	for _, b := range s.newest(prioritizationSlots) {
		out = append(out, map[string]uint64{"slot": b.Slot, "prioritizationFee": 0}) // there is room for all
	}
	return out, nil
}

func (s clusterMethods) getRecentPerformanceSamples(p *params) (any, error) {
	limit := uint64(maxSamples)
	p.optional(0, &limit, "usize")
	if limit > maxSamples {
		p.fail(invalidParams("Invalid limit; max %d", maxSamples))
	}
	out := []map[string]uint64{}
	blocks := s.bank.Blocks(0, s.config.Chain.KeepBlocks)
	for i := len(blocks) - 1; i >= 0 && uint64(len(out)) < min(limit, maxSamples); {
		newest, transactions, first := blocks[i], uint64(0), i
		for ; i >= 0 && newest.Time-blocks[i].Time < sampleSeconds; i-- {
			transactions += uint64(blocks[i].Count)
		}
		out = append(out, map[string]uint64{
			"slot": newest.Slot, "numTransactions": transactions, "numNonVoteTransactions": transactions,
			"numSlots": uint64(first - i), "samplePeriodSecs": sampleSeconds,
		})
	}
	return out, nil
}
