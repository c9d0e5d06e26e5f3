package crank

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// Config is what an operator can set about cranks. Times are the chain's, except Interval and
// ListInterval.
type Config struct {
	// Budget is how many lamports of fees this node spends on cranks in a day, 0 to 1 SOL. 0: it
	// cranks nothing. Nobody pays a fee back, so the default is what the court is worth to a judge.
	Budget uint64 `koanf:"budget"`
	// MaxFee is the most that one crank may cost, 5000 to 1000000 lamports. The budget counts this
	// for each crank.
	MaxFee uint64 `koanf:"max_fee"`
	// Delay is how long after its time a crank is left to the parties, 0s to 24h.
	Delay time.Duration `koanf:"delay"`
	// Step is the time between the turns of two nodes, 1s to 1h.
	Step time.Duration `koanf:"step"`
	// Keep is how long a finished task or case stays on the chain for its readers, 0s to 720h.
	Keep time.Duration `koanf:"keep"`
	// Interval is the time between two looks at accounts that are due, 100ms to 1h.
	Interval time.Duration `koanf:"interval"`
	// ListInterval is the time between two lists of the accounts that the node has not heard of, 1m
	// to 168h. 0: the node lists none, and knows only what it heard since it started.
	ListInterval time.Duration `koanf:"list_interval"`
}

// DefaultConfig suits a judge on the main network: at most twenty cranks a day.
func DefaultConfig() Config {
	return Config{
		Budget: 200_000, MaxFee: 10_000, Delay: 10 * time.Minute, Step: 30 * time.Second, Keep: 24 * time.Hour, Interval: 15 * time.Second,
		ListInterval: 6 * time.Hour,
	}
}

// Validate names the setting that is wrong, its limits, and the fix.
func (c Config) Validate() error {
	if err := bounds.Check("crank: ",
		bounds.Of("budget", c.Budget, 0, 1_000_000_000),
		bounds.Of("max_fee", c.MaxFee, 5_000, 1_000_000),
		bounds.Of("delay", c.Delay, 0, 24*time.Hour),
		bounds.Of("step", c.Step, time.Second, time.Hour),
		bounds.Of("keep", c.Keep, 0, 720*time.Hour),
		bounds.Of("interval", c.Interval, 100*time.Millisecond, time.Hour),
		bounds.Of("list_interval", c.ListInterval, 0, 168*time.Hour),
	); err != nil {
		return err
	}
	switch {
	case c.Budget != 0 && c.Budget < c.MaxFee:
		return fmt.Errorf("crank: budget is %d; set it to 0, or to at least max_fee (%d)", c.Budget, c.MaxFee)
	case c.ListInterval != 0 && c.ListInterval < time.Minute:
		return fmt.Errorf("crank: list_interval is %s; set it to 0, or to at least 1m", c.ListInterval)
	}
	return nil
}
