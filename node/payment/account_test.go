package payment

import (
	"errors"
	"math"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/program"
)

// TestPromise: the next voucher continues from the drawn and the still drawable amount, but not
// from an expired one.
func TestPromise(t *testing.T) {
	const now, margin, expires = 1_000, 10, 2_000
	for name, c := range map[string]struct {
		old        promise
		more, paid uint64
		want       promise
		refused    bool
	}{
		"the first":                        {promise{}, 5, 0, promise{5, expires}, false},
		"the first after a loss of memory": {promise{}, 5, 70, promise{75, expires}, false},
		"on a living one":                  {promise{100, 1_500}, 5, 40, promise{105, expires}, false},
		"on one that is drawn":             {promise{100, 1_500}, 5, 100, promise{105, expires}, false},
		"on more than was promised":        {promise{100, 1_500}, 5, 120, promise{125, expires}, false},
		"on a dead one":                    {promise{100, 990}, 5, 40, promise{45, expires}, false},
		"on one that may just be drawn":    {promise{100, 991}, 5, 40, promise{105, expires}, false},
		"not to expire before a lower one": {promise{100, 5_000}, 5, 40, promise{105, 5_000}, false},
		"after a dead one that was longer": {promise{100, 990}, 0, 0, promise{0, expires}, false},
		"too much":                         {promise{100, 1_500}, math.MaxUint64 - 99, 40, promise{}, true},
		"all there is":                     {promise{100, 1_500}, math.MaxUint64 - 100, 40, promise{math.MaxUint64, expires}, false},
	} {
		got, ok := c.old.raise(c.more, c.paid, now, margin, expires)
		if ok == c.refused || ok && got != c.want {
			t.Errorf("%s: %+v %v", name, got, ok)
		}
	}
	if _, ok := (promise{}).raise(1, 0, now, margin, maxExpires+1); ok {
		t.Error("an expiry that JSON rounds")
	}
}

// TestLapse: lamports that were not drawn are due again, once.
func TestLapse(t *testing.T) {
	for name, c := range map[string]struct {
		bill bill
		paid uint64
		due  casefile.Amount
	}{
		"nothing drawn":       {bill{Price: 50, Promised: 50, Cumulative: 150}, 0, 50},
		"up to it":            {bill{Price: 50, Promised: 50, Cumulative: 150}, 100, 50},
		"into it":             {bill{Price: 50, Promised: 50, Cumulative: 150}, 120, 30},
		"all of it":           {bill{Price: 50, Promised: 50, Cumulative: 150}, 150, 0},
		"more":                {bill{Price: 50, Promised: 50, Cumulative: 150}, 900, 0},
		"the rest, once more": {bill{Price: 50, Promised: 20, Cumulative: 150}, 0, 20},
		"never promised":      {bill{Price: 50, Due: 50}, 7, 50},
	} {
		b := c.bill
		b.lapse(c.paid)
		if b.Due != c.due || b.Due > b.Price {
			t.Errorf("%s: %+v", name, b)
		}
		again := b
		if again.lapse(c.paid); again != b {
			t.Errorf("%s: it lapses twice: %+v", name, again)
		}
	}
}

func voucherOf(cumulative uint64, expires int64) Signed {
	return Signed{Voucher: program.Voucher{Cumulative: cumulative, Expires: expires}}
}

