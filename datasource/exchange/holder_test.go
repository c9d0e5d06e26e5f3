package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
)

// asking is a conversation by hand, with the machine of anex and a line.
type asking struct {
	self   judge
	call   func(*anex.Call)
	asks   []string // requests
	frames func(anex.Message, []byte) [][]byte
	wait   time.Duration // before each acceptance
	stall  time.Duration // before each frame is read, after data is requested
}

// said is the holder's result.
type said struct {
	data    []string
	failed  []string
	refusal anex.Refusal
	err     error
}

// run holds the conversation. It reads and answers, and does not check the data.
func (a asking) run(t *testing.T, h *exchange.Holder, holder judge, peer casefile.DID) (out said, served anex.Ended) {
	t.Helper()
	near, far := pipe(4)
	done := make(chan anex.Ended, 1)
	go func() {
		e, _ := h.Serve(context.Background(), peer, far)
		done <- e
	}()
	cfg := anex.DefaultConfig()
	cfg.Self, cfg.Peer, cfg.Total = a.self.peer.String(), holder.peer.String(), 2*time.Minute
	machine, err := anex.NewAsker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	call := anex.Call{Identity: "me", RequestType: "evidence", DataSource: source, Case: task.String(), Round: 1, Judge: a.self.authority.String()}
	if a.call != nil {
		a.call(&call)
	}
	var requests []anex.DataRequest
	for _, id := range a.asks {
		requests = append(requests, anex.DataRequest{DataSource: source, Request: json.RawMessage(`{"id":"` + id + `"}`)})
	}
	queue := []anex.Event{anex.Start{At: now(), Conversation: "c", Introduction: anex.Marker, Engagement: anex.Engagement{Request: "?"}, Call: call, Requests: requests,
		Pipeline: a.stall > 0}}
	asked := false
	for ended := false; !ended; {
		if len(queue) == 0 {
			if asked {
				time.Sleep(a.stall)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			raw, err := near.Receive(ctx, exchange.MaxToAsker)
			cancel()
			queue = append(queue, anex.Received{At: now(), Raw: raw})
			if err != nil {
				queue[0] = anex.Hangup{At: now()}
			}
		}
		effects, err := machine.Step(queue[0])
		if err != nil {
			t.Fatal(err)
		}
		queue = queue[1:]
		for _, e := range effects {
			switch e := e.(type) {
			case anex.Send:
				asked = asked || e.Message.Protocol == anex.DataExchange
				out := [][]byte{e.Raw}
				if a.frames != nil {
					out = a.frames(e.Message, e.Raw)
				}
				for _, raw := range out {
					if near.Send(raw) != nil {
						break
					}
				}
			case anex.AskProposal:
				time.Sleep(a.wait)
				queue = append(queue, anex.ProposalDecided{At: now(), Accept: e.Problem == nil})
			case anex.Deliver:
				out.data = append(out.data, string(e.Data))
			case anex.Failed:
				out.failed = append(out.failed, e.Reason)
			case anex.Ended:
				out.refusal, out.err, ended = e.Refusal, e.Err, true
			}
		}
	}
	hang(near)
	return out, <-done
}

func now() int64 { return time.Now().UnixMilli() }

// stand sets up a holder by itself.
func stand(t *testing.T, b *book, c *chain, change func(*exchange.HolderConfig, *exchange.HolderDeps)) (*exchange.Holder, judge) {
	t.Helper()
	me := newJudge(1)
	cfg, deps := exchange.DefaultHolderConfig(), exchange.HolderDeps{Self: me.peer, Domain: domain, Book: b, Authority: c, Sign: me.sign, Clock: clock,
		Metrics: prometheus.NewRegistry()}
	if change != nil {
		change(&cfg, &deps)
	}
	h, err := exchange.NewHolder(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	return h, me
}

// TestAskers: an asker without permission gets the reason in fixed words, and the source is not
// touched.
func TestAskers(t *testing.T) {
	good, other := newJudge(0), newJudge(7)
	for name, c := range map[string]struct {
		asking
		peer   casefile.DID
		chain  func(*chain)
		book   func(*book)
		reason string
		fault  anex.Fault
	}{
		"good":                          {asking: asking{self: good, asks: []string{"7"}}},
		"no seat":                       {asking: asking{self: other, asks: []string{"7"}}, reason: exchange.ErrNoSeat.Error()},
		"no authority":                  {asking: asking{self: good, call: func(c *anex.Call) { c.Case, c.Round, c.Judge = "", 0, "" }}, reason: exchange.ErrNoCase.Error()},
		"no authority, no judge":        {asking: asking{self: other, call: func(c *anex.Call) { c.Case, c.Round, c.Judge = "", 0, "" }}, reason: exchange.ErrNoJudge.Error()},
		"round 200":                     {asking: asking{self: good, call: func(c *anex.Call) { c.Round = 200 }}, reason: exchange.ErrNoSeat.Error()},
		"no address":                    {asking: asking{self: good, call: func(c *anex.Call) { c.Case = "my case" }}, reason: exchange.ErrNoSeat.Error()},
		"no such judge":                 {asking: asking{self: good, call: func(c *anex.Call) { c.Judge = "xyz" }}, reason: exchange.ErrNoSeat.Error()},
		"another's authority":           {asking: asking{self: other, call: func(c *anex.Call) { c.Judge = good.authority.String() }}, reason: exchange.ErrOtherPeer.Error()},
		"another's name":                {asking: asking{self: good}, peer: other.peer, fault: anex.Theirs},
		"source not named":              {asking: asking{self: good}, chain: func(c *chain) { c.named = nil }, reason: exchange.ErrNotTold.Error()},
		"no such source":                {asking: asking{self: good, call: func(c *anex.Call) { c.DataSource = "<script>" }}, reason: datasource.ErrUnknown.Error()},
		"source left open":              {asking: asking{self: good, call: func(c *anex.Call) { c.DataSource = "" }}, reason: "the call does not name a data source"},
		"chain is down":                 {asking: asking{self: good}, chain: func(c *chain) { c.err = errors.New("http://user:key@rpc") }, reason: exchange.ErrNotKnown.Error()},
		"many fields":                   {asking: asking{self: good, call: manyFields}, reason: "too many fields for one receipt"},
		"demand":                        {asking: asking{self: good}, book: func(b *book) { b.card.Terms.Demands = []string{"x"} }, reason: "a promise is demanded"},
		"cannot be paid":                {asking: asking{self: good}, book: func(b *book) { b.card.Terms.Price = 1 }, reason: "this node cannot be paid"},
		"oversized":                     {asking: asking{self: good, frames: grow}, fault: anex.Theirs},
		"garbage":                       {asking: asking{self: good, frames: func(anex.Message, []byte) [][]byte { return [][]byte{{1}} }}, fault: anex.Theirs},
		"flood of messages":             {asking: asking{self: good, frames: func(_ anex.Message, raw []byte) [][]byte { return repeat(raw, 200) }}, fault: anex.Theirs},
		"goes to sleep":                 {asking: asking{self: good, asks: []string{"7"}, wait: 90 * time.Second}, fault: anex.Theirs},
		"other source than in the call": {asking: asking{self: good, asks: []string{"7"}, frames: replace("REQUEST", `"data_source": "posts"`, `"data_source": "other"`)}, fault: anex.Theirs},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ch, b := newChain(good), newBook(`"x"`)
				if c.chain != nil {
					c.chain(ch)
				}
				if c.book != nil {
					c.book(b)
				}
				h, me := stand(t, b, ch, nil)
				if c.frames != nil && name == "other source than in the call" {
					change := c.frames
					c.frames = func(m anex.Message, raw []byte) [][]byte {
						if m.Protocol != anex.DataExchange {
							return [][]byte{raw}
						}
						return change(m, raw)
					}
				}
				peer := c.peer
				if peer == (casefile.DID{}) {
					peer = c.self.peer
				}
				got, served := c.run(t, h, me, peer)
				if c.reason != "" && !strings.Contains(got.refusal.Response, c.reason) && !strings.Contains(c.reason, got.refusal.Response) {
					t.Errorf("told %q, %v", got.refusal.Response, got.err)
				}
				if c.fault != served.Fault {
					t.Errorf("fault of %s: %v", served.Fault, served.Err)
				}
				if fine := c.reason == "" && c.fault == anex.Nobody; fine != (len(got.data) == 1) || fine != (b.calls.Load() == 1) {
					t.Errorf("%+v, %d calls", got, b.calls.Load())
				}
			})
		})
	}
}

