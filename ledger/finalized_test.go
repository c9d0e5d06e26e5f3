package ledger

import (
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/onchain"
)

// TestFinalizedClient: the client shows final state and nothing younger, and shares the chain and
// the clock with the client it came from.
func TestFinalizedClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevChain(t, nil, nil)
		d.init()
		final, payee := d.client.Finalized(), keypair(9)
		if err := final.CheckChain(t.Context(), onchain.Hash(d.server.Bank().GenesisHash())); err != nil {
			t.Fatal(err)
		}
		d.fund(payee)
		now, slot, err := d.client.Balance(t.Context(), payee.Address())
		if err != nil || now != 100*sol {
			t.Fatalf("confirmed: %d lamports, %v", now, err)
		}
		young, older, err := final.Balance(t.Context(), payee.Address())
		if err != nil || young != 0 || older >= slot {
			t.Errorf("not final yet, but %d lamports in slot %d, confirmed is %d; %v", young, older, slot, err)
		}
		time.Sleep(2 * time.Second)
		if got, _, err := final.Balance(t.Context(), payee.Address()); err != nil || got != now {
			t.Errorf("final: %d lamports, %v", got, err)
		}
		before, _ := d.client.Clock().Last()
		if _, err := final.Now(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after, _ := d.client.Clock().Last(); after.Unix < before.Unix || after.Slot < before.Slot {
			t.Errorf("a final block set the clock back from %+v to %+v", before, after)
		}
		final.Close()
		if _, _, err := d.client.Config(t.Context()); err != nil {
			t.Errorf("closing it harmed the client: %v", err)
		}
	})
}
