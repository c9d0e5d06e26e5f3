package exchange_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
)

// newOutsider is an asker without a judge: its key is its name.
func newOutsider(n int) judge {
	j := newJudge(n)
	j.authority = casefile.Address(j.peer)
	return j
}

// outside opens a session of an outsider, for a task if named.
func (d desk) outside(t testing.TB, named bool) *exchange.Session {
	t.Helper()
	e := exchange.Evaluation{Query: true, Outsider: true, Judge: d.judge.authority, Sources: []string{source}, From: clock(), Until: clock() + 30,
		Deadline: time.Now().Add(30 * time.Second)}
	if named {
		e.Case = task
	}
	s, err := d.Open(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOutsiders: who gets an answer by which terms, with a receipt that names task and key and no
// case file takes; the others read why not.
func TestOutsiders(t *testing.T) {
	for name, c := range map[string]struct {
		who    datasource.Class
		named  bool // the asker names a task
		party  bool // it is its creator or worker
		agent  bool
		reason string
		remedy exchange.Remedy
	}{
		"anyone":                      {who: datasource.Anyone},
		"anyone, for its task":        {who: datasource.Anyone, named: true, party: true},
		"another's task":              {who: datasource.Anyone, named: true, reason: exchange.ErrNoParty.Error(), remedy: exchange.RemedyParty},
		"an agent":                    {who: datasource.Agents, agent: true},
		"an agent, for its task":      {who: datasource.Agents, agent: true, named: true, party: true},
		"an agent, another's task":    {who: datasource.Agents, agent: true, named: true, reason: exchange.ErrNoParty.Error(), remedy: exchange.RemedyParty},
		"no agent":                    {who: datasource.Agents, reason: exchange.ErrNoAgent.Error(), remedy: exchange.RemedyAgent},
		"a party":                     {who: datasource.Parties, named: true, party: true},
		"a party that names no task":  {who: datasource.Parties, party: true, reason: exchange.ErrNoTask.Error(), remedy: exchange.RemedyParty},
		"for judges":                  {who: datasource.Roster, agent: true, reason: exchange.ErrNoJudge.Error(), remedy: exchange.RemedyOwner},
		"for seats, by its own task":  {who: datasource.Seated, named: true, party: true, reason: exchange.ErrNoJudge.Error(), remedy: exchange.RemedyOwner},
		"for judges of a live round":  {who: datasource.Judges, named: true, party: true, reason: exchange.ErrNoJudge.Error(), remedy: exchange.RemedyOwner},
		"not on the list of the card": {who: datasource.Listed, reason: exchange.ErrNotListed.Error(), remedy: exchange.RemedyOwner},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				me := newOutsider(5)
				w := newWeb(t, newJudge(0))
				defer w.close()
				w.chain.parties, w.chain.agents = map[casefile.DID]bool{me.peer: c.party}, map[casefile.DID]bool{me.peer: c.agent}
				var kept atomic.Int32
				for _, j := range []judge{newJudge(1), newJudge(2)} {
					b := newBook(`"x"`)
					if b.card.Terms.Who.Class = c.who; c.who == datasource.Listed {
						b.card.Terms.Who.Authorities = []casefile.Address{{7}}
					}
					w.holder(j, b, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) {
						d.Keep = func(context.Context, exchange.Kept) error { kept.Add(1); return nil }
					})
				}
				d := w.desk(me, nil)
				s := d.outside(t, c.named)
				defer s.Close()
				answers, err := ask(s, "7")
				if (len(answers) == 2) != (c.reason == "") || (err == nil) != (c.reason == "") {
					t.Fatal(answers, err, reasons(s))
				}
				for _, a := range answers {
					r := a.Receipt
					if r.Round != 0 || r.Judge != me.authority || r.Asker != me.peer || (r.Case == task) != c.named || r.Verify(domain) != nil {
						t.Errorf("%+v", r)
					}
					if agreed, err := casefile.ParseAgreed([]byte(d.blobs.all[[32]byte(r.Terms)])); err != nil || agreed.Differs(r) != "" {
						t.Errorf("%+v %v", agreed, err)
					}
				}
				for _, f := range s.Record()[0].Failures {
					if f.Reason != "refused: "+c.reason || exchange.RemedyOf(f) != c.remedy {
						t.Errorf("%s (%s), want %s (%s)", f.Reason, exchange.RemedyOf(f), c.reason, c.remedy)
					}
				}
				if len(d.blamed.all) != 0 || kept.Load() != 0 {
					t.Error(d.blamed.all, kept.Load())
				}
			})
		})
	}
}

// TestAttackPartyChoosesTheMoment: a party asks for its task while the source says what suits it.
// The judges of the case get what the source says when they ask. The two answers are no evidence
// against the holder, and the receipt of the party is none of a round.
func TestAttackPartyChoosesTheMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		party, seat := newOutsider(5), newJudge(0)
		w := newWeb(t, seat)
		defer w.close()
		w.chain.parties = map[casefile.DID]bool{party.peer: true}
		b := newBook(`"before"`)
		b.card.Terms.Who.Class = datasource.Parties
		w.holder(newJudge(1), b, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) { d.Steady = &datasource.Steady{} })
		get := func(s *exchange.Session) exchange.Answer {
			defer s.Close()
			answers, err := ask(s, "7")
			if err != nil || len(answers) != 1 {
				t.Fatal(answers, err, reasons(s))
			}
			return answers[0]
		}
		early := get(w.desk(party, nil).outside(t, true))
		b.answer = func([]byte) (string, error) { return `{"id":"7","text":"now"}`, nil }
		d := w.desk(seat, nil)
		late := get(d.open(t, time.Minute))
		if string(early.Content) != `{"id":"7","text":"before"}` || string(late.Content) != `{"id":"7","text":"now"}` {
			t.Errorf("%s, then %s", early.Content, late.Content)
		}
		if early.Receipt.Case != late.Receipt.Case || early.Receipt.Contradicts(late.Receipt) || late.Receipt.Contradicts(early.Receipt) {
			t.Error("what a party was told is taken as evidence against the holder")
		}
		control := early.Receipt
		control.Round = 1
		if !control.Contradicts(late.Receipt) {
			t.Error("the control: two answers in a round are no contradiction")
		}
	})
}

// TestAttackForgedOutsider: a receipt of round 0 for a task names its asker as the one for whom was
// asked. A holder cannot make one for another key.
func TestAttackForgedOutsider(t *testing.T) {
	holder, party := newJudge(1), newOutsider(5)
	r := casefile.Receipt{Network: casefile.Digest(domain.Network), Program: casefile.Address(domain.Program), Case: task, Judge: party.authority, Asker: party.peer,
		Source: source, Price: 0, FetchedAt: 1, At: 1}
	good, err := holder.sign(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := casefile.ParseReceipt(raw); err != nil {
		t.Error(err)
	}
	r.Judge = casefile.Address{9}
	if _, err := holder.sign(r); err == nil {
		t.Error("another's key: ", err)
	}
}