// TestTake: a voucher is accepted if it has lamports that no other answer claims.
func TestTake(t *testing.T) {
	const now, least, long = 1_000, 100, 5_000
	has := func(counted, cumulative, paid casefile.Amount) account {
		return account{Counted: counted, Cumulative: cumulative, Expires: long, Paid: paid}
	}
	for name, c := range map[string]struct {
		a            account
		v            Signed
		price, vault uint64
		want         error
	}{
		"the first":                         {account{}, voucherOf(50, long), 50, 50, nil},
		"the first, too low":                {account{}, voucherOf(49, long), 50, 50, exchange.ErrVoucherLow},
		"the first on a channel that paid":  {newAccount(70), voucherOf(120, long), 50, 50, nil},
		"as if it had not paid":             {newAccount(70), voucherOf(119, long), 50, 50, exchange.ErrVoucherLow},
		"spent":                             {newAccount(70), voucherOf(70, long), 50, 50, exchange.ErrVoucherLow},
		"raised":                            {has(100, 100, 0), voucherOf(150, long), 50, 150, nil},
		"the old one again":                 {has(100, 100, 0), voucherOf(100, long), 50, 150, exchange.ErrVoucherLow},
		"a lower one":                       {has(100, 100, 0), voucherOf(90, long), 50, 150, exchange.ErrVoucherLow},
		"raised, but not for all":           {has(100, 100, 0), voucherOf(149, long), 50, 150, exchange.ErrVoucherLow},
		"a lower one, but there is room":    {has(100, 150, 0), voucherOf(90, 1), 50, 150, nil},
		"drawn already, for another":        {has(100, 0, 150), voucherOf(90, 1), 50, 0, nil},
		"an empty vault":                    {account{}, voucherOf(50, long), 50, 49, exchange.ErrVault},
		"a vault for the last one only":     {has(100, 100, 0), voucherOf(150, long), 50, 149, exchange.ErrVault},
		"a vault for what is not drawn":     {has(100, 100, 60), voucherOf(150, long), 50, 90, nil},
		"soon over":                         {account{}, voucherOf(50, now+least-1), 50, 50, exchange.ErrVoucherTime},
		"long enough":                       {account{}, voucherOf(50, now+least), 50, 50, nil},
		"over":                              {account{}, voucherOf(50, 0), 50, 50, exchange.ErrVoucherTime},
		"over before an earlier one":        {has(100, 100, 0), voucherOf(150, long-1), 50, 150, exchange.ErrVoucherTime},
		"all there can be":                  {account{}, voucherOf(math.MaxUint64, long), math.MaxUint64, math.MaxUint64, nil},
		"beyond all there can be":           {has(10, math.MaxUint64, 0), voucherOf(math.MaxUint64, long), math.MaxUint64, math.MaxUint64, exchange.ErrVoucherLow},
		"the same for longer, and its room": {has(50, 100, 0), voucherOf(100, long+1), 50, 100, nil},
	} {
		a := c.a
		err := a.take(c.v, c.price, c.vault, now, least)
		if !errors.Is(err, c.want) || err != nil && a != c.a {
			t.Errorf("%s: %v %+v", name, err, a)
		}
		if err == nil && (a.Answers != 1 || uint64(a.Earned) != c.price || a.Counted > a.backing() || uint64(a.Counted) != uint64(c.a.Counted)+c.price) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestLearn: a pulled or expired voucher is dropped, and lamports that were earned but will not
// come are lost.
func TestLearn(t *testing.T) {
	a := account{Counted: 100, Cumulative: 120, Expires: 50, Signature: casefile.Signature{1}, Paid: 10, Answers: 3}
	for name, c := range map[string]struct {
		paid         uint64
		now          int64
		pulled, lost uint64
		cumulative   casefile.Amount
		counted      casefile.Amount
	}{
		"nothing new":            {10, 49, 0, 0, 120, 100},
		"an old answer":          {5, 49, 0, 0, 120, 100},
		"part":                   {60, 49, 50, 0, 120, 100},
		"all":                    {120, 49, 110, 0, 0, 100},
		"more, by another":       {130, 49, 120, 0, 0, 100},
		"expired":                {10, 50, 0, 90, 0, 10},
		"expired after part":     {60, 50, 50, 40, 0, 60},
		"expired after all":      {120, 50, 110, 0, 0, 100},
		"expired after counted ": {105, 50, 95, 0, 0, 100},
	} {
		b := a
		pulled, lost := b.learn(c.paid, c.now)
		if pulled != c.pulled || lost != c.lost || b.Cumulative != c.cumulative || b.Counted != c.counted || uint64(b.Lost) != lost || uint64(b.Pulled) != pulled {
			t.Errorf("%s: %d %d %+v", name, pulled, lost, b)
		}
		if b.Cumulative == 0 && (b.Expires != 0 || b.Signature != casefile.Signature{}) {
			t.Errorf("%s: not trimmed: %+v", name, b)
		}
	}
}

// TestPulls: a pull comes at once if it is worth it, late if it brings anything, and never at a
// loss.
func TestPulls(t *testing.T) {
	cfg := DefaultConfig()
	cfg.PullFee, cfg.MinPullFees, cfg.PullBeforeExpiry, cfg.MinVoucherTime = 10_000, 10, time.Hour, 2*time.Hour
	const expires, early, late = 100_000, 100_000 - 3_601, 100_000 - 3_600
	for name, c := range map[string]struct {
		cumulative, paid casefile.Amount
		c                chance
		most             uint64
	}{
		"ten fees":                        {100_000, 0, chance{1 << 40, 0, early}, 99_999},
		"less":                            {99_999, 0, chance{1 << 40, 0, early}, 0},
		"less, late":                      {99_999, 0, chance{1 << 40, 0, late}, 99_998},
		"a fee and a lamport, late":       {10_001, 0, chance{1 << 40, 0, late}, 10_000},
		"a fee, late":                     {10_000, 0, chance{1 << 40, 0, late}, 0},
		"too late":                        {1 << 30, 0, chance{1 << 40, 0, expires}, 0},
		"drawn":                           {100_000, 100_000, chance{1 << 40, 0, late}, 0},
		"part of it is drawn":             {300_000, 200_000, chance{1 << 40, 0, early}, 99_999},
		"ten fees beyond the rent":        {1_100_000, 0, chance{1 << 40, 1_000_000, early}, 99_999},
		"less, with the rent":             {1_099_999, 0, chance{1 << 40, 1_000_000, early}, 0},
		"rent, fee and a lamport, late":   {1_010_001, 0, chance{1 << 40, 1_000_000, late}, 10_000},
		"the rent and a fee, late":        {1_010_000, 0, chance{1 << 40, 1_000_000, late}, 0},
		"a vault with less":               {1 << 30, 0, chance{99_999, 0, early}, 0},
		"a vault with less, late":         {1 << 30, 0, chance{99_999, 0, late}, 99_998},
		"an empty vault":                  {1 << 30, 0, chance{0, 0, late}, 0},
		"nothing accepted":                {0, 0, chance{1 << 40, 0, late}, 0},
		"nothing accepted, something won": {0, 5, chance{1 << 40, 0, late}, 0},
	} {
		a := account{Cumulative: c.cumulative, Expires: expires, Paid: c.paid}
		if most := a.pulls(c.c, cfg); most != c.most {
			t.Errorf("%s: %d", name, most)
		}
	}
}

// TestAgain: a payer is checked when it is late, and then seldom, until the voucher expires.
func TestAgain(t *testing.T) {
	cfg := DefaultConfig()
	a := account{Cumulative: 1, Expires: 1_000_000}
	now, looks := int64(0), 0
	for ; now < a.Expires; looks++ {
		next := a.again(now, cfg)
		if next <= now || next > a.Expires {
			t.Fatalf("after %d comes %d", now, next)
		}
		now = next
	}
	if looks != 7 {
		t.Errorf("%d looks", looks)
	}
	if (&account{}).again(5, cfg) != 0 {
		t.Error("looks for nothing")
	}
}

// TestConfig: the default is valid, and each field has its limits.
func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	for field, change := range map[string]func(*Config){
		"term": func(c *Config) { c.VoucherTime = time.Minute }, "margin": func(c *Config) { c.ExpiryMargin = 0 }, "least": func(c *Config) { c.MinVoucherTime = time.Minute },
		"late": func(c *Config) { c.PullBeforeExpiry = c.MinVoucherTime }, "fee": func(c *Config) { c.PullFee = 4_999 }, "worth": func(c *Config) { c.MinPullFees = 0 },
		"remember": func(c *Config) { c.KeepBills, c.VoucherTime = 168*time.Hour, 168*time.Hour }, "timeout": func(c *Config) { c.ChainTimeout = 0 },
	} {
		c := DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil {
			t.Errorf("%s: accepted", field)
		}
		if _, err := NewPurse(c, PurseDeps{}); err == nil {
			t.Errorf("%s: a purse", field)
		}
		if _, err := NewTill(c, TillDeps{}); err == nil {
			t.Errorf("%s: a till", field)
		}
	}
}
