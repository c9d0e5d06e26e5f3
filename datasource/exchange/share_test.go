package exchange_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// room is a round whose judges share their answers.
type room struct {
	desks  []desk
	asked  int                    // of every one
	spoil  func(*exchange.Shared) // how a false judge changes it
	silent bool
	lag    time.Duration
}

func (r *room) Shared(ctx context.Context, q exchange.Question, every bool) <-chan exchange.Shared {
	out := make(chan exchange.Shared)
	if every {
		r.asked++
	}
	go func() {
		defer close(out)
		if r.silent {
			<-ctx.Done()
		}
		time.Sleep(r.lag)
		for _, d := range r.desks {
			for _, receipt := range d.SharedReceipts(q) {
				s := exchange.Shared{From: d.judge.peer, Receipt: receipt, Content: d.content(receipt.Response), Terms: d.content(receipt.Terms)}
				if r.spoil != nil {
					r.spoil(&s)
				}
				select {
				case out <- s:
				case <-ctx.Done():
				}
			}
		}
	}()
	return out
}

func (d desk) content(hash casefile.Digest) []byte { return []byte(d.blobs.all[voting.Hash(hash)]) }

// member is a judge's desk in the room.
func (w *web) member(r *room, j judge, change func(*exchange.RequesterConfig, *exchange.RequesterDeps)) desk {
	d := w.desk(j, func(c *exchange.RequesterConfig, deps *exchange.RequesterDeps) {
		deps.Sharer = r
		if change != nil {
			change(c, deps)
		}
	})
	r.desks = append(r.desks, d)
	return d
}

func calls(books ...*book) (n int32) {
	for _, b := range books {
		n += b.calls.Load()
	}
	return n
}

// TestShared: the second judge asks one holder itself, and has the other's answer from the first
// judge. Both show receipts of both holders.
func TestShared(t *testing.T) {
	for _, lag := range []time.Duration{0, 100 * time.Millisecond} { // after 100 ms the holders are known, and wait to be asked
		t.Run(lag.String(), func(t *testing.T) { testShared(t, lag) })
	}
}

func testShared(t *testing.T, lag time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newJudge(0), newJudge(1)
		w := newWeb(t, first, second)
		defer w.close()
		one, two := newBook(`"x"`), newBook(`"x"`)
		w.holder(newJudge(2), one, nil)
		w.holder(newJudge(3), two, nil)
		r := &room{lag: lag}
		a := w.member(r, first, nil).open(t, time.Minute)
		if got, err := ask(a, "7"); err != nil || len(got) != 2 || calls(one, two) != 2 {
			t.Fatal(got, err)
		}
		a.Close()
		b := w.member(r, second, nil).open(t, time.Minute)
		began := time.Now()
		got, err := ask(b, "7")
		b.Close()
		if err != nil || len(got) != 2 || len(peers(got)) != 2 || calls(one, two) != 3 || time.Since(began) > time.Second {
			t.Fatalf("%d answers, %v, %d calls, %s", len(got), err, calls(one, two), time.Since(began))
		}
		for _, answer := range got {
			asker := map[bool]casefile.DID{true: first.peer, false: second.peer}[answer.Shared]
			if answer.Receipt.Asker != asker || string(answer.Content) != `{"id":"7","text":"x"}` || answer.Disputed {
				t.Errorf("%+v", answer)
			}
		}
		if got[0].Shared == got[1].Shared || len(b.Receipts()) != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// TestSharedWhenHoldersAreGone: an answer that one judge got before the holders went away is
// evidence for all.
func TestSharedWhenHoldersAreGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newJudge(0), newJudge(1)
		w := newWeb(t, first, second)
		defer w.close()
		w.holder(newJudge(2), newBook(`"x"`), nil)
		w.holder(newJudge(3), newBook(`"y"`), nil)
		r := &room{}
		a := w.member(r, first, nil).open(t, time.Minute)
		if _, err := ask(a, "7"); err != nil {
			t.Fatal(err)
		}
		a.Close()
		gone := func(_ *exchange.RequesterConfig, deps *exchange.RequesterDeps) {
			deps.Dial = func(context.Context, casefile.DID) (exchange.Stream, error) { return nil, errors.New("gone") }
		}
		b := w.member(r, second, gone).open(t, time.Minute)
		got, err := ask(b, "7")
		b.Close()
		if err != nil || len(peers(got)) != 2 || !got[0].Shared || !got[1].Shared || !got[0].Disputed {
			t.Fatalf("%+v %v", got, err)
		}
	})
}

// TestSharedCannotCrowdOut: a judge that shares answers can choose them, so at most one counts
// beside the holders' own answers.
func TestSharedCannotCrowdOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newJudge(0), newJudge(1)
		w := newWeb(t, first, second)
		defer w.close()
		lie, truth := []*book{newBook(`"lie"`), newBook(`"lie"`)}, []*book{newBook(`"true"`), newBook(`"true"`)}
		w.holder(newJudge(2), lie[0], nil)
		w.holder(newJudge(3), lie[1], nil)
		r := &room{}
		a := w.member(r, first, nil).open(t, time.Minute)
		if got, err := ask(a, "7"); err != nil || len(got) != 2 {
			t.Fatal(err)
		}
		a.Close()
		w.cards = nil // only the honest ones are known from now on
		w.holder(newJudge(4), truth[0], nil)
		w.holder(newJudge(5), truth[1], nil)
		b := w.member(r, second, nil).open(t, time.Minute)
		got, err := ask(b, "7")
		b.Close()
		lies := 0
		for _, answer := range got {
			if answer.Shared {
				lies++
			}
		}
		if err != nil || len(got) != 3 || lies != 1 || calls(truth...) != 2 {
			t.Errorf("%d of %d answers are shared lies, %v", lies, len(got), err)
		}
	})
}