func manyFields(c *anex.Call) {
	for i := range 17 {
		c.Access = append(c.Access, anex.Name{Text: fmt.Sprintf("f%d", i)})
	}
}

func grow(_ anex.Message, _ []byte) [][]byte {
	return [][]byte{make([]byte, exchange.MaxToHolder+1)}
}

func repeat(raw []byte, n int) (out [][]byte) {
	for range n {
		out = append(out, raw)
	}
	return out
}

// TestTerms: rates, quota, changed terms, and the parts that the owner's rules leave.
func TestTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good, second := newJudge(0), newJudge(2)
		b := newBook(`"x"`)
		b.card.Terms.Rate, b.card.Terms.TotalRate, b.card.Terms.Quota = datasource.Rate{Requests: 2, Seconds: 60}, datasource.Rate{Requests: 3, Seconds: 60}, 7
		ch := newChain(good, second)
		h, me := stand(t, b, ch, nil)
		expect := func(j judge, data int, failed string) {
			t.Helper()
			got, _ := asking{self: j, asks: []string{"1", "2", "3"}}.run(t, h, me, j.peer)
			if len(got.data) != data || data < 3 && (len(got.failed) == 0 || got.failed[0] != failed) {
				t.Errorf("%+v", got)
			}
		}
		expect(good, 2, "too many requests; ask later")
		expect(second, 1, "too many requests; ask later") // three in all
		time.Sleep(time.Minute)
		expect(good, 2, "too many requests; ask later")
		time.Sleep(time.Minute) // good has used its part, 3, and one request that is nobody's; second has 2 left
		expect(good, 0, "the case has had its share of this source")

		b = newBook(`"x"`)
		changes := atomic.Int32{}
		inner := b.answer
		b.answer = func(r []byte) (string, error) {
			if changes.Add(1) == 2 {
				b.card.Terms.Quota++
			}
			return inner(r)
		}
		h, me = stand(t, b, ch, nil)
		expect(good, 1, "the terms of the source have changed; ask again")

		b = newBook(`"x"`)
		ended := atomic.Int32{}
		inner2 := b.answer
		b.answer = func(r []byte) (string, error) {
			if ended.Add(1) == 1 {
				ch.mu.Lock()
				ch.err = exchange.ErrNotLive
				ch.mu.Unlock()
			}
			return inner2(r)
		}
		h, me = stand(t, b, ch, nil)
		expect(good, 1, exchange.ErrNotLive.Error()) // the round ended in the conversation
	})
}

