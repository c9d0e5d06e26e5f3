package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger/program"
	"ojud/node/evidence"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// holdFor gives a node a source with one post, named notes, on terms.
func holdFor(t *testing.T, m *member, text, terms string) {
	t.Helper()
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "7.json"), fmt.Appendf(nil, `{"text":%q}`, text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := datasource.Parse(fmt.Appendf(nil, `{"name":"notes","description":"notes","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
"terms":%s,"upstream":{"kind":"files","dir":%q,"allow":["*.json"],"format":"json"}}`, terms, notes))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(m.home.Path("sources"), s); err != nil {
		t.Fatal(err)
	}
}

// post sends a query to a node's API, as a program that can read its home.
func (m *member) post(t *testing.T, body string) (int, evidence.QueryResult, string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/query", strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+m.api.Key())
	m.api.Handler().ServeHTTP(w, r)
	var out evidence.QueryResult
	var said struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(w.Body.String(), err)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	return w.Code, out, said.Error
}

// reasons returns why holders gave nothing, with the remedies.
func reasons(r evidence.QueryResult) (out []string) {
	for _, f := range r.Failures {
		out = append(out, f.Reason+" -> "+string(f.Remedy))
	}
	return out
}

// gathered starts three judges, of whom the second and third hold notes on terms, and one node that
// is no judge.
func gathered(t *testing.T, second, third string) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.join(1, nil)
	w.joinWith(func(m *member) { holdFor(t, m, "hello", second) })
	w.joinWith(func(m *member) { holdFor(t, m, "hello", third) })
	stranger := &member{}
	w.equip(stranger)
	w.start(stranger)
	time.Sleep(time.Minute) // of fake time: they have met
	return w
}

const notes7 = `{"data_source":"notes","request":{ "name":"7.json"},"max_price":"0","timeout_seconds":20}`

// TestQuery: a judge asks peers outside of any case. It gets what the terms allow, with receipts
// that hold and that no case file takes.
func TestQuery(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := gathered(t, `{"who":"roster","access":["content"]}`, `{"who":"roster"}`)
		me := w.nodes[0]
		code, r, said := me.post(t, notes7)
		if code != http.StatusOK || len(r.Answers) != 2 || r.Problem != "" || r.Case != nil || r.Own {
			t.Fatal(code, r, said)
		}
		for _, a := range r.Answers {
			want, access := `{"content":{"text":"hello"}}`, []string{"/content"}
			if a.Holder == casefile.DID(w.nodes[2].home.Keys.Peer()) {
				want, access = `"name":"7.json"`, nil
			}
			if !strings.Contains(string(a.Answer), want) || !slices.Equal(a.Access, access) || a.Disputed || a.Stale || a.Age > 60 {
				t.Errorf("%+v", a)
			}
			if err := a.Receipt.Verify(me.domain); err != nil || a.Receipt.Round != 0 || a.Receipt.Case != (casefile.Address{}) ||
				a.Receipt.Judge != casefile.Address(me.home.Keys.Judge()) || a.Judge == nil || voting.Hash(a.Receipt.Response) != casefile.HashOf(a.Answer) {
				t.Errorf("%+v: %v", a.Receipt, err)
			}
		}
		log, err := os.ReadFile(w.nodes[1].home.Path(exchange.LogFile))
		if err != nil || !bytes.Contains(log, []byte(`"round":0`)) || !bytes.Contains(log, []byte(`"answered"`)) {
			t.Errorf("%s %v", log, err)
		}
		one := fmt.Sprintf(`{"data_source":"notes","request":{"name":"7.json"},"holder":%q,"max_price":"0","timeout_seconds":20}`, casefile.DID(w.nodes[2].home.Keys.Peer()))
		if code, r, said := me.post(t, one); code != http.StatusOK || len(r.Answers) != 1 || r.Answers[0].Holder != casefile.DID(w.nodes[2].home.Keys.Peer()) {
			t.Error(code, r, said)
		}
		held := me.evidence.Holders(t.Context(), "notes")
		if len(held) != 2 || held[0].Card == nil || held[0].Card.Terms.Who.Class != datasource.Roster || held[0].Judge == nil {
			t.Errorf("%+v", held)
		}
		if got := me.evidence.Holders(t.Context(), "nothing"); len(got) != 0 {
			t.Error(got)
		}
	})
}

