package exchange_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

// TestAttackStrangersCrowdOutTheHolder: strangers claim to have the source, are known first, and
// answer at once. The one holder with a stake is known last and slow. Before, two strangers were
// enough for an answer, and the holder was never asked.
func TestAttackStrangersCrowdOutTheHolder(t *testing.T) {
	for name, c := range map[string]struct {
		strangers, silent int
		shared            bool // another judge shares the answers of strangers, too
	}{"two": {2, 0, false}, "forty": {40, 0, false}, "seventy": {70, 0, false}, "forty that never answer": {0, 40, false}, "shared ones": {8, 0, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second, honest := newJudge(0), newJudge(1), newJudge(2)
				w := newWeb(t, first, second)
				defer w.close()
				for i := range c.strangers {
					w.holder(newJudge(10+i), newBook(`"lie"`), nil)
				}
				for i := range c.silent {
					j := newJudge(200 + i)
					raw, err := newCard().Encode()
					if err != nil {
						t.Fatal(err)
					}
					w.says(j.peer, raw)
					w.serve(j.peer, func(ctx context.Context, _ casefile.DID, _ exchange.Stream) { <-ctx.Done() })
				}
				staked := map[casefile.DID]uint64{honest.peer: 7, first.peer: 1, second.peer: 1}
				r := &room{}
				if c.shared {
					a := w.member(r, second, nil).openKnowing(t, time.Minute, staked)
					if got, err := ask(a, "7"); err != nil || len(got) == 0 {
						t.Fatal(got, err)
					}
					a.Close()
				}
				slow := newBook(`"truth"`)
				slow.delay = 5 * time.Second
				w.holder(honest, slow, nil)
				s := w.member(r, first, nil).openKnowing(t, 2*time.Minute, staked)
				got, err := ask(s, "7")
				s.Close()
				found := 0
				for _, a := range got {
					want := casefile.Stranger
					if a.Holder == honest.peer {
						found++
						want = casefile.StakedHolder
					}
					if a.Standing != want || (a.Weight == 7) != (want == casefile.StakedHolder) {
						t.Errorf("%s %d", a.Standing, a.Weight)
					}
				}
				if err != nil || found != 1 || len(got) > 8 {
					t.Errorf("%d of %d answers are of the holder with a stake, %v", found, len(got), err)
				}
				body := s.Record()[0]
				if len(body.Standings) != len(body.Receipts) {
					t.Errorf("%d standings for %d receipts", len(body.Standings), len(body.Receipts))
				}
			})
		})
	}
}
