package svm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// TestPriorityFee compares with Agave's formula in big integers.
func TestPriorityFee(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	million := big.NewInt(1_000_000)
	for range 20_000 {
		price, units := rng.Uint64()>>rng.IntN(64), rng.Uint64N(maxUnits+1)
		want := new(big.Int).Mul(new(big.Int).SetUint64(price), new(big.Int).SetUint64(units))
		want.Div(want.Add(want, big.NewInt(999_999)), million)
		if !want.IsUint64() {
			want.SetUint64(math.MaxUint64)
		}
		if got := priorityFee(price, units); got != want.Uint64() {
			t.Fatalf("priorityFee(%d, %d) = %d, want %d", price, units, got, want)
		}
	}
	if got := priorityFee(math.MaxUint64, math.MaxUint64); got != math.MaxUint64 {
		t.Fatal(got)
	}
}

// TestRentRules has a table of both rules for accounts of 0 bytes, whose minimum is 890,880.
func TestRentRules(t *testing.T) {
	const minimum = 890_880
	rent := accounts.DefaultEnvironment().Rent
	if got := rent.MinimumBalance(0); got != minimum {
		t.Fatal(got)
	}
	if got := (accounts.Rent{LamportsPerByte: 3480, ExemptionThreshold: 2}).MinimumBalance(0); got != minimum {
		t.Fatal(got)
	}
	old, relaxed := rentRule{rent, false}, rentRule{rent, true}
	for _, c := range []struct {
		before, after uint64
		grow          int
		owner         byte
		old, relaxed  bool
	}{
		{0, 0, 0, 0, true, true},
		{0, 1, 0, 0, false, false},
		{0, minimum, 0, 0, true, true},
		{minimum, minimum - 1, 0, 0, false, false},
		{minimum, 0, 0, 0, true, true},
		{500, 500, 0, 0, true, true},
		{500, 499, 0, 0, true, false},
		{500, 501, 0, 0, false, true},
		{500, 500, 1, 0, false, false},
		{500, 500, 0, 1, true, false},
		{500, minimum, 0, 1, true, true},
		{500, minimum, 1, 0, false, false},
	} {
		before, after := accounts.Account{Lamports: c.before}, accounts.Account{Lamports: c.after, Data: make([]byte, c.grow), Owner: solana.PublicKey{c.owner}}
		if got := old.allows(old.state(before), after); got != c.old {
			t.Errorf("%+v: old rule says %v", c, got)
		}
		if got := relaxed.allows(relaxed.state(before), after); got != c.relaxed {
			t.Errorf("%+v: relaxed rule says %v", c, got)
		}
	}
}

// TestUTF8 compares with the text of Rust's Utf8Error.
func TestUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"a\xffb":           "invalid utf-8 sequence of 1 bytes from index 1",
		"a\xc3":            "incomplete utf-8 byte sequence from index 1",
		"\xe2\x82":         "incomplete utf-8 byte sequence from index 0",
		"\xe2\x28\xa1":     "invalid utf-8 sequence of 1 bytes from index 0",
		"\xf0\x9f\x98\x28": "invalid utf-8 sequence of 3 bytes from index 0",
		"é\xed\xa0\x80":    "invalid utf-8 sequence of 1 bytes from index 2",
	} {
		if got := utf8Complaint([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestLogLimit: the line that would reach the limit is replaced once. Shorter ones after it still
// fit.
func TestLogLimit(t *testing.T) {
	l := &logCollector{limit: 10}
	for _, line := range []string{"12345", "12345", "123456", "1234"} {
		l.add(line)
	}
	want := []string{"12345", "Log truncated", "1234"}
	if len(l.lines) != len(want) {
		t.Fatal(l.lines)
	}
	for i := range want {
		if l.lines[i] != want[i] {
			t.Fatal(l.lines)
		}
	}
}
