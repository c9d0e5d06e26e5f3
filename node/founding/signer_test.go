package founding

import (
	"testing"

	"ojud/ledger"
	"ojud/ledger/onchain"
)

// TestAttackDeadAuthority: an address that looks like a key, and that nobody has a key of, was
// taken as who may replace the program: some of them are points of the curve by chance.
func TestAttackDeadAuthority(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Stake11111111111111111111111111111111111111": true, "Vote111111111111111111111111111111111111111": true, "ComputeBudget111111111111111111111111111111": true,
		"Config1111111111111111111111111111111111111": true, "11111111111111111111111111111112": true, "SysvarC1ock11111111111111111111111111111111": true,
		"AddressLookupTab1e1111111111111111111111111": true, "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb": true,
		"9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin": false, "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2": false,
	} {
		a, err := onchain.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := ofCluster(a); got != want {
			t.Errorf("%s: %t", text, got)
		}
		if _, err := canSign(a, nil); (err != nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	parse := func(text string) onchain.Address {
		a, err := onchain.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	key := parse("9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin")
	for name, c := range map[string]struct {
		owner         string
		executable    bool
		refused, warn bool
	}{
		"a wallet":          {"11111111111111111111111111111111", false, false, false},
		"a mint":            {"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", false, true, false},
		"a mint of Token22": {"TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", false, true, false},
		"a stake":           {"Stake11111111111111111111111111111111111111", false, true, false},
		"a program's code":  {"BPFLoaderUpgradeab1e11111111111111111111111", false, true, false},
		"a program":         {"BPFLoader2111111111111111111111111111111111", true, true, false},
		"another program's": {"7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2", false, false, true},
	} {
		warning, err := canSign(key, &ledger.Account{Owner: parse(c.owner), Executable: c.executable})
		if (err != nil) != c.refused || (warning != "") != c.warn {
			t.Errorf("%s: %q, %v", name, warning, err)
		}
	}
}
