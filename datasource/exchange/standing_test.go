package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
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

// fickle is a book that says something else each time.
func fickle() *book {
	b := newBook(`"x"`)
	var n atomic.Int32
	b.answer = func([]byte) (string, error) { return fmt.Sprintf(`{"id":"7","text":"%d"}`, n.Add(1)), nil }
	return b
}

// TestAttackHolderTellsEachJudgeAnother: holders with a stake tell each judge something else. A
// judge compares its answers with those that others share, and keeps both receipts: the judge
// behind it counts such a holder for nothing.
func TestAttackHolderTellsEachJudgeAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, liars := newJudge(0), newJudge(1), []judge{newJudge(2), newJudge(3)}
		w := newWeb(t, first, second)
		defer w.close()
		staked := map[casefile.DID]uint64{first.peer: 1, second.peer: 1}
		for _, j := range liars {
			staked[j.peer] = 5
			w.holder(j, fickle(), nil)
		}
		r := &room{}
		for _, j := range []judge{first, second} {
			s := w.member(r, j, nil).openKnowing(t, time.Minute, staked)
			got, err := ask(s, "7")
			s.Close()
			if err != nil {
				t.Fatal(err)
			}
			twice := 0
			for i, a := range got {
				for _, b := range got[:i] {
					if a.Receipt.Contradicts(b.Receipt) {
						twice++
						if !a.Disputed || !b.Disputed || a.Standing != casefile.StakedHolder || string(a.Content) == string(b.Content) {
							t.Errorf("%+v and %+v", a, b)
						}
					}
				}
			}
			if (twice > 0) != (j.peer == second.peer) {
				t.Errorf("%d contradictions in %d answers", twice, len(got))
			}
			if n := len(s.Receipts()); n != len(got) {
				t.Errorf("%d receipts of %d answers", n, len(got))
			}
		}
	})
}

// TestSteady: an honest holder whose source changes repeats its first answer in a case, also to
// itself, and gives the new one in another case. Otherwise it would be evidence against itself.
func TestSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, holder := newJudge(0), newJudge(1), newJudge(2)
		w := newWeb(t, first, second, holder)
		defer w.close()
		steady, b := &datasource.Steady{}, fickle()
		w.holder(holder, b, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) { d.Steady = steady })
		said := map[string]int{}
		hear := func(d desk) {
			s := d.open(t, time.Minute)
			got, err := ask(s, "7")
			s.Close()
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			said[string(got[0].Content)]++
		}
		hear(w.desk(first, nil))
		time.Sleep(10 * time.Second)
		hear(w.desk(second, nil))
		w.cards = nil
		hear(w.desk(holder, func(_ *exchange.RequesterConfig, d *exchange.RequesterDeps) { d.Book, d.Steady = b, steady }))
		if len(said) != 1 || b.calls.Load() != 1 {
			t.Errorf("%v after %d calls", said, b.calls.Load())
		}
	})
}

// TestAttackAnswerToNonsense: a worker puts words that name nothing into a question, and has a
// small judge of its own that answers it. Those who do not know it weigh against those who answer.
func TestAttackAnswerToNonsense(t *testing.T) {
	for name, c := range map[string]struct {
		refuses, answers uint64 // the weights of two holders; 0: a stranger
		own              bool   // the judge has the source, and knows nothing of it
		want             error
	}{
		"the heavier one refuses":    {refuses: 7, answers: 1, want: exchange.ErrBadRequest},
		"the heavier one answers":    {refuses: 1, answers: 7},
		"a stranger refuses":         {answers: 1},
		"a stranger answers":         {refuses: 1, want: exchange.ErrBadRequest},
		"only strangers":             {},
		"the own source, and others": {answers: 1, own: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, honest, liar := newJudge(0), newJudge(1), newJudge(2)
				w := newWeb(t, first)
				defer w.close()
				unknown := newBook(`"x"`)
				unknown.answer = func([]byte) (string, error) { return "", datasource.ErrRequest }
				staked := map[casefile.DID]uint64{}
				if c.refuses > 0 {
					staked[honest.peer] = c.refuses
				}
				if c.answers > 0 {
					staked[liar.peer] = c.answers
				}
				w.holder(honest, unknown, nil)
				w.holder(liar, newBook(`"x"`), nil)
				desk := w.desk(first, func(_ *exchange.RequesterConfig, d *exchange.RequesterDeps) {
					if c.own {
						d.Book = unknown
					}
				})
				s := desk.openKnowing(t, time.Minute, staked)
				got, err := ask(s, "7")
				s.Close()
				if !errors.Is(err, c.want) || c.want == nil && len(got) != 1 {
					t.Errorf("%v, %v, want %v", got, err, c.want)
				}
			})
		})
	}
}
