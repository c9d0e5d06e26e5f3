package devnet

import (
	"context"

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

func (s *Server) getHealth(context.Context, params) (any, error) {
	if s.bank.Failure() != nil {
		return nil, &rpcError{codeUnhealthy, "Node is unhealthy", map[string]any{"numSlotsBehind": nil}}
	}
	return "ok", nil
}

func (s *Server) getVersion(context.Context, params) (any, error) {
	return map[string]any{"solana-core": agaveVersion, "feature-set": featureSet}, nil
}

func (s *Server) getGenesisHash(context.Context, params) (any, error) {
	return s.bank.GenesisHash().String(), nil
}

func (s *Server) getIdentity(context.Context, params) (any, error) {
	return map[string]string{"identity": s.bank.Identity().String()}, nil
}

// state makes a handler that needs a state and nothing else.
func (s *Server) state(f func(*bank.View) any) handler {
	return func(_ context.Context, p params) (any, error) {
		var c contextConfig
		if err := p.optional(0, &c, "struct RpcContextConfig"); err != nil {
			return nil, err
		}
		var out any
		err := s.read(c, func(v *bank.View) error { out = f(v); return nil })
		return out, err
	}
}

func epochInfo(v *bank.View) any {
	schedule, clock := v.Environment().EpochSchedule, v.Environment().Clock
	return map[string]uint64{
		"absoluteSlot": v.Slot(), "blockHeight": v.Height(), "epoch": clock.Epoch,
		"slotIndex": v.Slot() % schedule.SlotsPerEpoch, "slotsInEpoch": schedule.SlotsPerEpoch,
		"transactionCount": v.Transactions(),
	}
}

func (s *Server) getEpochSchedule(context.Context, params) (any, error) {
	var out any
	s.bank.Read(bank.Finalized, func(v *bank.View) {
		e := v.Environment().EpochSchedule
		out = map[string]any{
			"slotsPerEpoch": e.SlotsPerEpoch, "leaderScheduleSlotOffset": e.LeaderScheduleSlotOffset,
			"warmup": e.Warmup, "firstNormalEpoch": e.FirstNormalEpoch, "firstNormalSlot": e.FirstNormalSlot,
		}
	})
	return out, nil
}

func (s *Server) getSlotLeaders(_ context.Context, p params) (any, error) {
	if _, err := p.u64(0); err != nil {
		return nil, err
	}
	limit, err := p.u64(1)
	if err != nil {
		return nil, err
	}
	if limit > maxSlotLeaders {
		return nil, invalidParams("Invalid limit; max %d", maxSlotLeaders)
	}
	out := make([]string, limit)
	for i := range out {
		out[i] = s.bank.Identity().String()
	}
	return out, nil
}

func (s *Server) getClusterNodes(context.Context, params) (any, error) {
	rpc, ws := s.addresses()
	return []map[string]any{{
		"pubkey": s.bank.Identity().String(), "version": agaveVersion, "featureSet": featureSet, "shredVersion": 1,
		"rpc": rpc, "pubsub": ws, "gossip": nil, "tvu": nil, "tpu": nil, "tpuQuic": nil, "tpuForwards": nil,
		"tpuForwardsQuic": nil, "tpuVote": nil, "serveRepair": nil,
	}}, nil
}

func (s *Server) getVoteAccounts(_ context.Context, p params) (any, error) {
	var c struct {
		contextConfig
		VotePubkey *string `json:"votePubkey"`
	}
	if err := p.optional(0, &c, "struct RpcGetVoteAccountsConfig"); err != nil {
		return nil, err
	}
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

func (s *Server) getHighestSnapshotSlot(context.Context, params) (any, error) {
	return nil, &rpcError{Code: codeNoSnapshot, Message: "No snapshot"}
}

func (s *Server) getRecentPrioritizationFees(_ context.Context, p params) (any, error) {
	var words []string
	if err := p.optional(0, &words, "a sequence"); err != nil {
		return nil, err
	}
	if len(words) > maxLocks {
		return nil, invalidParams("Too many inputs provided; max %d", maxLocks)
	}
	for _, w := range words {
		if _, err := parseKey(w); err != nil {
			return nil, err
		}
	}
	out := []map[string]uint64{}
	for _, b := range s.newest(prioritizationSlots) {
		out = append(out, map[string]uint64{"slot": b.Slot, "prioritizationFee": 0}) // there is room for all
	}
	return out, nil
}

func (s *Server) getRecentPerformanceSamples(_ context.Context, p params) (any, error) {
	limit := uint64(maxSamples)
	if err := p.optional(0, &limit, "usize"); err != nil {
		return nil, err
	}
	if limit > maxSamples {
		return nil, invalidParams("Invalid limit; max %d", maxSamples)
	}
	out := []map[string]uint64{}
	blocks := s.bank.Blocks(0, s.config.Chain.KeepBlocks)
	for i := len(blocks) - 1; i >= 0 && uint64(len(out)) < limit; {
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
