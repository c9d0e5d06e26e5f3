package payment

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// Config is everything an operator can set about payments. What an answer and a case may cost is set where answers are asked for
// (exchange.DeskConfig), prices in the terms of the sources. All times are the chain's.
type Config struct {
	// Term is how long a voucher of this node's is good, 1h to 720h: so long its payee may put the pull off.
	Term time.Duration `koanf:"term"`
	// Margin is how long after its expiry a voucher of this node's still counts as one that may have been pulled, 1s to 1h: clocks differ,
	// and a pull is seen late.
	Margin time.Duration `koanf:"margin"`
	// Least is how long a voucher of others has to be good to be accepted, 10m to 720h.
	Least time.Duration `koanf:"least"`
	// Late is how long before it expires a voucher is pulled that is worth any fee at all, 1m to 720h, and less than Least.
	Late time.Duration `koanf:"late"`
	// Fee is what a pull is reckoned to cost, in lamports, 5000 to 1 SOL; Worth is how many such fees a pull has to bring, beyond the rent of
	// the first, to be done before it is late, 1 to 10000.
	Fee   uint64 `koanf:"fee"`
	Worth uint64 `koanf:"worth"`
	// Remember is how long bills are kept, 168h to 8760h: longer than any case, so that no bill is promised twice and no case forgets
	// what it has cost.
	Remember time.Duration `koanf:"remember"`
	// Timeout bounds reading the chain for one payment, 1s to 1m.
	Timeout time.Duration `koanf:"timeout"`
}

// DefaultConfig suits prices far below a fee: 28 answers cost one transaction in three days.
func DefaultConfig() Config {
	return Config{Term: 72 * time.Hour, Margin: 5 * time.Minute, Least: 12 * time.Hour, Late: 6 * time.Hour, Fee: 15_000, Worth: 10,
		Remember: 720 * time.Hour, Timeout: 10 * time.Second}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	if err := bounds.Check("payment: ",
		bounds.Of("term", c.Term, time.Hour, 720*time.Hour),
		bounds.Of("margin", c.Margin, time.Second, time.Hour),
		bounds.Of("least", c.Least, 10*time.Minute, 720*time.Hour),
		bounds.Of("late", c.Late, time.Minute, 720*time.Hour),
		bounds.Of("fee", c.Fee, 5_000, 1_000_000_000),
		bounds.Of("worth", c.Worth, 1, 10_000),
		bounds.Of("remember", c.Remember, 168*time.Hour, 8760*time.Hour),
		bounds.Of("timeout", c.Timeout, time.Second, time.Minute),
	); err != nil {
		return err
	}
	switch {
	case c.Late >= c.Least:
		return fmt.Errorf("payment: late is %s, not less than least (%s); set it lower", c.Late, c.Least)
	case c.Remember < c.Term+c.Margin:
		return fmt.Errorf("payment: remember is %s, less than term and margin (%s); set it higher", c.Remember, c.Term+c.Margin)
	}
	return nil
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
