package client

import (
	"fmt"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Offer is a creator's offer for a task.
type Offer struct {
	// RewardMin and RewardMax are lamports. If they are equal, the reward is fixed. Otherwise it
	// rises from one to the other within AuctionSeconds.
	RewardMin, RewardMax Lamports
	AuctionSeconds       uint32
	// WorkSeconds is the time from the claim to the result, the court's min_work_seconds to
	// 31,536,000.
	WorkSeconds uint32
	// ClaimWithin is the time in seconds within which the task can be claimed. 0 means for ever.
	ClaimWithin uint32
	// OnUndecided says who gets the escrow if the court cannot decide: refund, pay or split.
	OnUndecided string
	// Seal is the hash of a leaf, if the task is a golden case. Zero means a random one, so that
	// nobody can tell the two apart.
	Seal voting.Hash
	// Seats is the size of the first panel: 7, 14 or all of the court's. 0 means 7 below 0.3 SOL,
	// or as few as the court takes, and otherwise all.
	Seats uint8
	// Fee is the least fee of a seat. 0 means the fee of the court's rules.
	Fee Lamports

	// Engine is another program that decides a dispute. The zero value is the court.
	Engine Engine
}

// Engine is another program that decides a dispute, and its terms.
type Engine struct {
	// Decider writes a verdict account (docs/verdicts.md).
	Decider
	// Agent gets Fee, from the loser's bond. Both are zero, or neither.
	Agent onchain.Address
	Fee   Lamports
	// Seconds is its time, from the counter-objection on.
	Seconds uint32
	// ByTerm lets OnUndecided decide if it is silent, and not the court.
	ByTerm bool
}

// DefaultOffer is the offer of a creator who says nothing but the reward: a day for the work, and a
// week to claim it. Tasks of golden cases have it, too, because other terms would show them.
func DefaultOffer(reward Lamports) Offer {
	return Offer{RewardMin: reward, RewardMax: reward, WorkSeconds: 24 * 3600, ClaimWithin: 7 * 24 * 3600, OnUndecided: "split"}
}

// Terms builds the arguments of create_task under the rules, with the seats of the first panel. The
// time now is the chain's.
func (t Offer) Terms(p program.Params, hash voting.Hash, now int64) (program.CreateTask, error) {
	i, err := t.instruction(hash, now)
	if err != nil {
		return i, err
	}
	i.Seats, err = t.panel(p)
	return i, err
}

// UndecidedWords are the values of Offer.OnUndecided, in the order of the program's numbers.
func UndecidedWords() []string { return []string{"refund", "pay", "split"} }

// instruction builds the arguments of create_task. The time now is the chain's.
func (t Offer) instruction(hash voting.Hash, now int64) (program.CreateTask, error) {
	i := program.CreateTask{
		TaskHash: hash, RewardMin: uint64(t.RewardMin), RewardMax: uint64(t.RewardMax), AuctionSeconds: t.AuctionSeconds,
		WorkSeconds: t.WorkSeconds, Seal: t.Seal,
		Engine: t.Engine.Program, EngineGroup: t.Engine.Group, EngineAgent: t.Engine.Agent, EngineFee: uint64(t.Engine.Fee), EngineSeconds: t.Engine.Seconds,
		Seats: t.Seats, FeeMin: uint64(t.Fee),
	}
	if t.Engine.ByTerm {
		i.OnSilence = program.EndByTerm
	}
	if t.ClaimWithin > 0 {
		i.ClaimBy = now + int64(t.ClaimWithin)
	}
	if t.RewardMin != t.RewardMax || t.AuctionSeconds > 0 {
		i.Auction = voting.ReverseDutch
	}
	for n, word := range UndecidedWords() {
		if word == t.OnUndecided {
			i.OnUndecided = voting.OnUndecided(n + 1)
		}
	}
	return i, t.check(i)
}

// check refuses terms that the program would refuse, before a fee is paid.
func (t Offer) check(i program.CreateTask) error {
	switch {
	case t.RewardMin == 0:
		return fmt.Errorf("client: terms: the reward is 0; a task has to pay something")
	case t.RewardMin > t.RewardMax:
		return fmt.Errorf("client: terms: the reward begins at %s and ends at %s; it can only rise", t.RewardMin, t.RewardMax)
	case i.Auction == voting.ReverseDutch && (t.AuctionSeconds < 1 || t.AuctionSeconds > 2_592_000):
		return fmt.Errorf("client: terms: an auction takes 1 s to 30 days, not %d s", t.AuctionSeconds)
	case t.WorkSeconds < 1 || t.WorkSeconds > 31_536_000:
		return fmt.Errorf("client: terms: work takes 1 s to 365 days, not %d s", t.WorkSeconds)
	case i.OnUndecided == 0:
		return fmt.Errorf("client: terms: on undecided is %q; say refund, pay or split", t.OnUndecided)
	}
	if err := t.Engine.check(); err != nil {
		return err
	}
	if most := t.RewardMin / engineShare; t.Engine.Fee > most {
		return fmt.Errorf("client: terms: the engine's fee is %s, and a tenth of the lowest reward, %s, is the most", t.Engine.Fee, most)
	}
	return nil
}

func (e Engine) check() error {
	switch {
	case e.Program.IsZero() && e != (Engine{}):
		return fmt.Errorf("client: terms: there are terms of an engine, and no engine; name its program")
	case e.Program.IsZero():
		return nil
	case e.Seconds < 1 || e.Seconds > 2_592_000:
		return fmt.Errorf("client: terms: an engine has 1 s to 30 days, not %d s", e.Seconds)
	case e.Agent.IsZero() != (e.Fee == 0):
		return fmt.Errorf("client: terms: the engine's fee and the agent that gets it go together; name both or neither")
	}
	return nil
}