// TestNotShared: an answer is not for others if it was paid for, given for a promise, or given to
// judges by name.
func TestNotShared(t *testing.T) {
	for name, change := range map[string]func(*datasource.Terms){
		"listed": func(t *datasource.Terms) {
			t.Who = datasource.Who{Class: datasource.Listed, Authorities: []casefile.Address{{9, 0, 0}}}
		},
		"promise": func(t *datasource.Terms) { t.Demands = []string{"no data retention"} },
		"free":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				me := newJudge(0)
				w := newWeb(t, me)
				defer w.close()
				b := newBook(`"x"`)
				if change != nil {
					change(&b.card.Terms)
				}
				w.holder(newJudge(2), b, nil)
				r := &room{}
				d := w.member(r, me, func(c *exchange.RequesterConfig, _ *exchange.RequesterDeps) {
					c.Promises = []string{"no data retention"}
				})
				s := d.open(t, time.Minute)
				got, err := ask(s, "7")
				s.Close()
				if err != nil {
					t.Fatal(err)
				}
				q := exchange.Question{Case: task, Round: 1, Source: source, Request: voting.Hash(got[0].Receipt.Request)}
				if lent := d.SharedReceipts(q); (len(lent) == 1) != (change == nil) {
					t.Errorf("%d are lent", len(lent))
				}
			})
		})
	}
}

// TestSharedInVain: an invalid answer is not taken, and costs the judge that shares it.
func TestSharedInVain(t *testing.T) {
	for name, spoil := range map[string]func(*exchange.Shared){
		"another asker": func(s *exchange.Shared) { s.From = newJudge(5).peer },
		"their own": func(s *exchange.Shared) {
			s.From, s.Receipt.Asker = newJudge(2).peer, newJudge(2).peer
			s.Receipt = resigned(s.Receipt, func(*casefile.Receipt) {})
		},
		"another content": func(s *exchange.Shared) { s.Content = []byte(`{"id":"7","text":"y"}`) },
		"no content":      func(s *exchange.Shared) { s.Content = nil },
		"no terms":        func(s *exchange.Shared) { s.Terms = nil },
		"forged":          func(s *exchange.Shared) { s.Receipt.At-- },
		"another round":   func(s *exchange.Shared) { s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.Round = 2 }) },
		"another case":    func(s *exchange.Shared) { s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.Case[0]++ }) },
		"another request": func(s *exchange.Shared) {
			s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.Request[0]++ })
		},
		"another source": func(s *exchange.Shared) {
			s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.Source = "other" })
		},
		"another network": func(s *exchange.Shared) {
			s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.Network[0]++ })
		},
		"paid for": func(s *exchange.Shared) { s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.Price = 1 }) },
		"too old":  func(s *exchange.Shared) { s.Receipt = resigned(s.Receipt, func(r *casefile.Receipt) { r.At -= 3600 }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second := newJudge(0), newJudge(1)
				w := newWeb(t, first, second)
				defer w.close()
				w.holder(newJudge(2), newBook(`"x"`), nil)
				r := &room{spoil: spoil}
				a := w.member(r, first, nil).open(t, time.Minute)
				if _, err := ask(a, "7"); err != nil {
					t.Fatal(err)
				}
				a.Close()
				w.cards = nil
				d := w.member(r, second, nil)
				b := d.open(t, time.Minute)
				got, err := ask(b, "7")
				b.Close()
				if !errors.Is(err, exchange.ErrUnavailable) || len(d.blamed.all) == 0 {
					t.Errorf("%+v, %v, blamed %v", got, err, d.blamed.all)
				}
			})
		})
	}
}

// resigned returns the receipt with a change, signed by its holder, newJudge(2).
func resigned(r casefile.Receipt, change func(*casefile.Receipt)) casefile.Receipt {
	change(&r)
	signed, err := r.Sign(newJudge(2).key)
	if err != nil {
		panic(err)
	}
	return signed
}

// TestSilentJudges: silent judges delay a question by at most DeskConfig.Share, and do not delay
// the others.
func TestSilentJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := newJudge(0)
		w := newWeb(t, me)
		defer w.close()
		w.holder(newJudge(2), newBook(`"x"`), nil)
		w.holder(newJudge(3), newBook(`"x"`), nil)
		r := &room{silent: true}
		s := w.member(r, me, nil).open(t, time.Minute)
		began := time.Now()
		got, err := ask(s, "7")
		took := time.Since(began)
		s.Close()
		if share := exchange.DefaultRequesterConfig().SharedAnswersWait; err != nil || len(got) != 2 || took < share || took > share+time.Second || r.asked != 0 {
			t.Errorf("%d answers, %v, %s, %d times all were asked", len(got), err, took, r.asked)
		}
	})
}
