package payment

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// Config is what an operator can set about payments. The price limits for answers and cases are in
// exchange.RequesterConfig, and the terms of the sources have the prices. All times are the
// chain's.
type Config struct {
	// VoucherTime is how long a voucher of this node is valid, 1h to 720h. Its payee may put the
	// pull off that long.
	VoucherTime time.Duration `koanf:"voucher_time"`
	// ExpiryMargin is how long after its expiry a voucher of this node still counts as pulled, 1s
	// to 1h, because clocks differ and a pull is seen late.
	ExpiryMargin time.Duration `koanf:"expiry_margin"`
	// MinVoucherTime is how long a voucher of others must still be valid to be accepted, 10m to
	// 720h.
	MinVoucherTime time.Duration `koanf:"min_voucher_time"`
	// PullBeforeExpiry is how long before its expiry a voucher is pulled if it is worth any fee, 1m
	// to 720h. It is less than MinVoucherTime.
	PullBeforeExpiry time.Duration `koanf:"pull_before_expiry"`
	// PullFee is the assumed cost of a pull, 5000 lamports to 1 SOL.
	PullFee uint64 `koanf:"pull_fee"`
	// MinPullFees is how many such fees an early pull must bring, beyond the rent of the first, 1
	// to 10000.
	MinPullFees uint64 `koanf:"min_pull_fees"`
	// KeepBills is how long bills are kept, 168h to 8760h. It is longer than any case, so that no
	// bill is promised twice and the cost of each case stays known.
	KeepBills time.Duration `koanf:"keep_bills"`
	// ChainTimeout bounds the reads of the chain for one payment, 1s to 1m.
	ChainTimeout time.Duration `koanf:"chain_timeout"`
}

// DefaultConfig suits prices far below a fee: 28 answers cost one transaction in three days.
func DefaultConfig() Config {
	return Config{VoucherTime: 72 * time.Hour, ExpiryMargin: 5 * time.Minute, MinVoucherTime: 12 * time.Hour, PullBeforeExpiry: 6 * time.Hour,
		PullFee: 15_000, MinPullFees: 10, KeepBills: 720 * time.Hour, ChainTimeout: 10 * time.Second}
}

// Validate names the setting that is wrong, its limits, and the fix.
func (c Config) Validate() error {
	if err := bounds.Check("payment: ",
		bounds.Of("voucher_time", c.VoucherTime, time.Hour, 720*time.Hour),
		bounds.Of("expiry_margin", c.ExpiryMargin, time.Second, time.Hour),
		bounds.Of("min_voucher_time", c.MinVoucherTime, 10*time.Minute, 720*time.Hour),
		bounds.Of("pull_before_expiry", c.PullBeforeExpiry, time.Minute, 720*time.Hour),
		bounds.Of("pull_fee", c.PullFee, 5_000, 1_000_000_000),
		bounds.Of("min_pull_fees", c.MinPullFees, 1, 10_000),
		bounds.Of("keep_bills", c.KeepBills, 168*time.Hour, 8760*time.Hour),
		bounds.Of("chain_timeout", c.ChainTimeout, time.Second, time.Minute),
	); err != nil {
		return err
	}
	switch {
	case c.PullBeforeExpiry >= c.MinVoucherTime:
		return fmt.Errorf("payment: pull_before_expiry is %s; set it below min_voucher_time (%s)", c.PullBeforeExpiry, c.MinVoucherTime)
	case c.KeepBills < c.VoucherTime+c.ExpiryMargin:
		return fmt.Errorf("payment: keep_bills is %s; set it to at least voucher_time and expiry_margin together (%s)",
			c.KeepBills, c.VoucherTime+c.ExpiryMargin)
	}
	return nil
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
