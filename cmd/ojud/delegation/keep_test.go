package delegation

import (
	"testing"

	"ojud/agent/delegation"
)

// TestInWords: a person reads lamports as the SOL that --budget takes, and a program as they are.
func TestInWords(t *testing.T) {
	t.Parallel()
	spent := amountsOf(delegation.Amounts{500_000_000, 7, 1_500_000})
	if got := inWords(spent); got != "0.5 SOL, 7 tokens, 1.50 dollars" || spent["lamports"] != "500000000" {
		t.Errorf("%q of %v", got, spent)
	}
}