// TestCrowd: conversations over the limit are refused with a reason, and soon even without one.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := newJudge(0)
		b := newBook(`"x"`)
		b.delay = 5 * time.Second
		h, me := stand(t, b, newChain(good), func(c *exchange.HolderConfig, _ *exchange.HolderDeps) { c.MaxPerPeer, c.OpeningsPerMinute = 2, 6 })
		var work sync.WaitGroup
		var data, busy, away atomic.Int32
		for i := range 7 {
			work.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				got, served := asking{self: good, asks: []string{"7"}}.run(t, h, me, good.peer)
				switch {
				case len(got.data) == 1:
					data.Add(1)
				case strings.HasPrefix(got.refusal.Response, "too many conversations"):
					busy.Add(1)
				case errors.Is(served.Err, anex.ErrFlood):
					away.Add(1)
				}
			})
		}
		work.Wait()
		if data.Load() != 2 || busy.Load() != 5 {
			t.Error(data.Load(), busy.Load(), away.Load())
		}
		// One peer can have only four silent conversations.
		for i := range 5 {
			near, far := pipe(1)
			work.Go(func() {
				defer near.Close()
				e, err := h.Serve(t.Context(), good.peer, far)
				if i == 4 != errors.Is(err, anex.ErrFlood) {
					t.Error(i, e, err)
				}
			})
			synctest.Wait()
		}
		work.Wait()
	})
}

// TestDoesNotRead: a peer that does not read its frames gets no more.
func TestDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good, b := newJudge(0), newBook(`"x"`)
		h, me := stand(t, b, newChain(good), nil)
		time.AfterFunc(9*time.Second, func() {
			if n := b.calls.Load(); n < 1 || n > 6 { // four frames are on the line, one is being sent, one is ready
				t.Errorf("%d answers of 8 are made for nobody", n)
			}
		})
		asking{self: good, asks: []string{"1", "2", "3", "4", "5", "6", "7", "8"}, stall: 10 * time.Second}.run(t, h, me, good.peer)
	})
}