// TestQueryRefused: a judge that may not ask is told why, and what to do.
func TestQueryRefused(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := gathered(t, `{"who":"seated"}`, `{"who":["11111111111111111111111111111112"]}`)
		me, stranger := w.nodes[0], w.nodes[3]
		code, r, said := me.post(t, notes7)
		got := reasons(r)
		slices.Sort(got)
		want := []string{"refused: only judges of a live round may ask for the source -> case", "refused: the terms of the source do not let that judge ask -> owner"}
		if code != http.StatusOK || len(r.Answers) != 0 || r.Problem != "every holder of the source refuses" || !slices.Equal(got, want) {
			t.Error(code, got, r.Problem, said)
		}
		for _, c := range []struct {
			m    *member
			body string
			code int
			says string
		}{
			{stranger, notes7, http.StatusConflict, "no judge on the roster"},
			{me, `{`, http.StatusBadRequest, "decode"},
			{me, `{"data_source":"notes","request":[],"max_price":"0","timeout_seconds":20}`, http.StatusBadRequest, "no object"},
			{me, `{"data_source":"Notes","request":{},"max_price":"0","timeout_seconds":20}`, http.StatusBadRequest, "data_source"},
			{me, `{"data_source":"notes","request":{},"max_price":"0","timeout_seconds":1}`, http.StatusBadRequest, "timeout_seconds is 1"},
			{me, `{"data_source":"notes","request":{},"max_price":"0","timeout_seconds":20,"vote":1}`, http.StatusBadRequest, "vote"},
			{me, `{"data_source":"notes","request":{},"max_price":"18446744073709551615","timeout_seconds":20}`, http.StatusBadRequest, "max_price"},
			{me, `{"data_source":"notes","request":{},"holder":"bob","max_price":"0","timeout_seconds":20}`, http.StatusBadRequest, "holder"},
			{me, `{"data_source":"notes","request":{},"case":"bob","max_price":"0","timeout_seconds":20}`, http.StatusBadRequest, "case"},
			{me, `{"data_source":"notes","request":{},"case":"11111111111111111111111111111112","max_price":"0","timeout_seconds":20}`, http.StatusConflict, "does not follow"},
		} {
			if code, r, said := c.m.post(t, c.body); code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("%s: %d %s %+v, want %d %s", c.body, code, said, r, c.code, c.says)
			}
		}
	})
}

// TestQuerySeated: a person asks for a live case with the seat of the node. The votes and the case
// file are the same as without it.
func TestQuerySeated(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := holders(t, "hello world", "hello world")
		m := w.nodes[0]
		task := w.dispute(posted())
		body := fmt.Sprintf(`{"data_source":"site.post","request":{"name":"7.json"},"case":%q,"max_price":"0","timeout_seconds":20}`, casefile.Address(task))
		w.until(10*time.Minute, "drawn", task, func(c *program.Case) bool { return c.Round == 1 && len(c.Seats) > 0 })
		p2ptest.Eventually(t, time.Minute, "the node has seen its seat", func() bool {
			look, _ := m.cases.Look(task)
			return look.Live()
		})
		asked := map[casefile.Digest]bool{}
		p2ptest.Eventually(t, 2*time.Minute, "answered", func() bool {
			_, r, _ := m.post(t, body)
			for _, a := range r.Answers {
				if asked[a.Hash] = true; a.Receipt.Round != 1 || a.Receipt.Case != casefile.Address(task) || r.Case == nil {
					t.Errorf("%+v", a.Receipt)
				}
			}
			return len(r.Answers) == 2
		})
		other := strings.Replace(body, "site.post", "notes", 1)
		if code, r, said := m.post(t, other); code != http.StatusOK || len(r.Answers) != 0 || r.Problem != "no holder of the source answered" {
			t.Error(code, r, said)
		}
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || int(c.Revealed) != len(c.Seats) {
			t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		w.report(m, task)
		for _, n := range w.nodes {
			log, err := n.Reader.Log(task)
			w.must(err)
			for _, e := range log.Events() {
				for hash := range asked {
					if bytes.Contains(e.Body, []byte(hash.String())) {
						t.Errorf("%s names what a person asked", e.Kind)
					}
				}
				var b casefile.ReceiptBody
				if e.Kind == casefile.KindReceipt {
					w.must(json.Unmarshal(e.Body, &b))
					hash, err := b.Receipt.Hash()
					w.must(err)
					if asked[casefile.Digest(hash)] {
						t.Errorf("a holder testifies to what a person asked")
					}
				}
			}
		}
		if code, _, said := m.post(t, body); code != http.StatusConflict || !strings.Contains(said, "no seat in a live round") {
			t.Error(code, said)
		}
		w.authority(casefile.Address(task))
	})
}

