package exchange

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// RequesterConfig bounds the data that a judge may request, and sets its terms.
type RequesterConfig struct {
	// MaxRequests bounds the requests of one evaluation, 1 to 64.
	MaxRequests int `koanf:"max_requests"`
	// MaxReceipts bounds its receipts, 1 to 64. A case file takes 64 in a round.
	MaxReceipts int `koanf:"max_receipts"`
	// MaxBytes bounds all its answers together, 1 MiB to 64 MiB.
	MaxBytes int `koanf:"max_bytes"`
	// MaxPrice is the highest price of one answer, in lamports.
	MaxPrice uint64 `koanf:"max_price"`
	// MaxSpend is the highest price of all answers of one case, in lamports, at least MaxPrice.
	MaxSpend uint64 `koanf:"max_spend_per_case"`
	// Promises are what this node promises to a holder that demands it, at most 16. Case files keep
	// answers, so do not promise that data is not kept unless you mean it.
	Promises []string `koanf:"promises"`
	// RequiredPromises are the promises that a holder must make, at most 16.
	RequiredPromises []string `koanf:"required_promises"`

	// Answers is how many answers to one question are asked for, 2 to max_holders. If they
	// contradict each other, at least 3 are asked for.
	Answers int `koanf:"answers"`
	// MaxHolders bounds the holders that are asked one question, 2 to 12.
	MaxHolders int `koanf:"max_holders"`
	// HolderTimeout bounds the answer of one holder, 1s to 5m. It is never more than a third of the
	// time left.
	HolderTimeout time.Duration `koanf:"holder_timeout"`
	// SearchTimeout bounds the search for holders, 100ms to 5m.
	SearchTimeout time.Duration `koanf:"search_timeout"`
	// SecondAnswerWait is how long to wait for a second answer after the first, 0 to 5m.
	SecondAnswerWait time.Duration `koanf:"second_answer_wait"`
	// OwnAnswerWait is how long to wait for a second answer if the first came from this node's own
	// source, 0 to 5m.
	OwnAnswerWait time.Duration `koanf:"own_answer_wait"`
	// SharedAnswersWait is how long to wait for the answers of other judges of the round before
	// holders are asked, 0 to 1m. If it is 0, the other judges are not asked and get no answers
	// from this node.
	SharedAnswersWait time.Duration `koanf:"shared_answers_wait"`
	// StopBeforeDeadline is how long before its deadline an evaluation stops asking, 10ms to 1m.
	StopBeforeDeadline time.Duration `koanf:"stop_before_deadline"`
	// StaleAfter is the difference in age from which the older of two answers is marked as stale,
	// 1s to 24h.
	StaleAfter time.Duration `koanf:"stale_after"`
	// ClockTolerance is how much a holder's view of the chain's clock may differ from this node's,
	// 0 to 5m.
	ClockTolerance time.Duration `koanf:"clock_tolerance"`
	// CloseTimeout bounds the last messages of a conversation, 100ms to 1m.
	CloseTimeout time.Duration `koanf:"close_timeout"`
}

// DefaultRequesterConfig requests free data and promises nothing: case files keep answers.
func DefaultRequesterConfig() RequesterConfig {
	return RequesterConfig{
		MaxRequests: 16, MaxReceipts: 64, MaxBytes: 8 << 20, Answers: 2, MaxHolders: 8,
		HolderTimeout: 30 * time.Second, SearchTimeout: 20 * time.Second,
		SecondAnswerWait: 15 * time.Second, OwnAnswerWait: 5 * time.Second, SharedAnswersWait: 300 * time.Millisecond,
		StopBeforeDeadline: time.Second, StaleAfter: 5 * time.Minute, ClockTolerance: 30 * time.Second, CloseTimeout: 2 * time.Second,
	}
}

// Validate names the setting that is wrong, its limits, and the fix.
func (c RequesterConfig) Validate() error {
	if err := bounds.Check("exchange: requester.",
		bounds.Of("max_requests", c.MaxRequests, 1, 64),
		bounds.Of("max_receipts", c.MaxReceipts, 1, 64),
		bounds.Of("max_bytes", c.MaxBytes, 1<<20, 64<<20),
		bounds.Of("max_holders", c.MaxHolders, 2, 12),
		bounds.Of("answers", c.Answers, 2, c.MaxHolders),
		bounds.Of("promises, their number,", len(c.Promises), 0, 16),
		bounds.Of("required_promises, their number,", len(c.RequiredPromises), 0, 16),
		bounds.Of("holder_timeout", c.HolderTimeout, time.Second, 5*time.Minute),
		bounds.Of("search_timeout", c.SearchTimeout, 100*time.Millisecond, 5*time.Minute),
		bounds.Of("second_answer_wait", c.SecondAnswerWait, 0, 5*time.Minute),
		bounds.Of("own_answer_wait", c.OwnAnswerWait, 0, 5*time.Minute),
		bounds.Of("shared_answers_wait", c.SharedAnswersWait, 0, time.Minute),
		bounds.Of("stop_before_deadline", c.StopBeforeDeadline, 10*time.Millisecond, time.Minute),
		bounds.Of("stale_after", c.StaleAfter, time.Second, 24*time.Hour),
		bounds.Of("clock_tolerance", c.ClockTolerance, 0, 5*time.Minute),
		bounds.Of("close_timeout", c.CloseTimeout, 100*time.Millisecond, time.Minute),
		bounds.AtLeast("max_spend_per_case", c.MaxSpend, c.MaxPrice),
	); err != nil {
		return err
	}
	for _, name := range promises(c.Promises, c.RequiredPromises) {
		if !isPhrase(name.Text) {
			return fmt.Errorf("exchange: requester.promises or requester.required_promises has %.140q; "+
				"a promise has 1 to 128 bytes, without control characters and without spaces at its ends", name.Text)
		}
	}
	return nil
}
