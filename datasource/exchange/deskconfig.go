package exchange

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// DeskConfig bounds what a judge may ask, and says on which terms.
type DeskConfig struct {
	// Requests, Receipts and Bytes are what one evaluation may ask and take: 1 to 64 questions, 1 to 64 receipts (a case file takes no more in
	// a round), 1 MiB to 64 MiB.
	Requests int `koanf:"requests"`
	Receipts int `koanf:"receipts"`
	Bytes    int `koanf:"bytes"`
	// MaxPrice is what one answer may cost, MaxSpend what one case may, both in lamports.
	MaxPrice uint64 `koanf:"max_price"`
	MaxSpend uint64 `koanf:"max_spend"`
	// Promises are what this node's owner is ready to promise a holder that demands it, at most 16; Require what a holder has to promise.
	// A promise about retention has to be meant: answers stand in case files.
	Promises []string `koanf:"promises"`
	Require  []string `koanf:"require"`

	// Tries is how many holders are asked for one question before it is given up, 2 to 12.
	Tries int `koanf:"tries"`
	// Holder is what a holder has to answer, 1s to 5m, and never more than a third of the time that is left.
	Holder time.Duration `koanf:"holder"`
	// Find is how long holders are looked for, 100ms to 5m.
	Find time.Duration `koanf:"find"`
	// Second is how long another answer is waited for when there is one, 0 to 5m; Own is the same when the answer is that of the own source.
	Second time.Duration `koanf:"second"`
	Own    time.Duration `koanf:"own"`
	// Share is how long other judges of the round have to say what they were answered before holders are asked, 0 to 1m; with 0 they are not
	// asked, and they are told nothing.
	Share time.Duration `koanf:"share"`
	// Reserve is how long before its deadline an evaluation asks no more, 10ms to 1m.
	Reserve time.Duration `koanf:"reserve"`
	// Stale is how much older than another answer one is marked for, 1s to 24h.
	Stale time.Duration `koanf:"stale"`
	// Slack is how much of the chain's clock a holder may see later, or earlier, than this node, 0 to 5m.
	Slack time.Duration `koanf:"slack"`
	// Linger is how long the last words of a conversation may take, 100ms to 1m.
	Linger time.Duration `koanf:"linger"`
}

// DefaultDeskConfig asks for what is free, and promises nothing: answers go into the case file, which keeps them.
func DefaultDeskConfig() DeskConfig {
	return DeskConfig{Requests: 16, Receipts: 64, Bytes: 8 << 20, Tries: 8,
		Holder: 30 * time.Second, Find: 20 * time.Second, Second: 15 * time.Second, Own: 5 * time.Second, Share: 300 * time.Millisecond, Reserve: time.Second,
		Stale: 5 * time.Minute, Slack: 30 * time.Second, Linger: 2 * time.Second}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c DeskConfig) Validate() error {
	if err := bounds.Check("exchange: desk.",
		bounds.Of("requests", c.Requests, 1, 64),
		bounds.Of("receipts", c.Receipts, 1, 64),
		bounds.Of("bytes", c.Bytes, 1<<20, 64<<20),
		bounds.Of("tries", c.Tries, 2, 12),
		bounds.Of("promises, their number,", len(c.Promises), 0, 16),
		bounds.Of("require, their number,", len(c.Require), 0, 16),
		bounds.Of("holder", c.Holder, time.Second, 5*time.Minute),
		bounds.Of("find", c.Find, 100*time.Millisecond, 5*time.Minute),
		bounds.Of("second", c.Second, 0, 5*time.Minute),
		bounds.Of("own", c.Own, 0, 5*time.Minute),
		bounds.Of("share", c.Share, 0, time.Minute),
		bounds.Of("reserve", c.Reserve, 10*time.Millisecond, time.Minute),
		bounds.Of("stale", c.Stale, time.Second, 24*time.Hour),
		bounds.Of("slack", c.Slack, 0, 5*time.Minute),
		bounds.Of("linger", c.Linger, 100*time.Millisecond, time.Minute),
	); err != nil {
		return err
	}
	if c.MaxSpend < c.MaxPrice {
		return fmt.Errorf("exchange: desk.max_spend is %d, less than max_price; set it to at least %d", c.MaxSpend, c.MaxPrice)
	}
	for _, name := range promises(c.Promises, c.Require) {
		if !isPhrase(name.Text) {
			return fmt.Errorf("exchange: desk.promises or desk.require has %.140q; "+
				"a promise has 1 to 128 bytes, without control characters and spaces at its ends", name.Text)
		}
	}
	return nil
}