// TestQueryPaid: the node buys a priced answer if the person allows it, and not for a lamport more.
// The holder is paid.
func TestQueryPaid(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		const price = 2_000_000
		f := newFair(t, 3, price, nil)
		holdFor(t, f.seller, "hello", fmt.Sprintf(`{"who":"roster","price":"%d"}`, price))
		time.Sleep(2 * time.Minute) // of fake time: the seller is found, and can be paid
		m := f.nodes[0]
		for _, allowed := range []uint64{0, price - 1} {
			body := strings.Replace(notes7, `"max_price":"0"`, fmt.Sprintf(`"max_price":"%d"`, allowed), 1)
			if code, r, said := m.post(t, body); code != http.StatusOK || len(r.Answers) != 0 || !slices.Equal(reasons(r), []string{"wants more than may be paid -> price"}) {
				t.Errorf("%d allowed: %d %v %s", allowed, code, reasons(r), said)
			}
		}
		if v := f.vault(m); v != funded {
			t.Errorf("the vault holds %d", v)
		}
		code, r, said := m.post(t, strings.Replace(notes7, `"max_price":"0"`, fmt.Sprintf(`"max_price":"%d"`, price), 1))
		if code != http.StatusOK || len(r.Answers) != 1 || r.Answers[0].Price != price {
			t.Fatal(code, reasons(r), said)
		}
		f.settled(price, m)
	})
}

// authority checks whom a node allows to ask after the end of a case. It checks a named seat for
// every class.
func (w *world) authority(task casefile.Address) {
	w.t.Helper()
	a, me, other := w.nodes[0].evidence.HolderDeps(nil).Authority, w.nodes[1].home.Keys, w.nodes[2].home.Keys
	besides := exchange.Seat{Judge: casefile.Address(me.Judge()), Peer: casefile.DID(me.Peer())}
	seat := besides
	seat.Case, seat.Round = task, 1
	stranger := besides
	stranger.Peer = casefile.DID(other.Peer())
	listed := datasource.Who{Class: datasource.Listed, Authorities: []casefile.Address{besides.Judge}}
	unlisted := datasource.Who{Class: datasource.Listed, Authorities: []casefile.Address{casefile.Address(other.Judge())}}
	for name, c := range map[string]struct {
		seat exchange.Seat
		who  datasource.Who
		want error
	}{
		"roster":                  {besides, datasource.Who{Class: datasource.Roster}, nil},
		"listed":                  {besides, listed, nil},
		"not listed":              {besides, unlisted, exchange.ErrNotListed},
		"seated":                  {besides, datasource.Who{Class: datasource.Seated}, exchange.ErrNoCase},
		"judges, none of them":    {besides, datasource.Who{Class: datasource.Judges}, exchange.ErrNoCase},
		"another's name":          {stranger, datasource.Who{Class: datasource.Roster}, exchange.ErrNoJudge},
		"another's name, listed":  {stranger, listed, exchange.ErrNoJudge},
		"roster, round over":      {seat, datasource.Who{Class: datasource.Roster}, exchange.ErrNotLive},
		"listed, round over":      {seat, listed, exchange.ErrNotLive},
		"judges, round over":      {seat, datasource.Who{Class: datasource.Judges}, exchange.ErrNotLive},
		"roster, a case made up":  {exchange.Seat{Case: besides.Judge, Round: 1, Judge: besides.Judge, Peer: besides.Peer}, datasource.Who{Class: datasource.Roster}, exchange.ErrNotKnown},
		"roster, a round to come": {exchange.Seat{Case: task, Round: 2, Judge: besides.Judge, Peer: besides.Peer}, datasource.Who{Class: datasource.Roster}, exchange.ErrNotKnown},
	} {
		if err := a.Check(w.t.Context(), c.seat, "site.post", c.who); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			w.t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
