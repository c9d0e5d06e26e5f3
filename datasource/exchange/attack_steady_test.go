package exchange_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// TestAttackFirstAnswerPushedOut: one seat asks an honest holder, whose source says something else
// each time, for many large answers. The first answers fell out of the holder's memory. As it must
// not sign a second one, it was silent to all other judges.
func TestAttackFirstAnswerPushedOut(t *testing.T) {
	for _, junk := range []int{0, 25} {
		synctest.Test(t, func(t *testing.T) {
			first, bad, late, holder := newJudge(0), newJudge(1), newJudge(2), newJudge(100)
			w := newWeb(t, first, bad, late)
			defer w.close()
			b := newBook("")
			var n atomic.Int32
			b.answer = func(request []byte) (string, error) {
				text := fmt.Sprint(n.Add(1))
				if strings.Contains(string(request), "junk") {
					text += strings.Repeat("x", 700_000)
				}
				return fmt.Sprintf(`{"id":"7","text":%q}`, text), nil
			}
			said := map[voting.Hash]casefile.Digest{}
			w.holder(holder, b, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) {
				d.Steady = &datasource.Steady{}
				d.Sign = func(r casefile.Receipt) (casefile.Receipt, error) { // node/evidence.sign
					if one, ok := said[r.Question()]; ok && one != r.Response {
						return r, errors.New("evidence: the source says something else")
					}
					said[r.Question()] = r.Response
					return holder.sign(r)
				}
			})
			staked := map[casefile.DID]uint64{holder.peer: 5}
			hear := func(j judge, id string) ([]exchange.Answer, error) {
				s := w.desk(j, nil).openKnowing(t, 7*time.Minute, staked)
				defer s.Close()
				return ask(s, id)
			}
			if _, err := hear(first, "7"); err != nil {
				t.Fatal(err)
			}
			got := 0
			for i := range junk {
				if a, err := hear(bad, fmt.Sprint("junk", i)); err == nil {
					got += len(a)
				}
			}
			a, err := hear(late, "7")
			if got < junk || err != nil || len(a) != 1 {
				t.Errorf("%d of %d large answers to one seat; then an honest judge has %d answers, %v", got, junk, len(a), err)
			}
		})
	}
}
