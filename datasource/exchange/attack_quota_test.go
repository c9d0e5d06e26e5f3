package exchange_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
)

// TestAttackQuotaUsedUp: some seats of one person ask the only honest holder as much as they can,
// before the others ask. With 4 of 28 seats and the terms of that time they used up the quota of
// the case: no other judge got the answer, and the check on it was unanswered.
func TestAttackQuotaUsedUp(t *testing.T) {
	for _, greedy := range []int{0, 4, 9} {
		synctest.Test(t, func(t *testing.T) {
			all := make([]judge, 28)
			for i := range all {
				all[i] = newJudge(i)
			}
			w := newWeb(t, all...)
			defer w.close()
			holder := newJudge(100)
			b := newBook(`"x"`)
			b.card.Terms.Quota = datasource.DefaultTerms().Quota
			w.holder(holder, b, nil)
			staked := map[casefile.DID]uint64{holder.peer: 5}
			taken := 0
			for _, j := range all[:greedy] {
				s := w.desk(j, func(c *exchange.RequesterConfig, _ *exchange.RequesterDeps) {
					c.MaxRequests, c.SharedAnswersWait = 64, 0
				}).openKnowing(t, 7*time.Minute, staked)
				for i := range 60 {
					if _, err := ask(s, fmt.Sprint("junk ", j.peer, i)); err == nil {
						taken++
					}
				}
				s.Close()
			}
			if greedy > 0 && taken < 10*greedy {
				t.Errorf("%d greedy seats got %d answers: too few for an attack", greedy, taken)
			}
			r := &room{}
			for i, j := range all[greedy:] {
				s := w.member(r, j, nil).openKnowing(t, 7*time.Minute, staked)
				if got, err := ask(s, "7"); err != nil || len(got) == 0 {
					t.Errorf("%d greedy seats took %d: judge %d has no answer: %v %v", greedy, taken, i, err, reasons(s))
				}
				s.Close()
			}
		})
	}
}
