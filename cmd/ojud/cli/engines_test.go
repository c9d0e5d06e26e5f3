package cli

import (
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/node/client"
)

// TestTrust: an entry of the list of engines names the engine, and perhaps the terms that it is
// held to. What is not understood is refused, because it could be a bound that would not hold.
func TestTrust(t *testing.T) {
	t.Parallel()
	one, two := onchain.Address{1}, onchain.Address{2}
	by, fee := client.Decider{Program: one, Group: two}, client.Lamports(10_000_000)
	for text, want := range map[string]client.Trust{
		one.String(): {Decider: client.Decider{Program: one}},
		by.String():  {Decider: by},
		by.String() + ":agent=" + two.String() + ":fee=0.01sol:time=1d": {Decider: by, Agent: two, Fee: &fee, Seconds: 86_400},
	} {
		got, err := trust(text)
		if (got.Fee == nil) != (want.Fee == nil) || got.Fee != nil && *got.Fee != *want.Fee {
			t.Errorf("%s: fee %v", text, got.Fee)
		}
		if got.Fee = want.Fee; err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", ":fee=1sol", by.String() + ":", by.String() + ":fee", by.String() + ":fee=1", by.String() + ":time=0s", by.String() + ":agent=11111111111111111111111111111111", by.String() + ":time=soon",
		by.String() + ":agent=x", by.String() + ":fees=1sol", by.String() + ":silence=any",
	} {
		if got, err := trust(text); err == nil || !strings.Contains(err.Error(), "engine") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
