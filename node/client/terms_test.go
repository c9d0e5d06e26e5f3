package client

import (
	"strings"
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// TestTerms checks that terms that the program would refuse get an error here, and that others
// become its arguments.
func TestTerms(t *testing.T) {
	t.Parallel()
	plain := Offer{RewardMin: 5, RewardMax: 5, WorkSeconds: 60, OnUndecided: "split"}
	i, err := plain.instruction(voting.Hash{1}, 1000)
	if want := (program.CreateTask{TaskHash: voting.Hash{1}, RewardMin: 5, RewardMax: 5, WorkSeconds: 60, OnUndecided: voting.SplitEscrow}); err != nil || i != want {
		t.Errorf("%+v, %v", i, err)
	}
	auction := Offer{RewardMin: 5, RewardMax: 9, AuctionSeconds: 30, WorkSeconds: 60, ClaimWithin: 100, OnUndecided: "pay"}
	i, err = auction.instruction(voting.Hash{1}, 1000)
	if err != nil || i.Auction != voting.ReverseDutch || i.AuctionSeconds != 30 || i.ClaimBy != 1100 || i.OnUndecided != voting.PayWorker {
		t.Errorf("%+v, %v", i, err)
	}
	for name, c := range map[string]struct {
		change func(*Offer)
		says   string
	}{
		"no reward":       {func(t *Offer) { t.RewardMin, t.RewardMax = 0, 0 }, "has to pay something"},
		"falling":         {func(t *Offer) { t.RewardMin = 6 }, "can only rise"},
		"no auction time": {func(t *Offer) { t.RewardMax = 6 }, "an auction takes"},
		"long auction":    {func(t *Offer) { t.RewardMax, t.AuctionSeconds = 6, 2_592_001 }, "an auction takes"},
		"no work":         {func(t *Offer) { t.WorkSeconds = 0 }, "work takes"},
		"a year and more": {func(t *Offer) { t.WorkSeconds = 31_536_001 }, "work takes"},
		"no word":         {func(t *Offer) { t.OnUndecided = "" }, "refund, pay or split"},
		"terms of nobody": {func(t *Offer) { t.Engine.Seconds = 60 }, "no engine"},
		"no engine time":  {func(t *Offer) { t.Engine = Engine{Decider: Decider{Program: [32]byte{7}}} }, "an engine has"},
		"a fee to nobody": {func(t *Offer) { t.Engine = Engine{Decider: Decider{Program: [32]byte{7}}, Seconds: 60, Fee: 1} }, "name both or neither"},
		"a large fee": {func(t *Offer) {
			t.RewardMin, t.RewardMax = 19, 19
			t.Engine = Engine{Decider: Decider{Program: [32]byte{7}}, Seconds: 60, Fee: 2, Agent: [32]byte{8}}
		}, "a tenth of the lowest reward"},
		"another word": {func(t *Offer) { t.OnUndecided = "none" }, "refund, pay or split"},
	} {
		terms := plain
		c.change(&terms)
		if _, err := terms.instruction(voting.Hash{1}, 1000); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
