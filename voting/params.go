package voting

import (
	"errors"
	"fmt"
)

// Params are a node's own choices. They are no part of the protocol: nodes with different Params
// work together. Times are seconds of the chain's clock.
type Params struct {
	// OpinionMargin is how long before the end of the commits an opinion must be there, so that the
	// commitment can land. At most a quarter of the commit time is used. Too short: an opinion that
	// comes late is an absence.
	OpinionMargin uint32 `koanf:"opinion_margin_seconds"`
	// CrankStep is the time between the turns of two nodes that could send the same transaction.
	// Too short: several pay for the same transaction. Too long: an absent node delays the case.
	CrankStep uint32 `koanf:"crank_step_seconds"`
	// RelayMargin is how long before the end of the reveals a node begins to reveal for seats that
	// have not. At most half of the reveal time is used.
	RelayMargin uint32 `koanf:"relay_margin_seconds"`
	// RelayDelay is how long a node that was asked to bring a commitment or a vote to the chain
	// waits for the judge to do it after all. At most a quarter of the time that is left is used,
	// and an eighth of the reveal time.
	RelayDelay uint32 `koanf:"relay_delay_seconds"`
	// MaxRelayed is how many seats of a round, at most, this node commits for, and reveals for;
	// each costs it the fee of one transaction (two signatures for a commitment). 0: it relays
	// nothing for others.
	MaxRelayed uint32 `koanf:"max_relayed_seats"`
	// RetryMin and RetryMax bound the wait before something that failed is tried again; it doubles
	// each time.
	RetryMin uint32 `koanf:"retry_min_seconds"`
	RetryMax uint32 `koanf:"retry_max_seconds"`
	// LandedWait is how long after a transaction was reported as landed the chain may go without
	// showing it.
	LandedWait uint32 `koanf:"landed_timeout_seconds"`
	// CatchUpEvery is how often a node asks a seat for notices that it lacks.
	CatchUpEvery uint32 `koanf:"catch_up_interval_seconds"`
	// SlotMillis is the length of a slot in milliseconds, for guessing when a seed slot is over.
	SlotMillis uint32 `koanf:"slot_milliseconds"`
	// FreshSlack is added to the time in which a node with a new journal does not vote in running
	// rounds, because it cannot know what it signed in them before its disk was lost.
	FreshSlack uint32 `koanf:"new_journal_margin_seconds"`
	// KeepGone is how long the node's own votes of a case are kept when the chain does not show the
	// case, against rollbacks.
	KeepGone uint32 `koanf:"keep_missing_cases_seconds"`
	// MaxCases bounds how many cases are followed at once where other judges have seats, but not
	// this node. Eight times as many that wait for their draw fit besides, and where this node has
	// a seat or has voted there is always room.
	MaxCases int `koanf:"max_cases"`
}

// DefaultParams suit the main network's rounds of 420 + 180 seconds.
func DefaultParams() Params {
	return Params{
		OpinionMargin: 45,
		CrankStep:     2,
		RelayMargin:   60,
		RelayDelay:    5,
		MaxRelayed:    MaxSeats,
		RetryMin:      2,
		RetryMax:      60,
		LandedWait:    20,
		CatchUpEvery:  5,
		SlotMillis:    400,
		FreshSlack:    60,
		KeepGone:      172_800,
		MaxCases:      128,
	}
}

// Validate names the first setting that is outside its range.
func (p Params) Validate() error {
	for _, f := range []struct {
		name            string
		value, min, max uint32
	}{
		{"opinion_margin_seconds", p.OpinionMargin, 1, 3_600},
		{"crank_step_seconds", p.CrankStep, 1, 60},
		{"relay_margin_seconds", p.RelayMargin, 1, 3_600},
		{"relay_delay_seconds", p.RelayDelay, 0, 3_600},
		{"max_relayed_seats", p.MaxRelayed, 0, 2 * MaxSeats},
		{"retry_min_seconds", p.RetryMin, 1, 60},
		{"retry_max_seconds", p.RetryMax, p.RetryMin, 3_600},
		{"landed_timeout_seconds", p.LandedWait, 1, 600},
		{"catch_up_interval_seconds", p.CatchUpEvery, 1, 600},
		{"slot_milliseconds", p.SlotMillis, 1, 60_000},
		{"new_journal_margin_seconds", p.FreshSlack, 0, 86_400},
		{"keep_missing_cases_seconds", p.KeepGone, 3_600, 31_536_000},
	} {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("voting: %s is %d; set it to %d to %d", f.name, f.value, f.min, f.max)
		}
	}
	if p.MaxCases < 1 || p.MaxCases > 4_096 {
		return fmt.Errorf("voting: max_cases is %d; set it to 1 to 4096", p.MaxCases)
	}
	return nil
}

// Config is who the machine is. Every field but Seal and Verify is required.
type Config struct {
	Domain Domain
	Judge  Key // the node's authority: its seat in the Roster
	Peer   Key // the node key that the Roster binds to Judge
	// Sign signs a statement with the node key (Ed25519). It must be deterministic and must not
	// block. The signature leaves the machine in the same list of effects as its record, and after
	// it. So no other node has seen a signature that was lost in a crash before it was recorded.
	Sign func(statement []byte) Signature
	// Seal encrypts an opening for the chain's history, SealedSize bytes, so that a judge that asks
	// others to commit for it can reveal after the loss of its disk. It must be deterministic and
	// must not block. Nil, or nil from it: nothing is sealed.
	Seal func(task Key, round uint8, o Opening) []byte
	// Verify checks a node key's signature and must be safe for concurrent use; nil means
	// VerifyStrict.
	Verify func(peer Key, message []byte, sig Signature) bool
	Params Params
}

func (c *Config) validate() error {
	switch {
	case c.Judge.IsZero():
		return errors.New("voting: Config.Judge is zero, set it to the node's authority")
	case c.Peer.IsZero():
		return errors.New("voting: Config.Peer is zero, set it to the node's public key")
	case c.Domain.Network.IsZero():
		return errors.New("voting: Config.Domain.Network is zero, set it to the genesis hash of the cluster")
	case c.Domain.Program.IsZero():
		return errors.New("voting: Config.Domain.Program is zero, set it to the address of the program")
	case c.Sign == nil:
		return errors.New("voting: Config.Sign is missing, set it to the node key")
	}
	return c.Params.Validate()
}
