package exchange_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
)

// query opens a session for a person, with the seat of the judge or outside any case.
func (d desk) query(t testing.TB, seated bool) *exchange.Session {
	t.Helper()
	e := exchange.Evaluation{Query: true, Judge: d.judge.authority, Sources: []string{source}, From: clock(), Until: clock() + 30, Deadline: time.Now().Add(30 * time.Second)}
	if seated {
		e.Case, e.Round = task, 1
	}
	s, err := d.Open(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestQuery: a person's question is answered by the terms, and neither side keeps the answer.
func TestQuery(t *testing.T) {
	for name, c := range map[string]struct {
		who            datasource.Class
		seated, judged bool // asked with a seat; in a true evaluation
		stranger       bool
		price          casefile.Amount
		reason         string
		remedy         exchange.Remedy
		kept           int32
	}{
		"besides a case":                 {who: datasource.Roster},
		"listed":                         {who: datasource.Listed},
		"with a seat":                    {who: datasource.Seated, seated: true},
		"as a judge":                     {who: datasource.Seated, judged: true, kept: 2},
		"only for the seated":            {who: datasource.Seated, reason: "refused: only judges of a live round may ask for the source", remedy: exchange.RemedyCase},
		"only for judges":                {who: datasource.Judges, reason: "refused: only judges of a live round may ask for the source", remedy: exchange.RemedyCase},
		"no judge":                       {who: datasource.Roster, stranger: true, reason: "refused: the peer is not the node of a judge on the roster", remedy: exchange.RemedyOwner},
		"not for nothing":                {who: datasource.Roster, price: 7, reason: "wants more than may be paid", remedy: exchange.RemedyPrice},
		"a stranger's seat is no better": {who: datasource.Roster, stranger: true, seated: true, reason: "refused: that judge has no seat in that round", remedy: exchange.RemedyCase},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				me, one, two := newJudge(0), newJudge(1), newJudge(2)
				w := newWeb(t, me)
				defer w.close()
				var kept atomic.Int32
				for _, j := range []judge{one, two} {
					b := newBook(`"x"`)
					if b.card.Terms.Who.Class = c.who; c.who == datasource.Listed {
						b.card.Terms.Who.Authorities = []casefile.Address{me.authority}
					}
					b.card.Terms.Price, b.card.Terms.Quota = c.price, 1
					w.holder(j, b, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) {
						d.Keep = func(context.Context, exchange.Kept) error { kept.Add(1); return nil }
					})
				}
				if c.stranger {
					w.chain = newChain() // from here on, for its desk
					me = newJudge(3)
				}
				d := w.desk(me, nil)
				s := d.query(t, c.seated)
				if c.judged {
					s.Close()
					s = d.open(t, 30*time.Second)
				}
				defer s.Close()
				answers, err := ask(s, "7")
				if (len(answers) == 2) != (c.reason == "") || (err == nil) != (c.reason == "") {
					t.Fatal(answers, err)
				}
				for _, a := range answers {
					besides := !c.seated && !c.judged
					if (a.Receipt.Round == 0) != besides || (a.Receipt.Case == casefile.Address{}) != besides || a.Receipt.Judge != me.authority || a.Receipt.Verify(domain) != nil {
						t.Errorf("%+v", a.Receipt)
					}
					if _, err := casefile.ParseAgreed([]byte(d.blobs.all[[32]byte(a.Receipt.Terms)])); err != nil {
						t.Error("the terms: ", err)
					}
				}
				for _, f := range s.Record()[0].Failures {
					if f.Reason != c.reason || exchange.RemedyOf(f) != c.remedy {
						t.Errorf("%s (%s), want %s (%s)", f.Reason, exchange.RemedyOf(f), c.reason, c.remedy)
					}
				}
				if got := kept.Load(); got != c.kept {
					t.Errorf("%d answers were kept, want %d", got, c.kept)
				}
				if len(d.blamed.all) != 0 {
					t.Error(d.blamed.all)
				}
				if besides := c.reason == "" && !c.seated && !c.judged; besides {
					if more, err := ask(s, "8"); err != nil || len(more) != 2 {
						t.Error("the quota of a case bound what was asked besides one: ", err)
					}
				}
			})
		})
	}
}

// TestQueryForm: a session outside any case is only for a person.
func TestQueryForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := newJudge(0)
		w := newWeb(t, me)
		defer w.close()
		d := w.desk(me, nil)
		good := exchange.Evaluation{Query: true, Deadline: time.Now().Add(time.Second)}
		for name, change := range map[string]func(*exchange.Evaluation){
			"no query":             func(e *exchange.Evaluation) { e.Query = false },
			"a case without round": func(e *exchange.Evaluation) { e.Case = task },
			"round 7":              func(e *exchange.Evaluation) { e.Case, e.Round = task, 7 },
			"no deadline":          func(e *exchange.Evaluation) { e.Deadline = time.Time{} },
		} {
			e := good
			change(&e)
			if s, err := d.Open(t.Context(), e); err == nil {
				s.Close()
				t.Error(name)
			}
		}
	})
}