// TestServeEnds: the end of ctx ends a conversation, and every goroutine.
func TestServeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := stand(t, newBook(`"x"`), newChain(), nil)
		ctx, cancel := context.WithCancel(t.Context())
		near, far := pipe(0) // no side reads
		time.AfterFunc(time.Second, cancel)
		e, err := h.Serve(ctx, newJudge(0).peer, far)
		if !errors.Is(err, anex.ErrCancelled) || e.Outcome != anex.Cancelled {
			t.Error(e, err)
		}
		if _, err := near.Receive(t.Context(), 10); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// TestKeep: an answer is kept before it is given. With a promise about retention, its contents are
// not.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := newJudge(0)
		var kept []exchange.Kept
		var fail error
		b := newBook(`"x"`)
		h, me := stand(t, b, newChain(good), func(_ *exchange.HolderConfig, d *exchange.HolderDeps) {
			d.Keep = func(_ context.Context, k exchange.Kept) error { kept = append(kept, k); return fail }
		})
		if got, _ := (asking{self: good, asks: []string{"7"}}).run(t, h, me, good.peer); len(got.data) != 1 || string(kept[0].Request) != `{"id":"7"}` ||
			string(kept[0].Response) != `{"id":"7","text":"x"}` || kept[0].Receipt.Verify(domain) != nil || kept[0].Receipt.Judge != good.authority {
			t.Errorf("%+v %+v", got, kept)
		}
		day := int64(86400)
		b.card.Terms.Promises.RetentionSeconds = &day
		if got, _ := (asking{self: good, asks: []string{"7"}}).run(t, h, me, good.peer); len(got.data) != 1 || kept[1].Request != nil || kept[1].Response != nil {
			t.Errorf("%+v %+v", got, kept[1])
		}
		fail = errors.New("disk full")
		if got, _ := (asking{self: good, asks: []string{"7"}}).run(t, h, me, good.peer); len(got.data) != 0 || got.failed[0] != "this node cannot answer now" {
			t.Errorf("%+v", got)
		}
	})
}

// upstream counts calls of a source that takes its time.
type upstream struct{ calls atomic.Int32 }

func (u *upstream) Answer(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	u.calls.Add(1)
	select {
	case <-time.After(time.Second):
		return json.RawMessage(`{"id":"7"}`), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (u *upstream) Close() error { return nil }

// TestTwentyEight: 28 judges that need one answer cause one call of the upstream at each holder.
func TestTwentyEight(t *testing.T) {
	home := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var judges []judge
		for i := range 28 {
			judges = append(judges, newJudge(i))
		}
		w := newWeb(t, judges...)
		defer w.close()
		ups := []*upstream{{}, {}}
		for i, u := range ups {
			b := realBook(t, fmt.Sprintf("%s/%d", home, i), u)
			defer b.Close()
			card, _ := b.Card(source)
			w.holder(newJudge(100+i), &book{card: card}, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) { d.Book = b })
		}
		var work sync.WaitGroup
		for _, j := range judges {
			work.Go(func() {
				d := w.desk(j, nil)
				s := d.open(t, time.Minute)
				answers, err := ask(s, "7")
				s.Close()
				if err != nil || len(answers) != 2 || answers[0].Disputed {
					t.Error(answers, err, reasons(s))
				}
				d.verify(t, s, answers...)
			})
		}
		work.Wait()
		for _, u := range ups {
			if n := u.calls.Load(); n != 1 {
				t.Errorf("%d calls of the upstream", n)
			}
		}
	})
}

func realBook(t *testing.T, home string, u kind.Upstream) *datasource.Book {
	t.Helper()
	card := newCard()
	raw := fmt.Sprintf(`{"name":"posts","description":"Posts.","inputSchema":%s,"outputSchema":%s,"upstream":{"kind":"http","url":"https://example.org/{id}","hosts":["example.org"]}}`,
		card.InputSchema, card.OutputSchema)
	parsed, err := datasource.Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(home+"/sources", parsed); err != nil {
		t.Fatal(err)
	}
	b, err := datasource.New(datasource.DefaultConfig(), datasource.Deps{Home: home, Open: func(datasource.Source) (kind.Upstream, error) { return u, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
