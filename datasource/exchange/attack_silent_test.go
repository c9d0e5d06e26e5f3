package exchange_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/test/longtest"
)

// TestAttackSilentStrangers: identities without a stake open streams to the only holder and say
// nothing. 16 of them took all 128 conversations, and no judge with a seat got an answer.
func TestAttackSilentStrangers(t *testing.T) {
	longtest.Only(t)
	for _, strangers := range []int{0, 16, 32} {
		synctest.Test(t, func(t *testing.T) {
			good, holder := newJudge(1), newJudge(100)
			w := newWeb(t, good)
			defer w.close()
			w.holder(holder, newBook(`"x"`), nil)
			over, stop := context.WithTimeout(context.Background(), 7*time.Minute)
			defer stop()
			opened := 0
			for i := range strangers {
				dial := w.dial(newJudge(1000 + i).peer)
				for range 8 {
					opened++
					w.work.Go(func() {
						for over.Err() == nil { // a new silent stream when the old one was ended
							line, err := dial(over, holder.peer)
							if err != nil {
								return
							}
							_, _ = line.Receive(over, 1<<16)
							_ = line.Close()
							time.Sleep(100 * time.Millisecond)
						}
					})
				}
			}
			synctest.Wait()
			time.Sleep(2 * time.Second)
			staked := map[casefile.DID]uint64{holder.peer: 5}
			for _, at := range []time.Duration{0, time.Minute, 2 * time.Minute} {
				time.Sleep(at)
				s := w.desk(good, nil).openKnowing(t, 2*time.Minute, staked)
				a, err := ask(s, "7")
				s.Close()
				if err != nil || len(a) == 0 {
					t.Errorf("%d strangers, %d silent streams, after %s more: %d answers, %v %v", strangers, opened, at, len(a), err, reasons(s))
				}
			}
			stop()
		})
	}
}
