package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/datasource/exchange"
)

// evil is a holder that does one thing wrong.
type evil struct {
	book    func(*book)
	receipt func(*casefile.Receipt)                                  // before it is signed
	sign    func(casefile.Receipt) (casefile.Receipt, error)         // instead of its own key
	frame   func(m anex.Message, raw []byte) [][]byte                // instead of its own frames
	serve   func(ctx context.Context, line exchange.Stream)          // instead of all
	card    func(*datasource.Card) []byte                            // the published card of its source
	config  func(*exchange.RequesterConfig, *exchange.RequesterDeps) // of the asker
	deps    func(*exchange.HolderConfig, *exchange.HolderDeps)       // of the holder
}

func on(act anex.Performative, change func(string) string) func(anex.Message, []byte) [][]byte {
	return func(m anex.Message, raw []byte) [][]byte {
		if m.Performative != act {
			return [][]byte{raw}
		}
		return [][]byte{[]byte(change(string(raw)))}
	}
}

func replace(act anex.Performative, from, to string) func(anex.Message, []byte) [][]byte {
	return on(act, func(s string) string {
		if !strings.Contains(s, from) {
			panic("nothing to replace in " + s)
		}
		return strings.ReplaceAll(s, from, to)
	})
}

func receipt(change func(*casefile.Receipt)) evil { return evil{receipt: change} }

const (
	noClass = exchange.Class("")
)

// hostile returns the holders of "bad input".
func hostile() map[string]struct {
	evil
	reason string
	class  exchange.Class
} {
	other := newJudge(99)
	return map[string]struct {
		evil
		reason string
		class  exchange.Class
	}{
		"has no such source":      {evil{book: func(b *book) { b.card.Name = "else" }, card: known}, "does not have the source", exchange.ClassAbsent},
		"no such source any more": {evil{book: func(b *book) { b.card.Name = "else" }, card: none}, "does not have the source", noClass},
		"wrong schema":            {evil{book: says(`{"id":7}`)}, "answered what its card does not allow", exchange.ClassSchema},
		"no canonical form":       {evil{book: says(`{"id":"7","n":1}`), frame: replace(anex.ActInform, `"n": 1`, `"n": 9007199254740993`), card: none}, "answered what has no canonical form", exchange.ClassSchema},
		"oversized frame":         {evil{frame: on(anex.ActInform, func(string) string { return strings.Repeat("x", exchange.MaxToAsker+1) })}, "does not keep to the protocol: too large", exchange.ClassProtocol},
		"deep data":               {evil{frame: replace(anex.ActInform, `"text": "lie"`, `"text": `+strings.Repeat("[", 70)+strings.Repeat("]", 70))}, "does not keep to the protocol: too large", exchange.ClassProtocol},
		"not JSON":                {evil{frame: on(anex.ActPropose, func(string) string { return "{" })}, "does not keep to the protocol: not strict JSON", exchange.ClassProtocol},
		"no ANEX":                 {evil{frame: on(anex.ActAgree, func(string) string { return "{}" })}, "does not keep to the protocol: not an ANEX message", exchange.ClassProtocol},
		"unknown word":            {evil{frame: replace(anex.ActAgree, `"AGREE"`, `"OBEY"`)}, "does not keep to the protocol: word not known", exchange.ClassProtocol},
		"other sender":            {evil{frame: replace(anex.ActAgree, `"sender": "`, `"sender": "x`)}, "does not keep to the protocol: message of another conversation", exchange.ClassProtocol},
		"endless agreement":       {evil{frame: times(anex.ActAgree, 100)}, "does not keep to the protocol: message out of order", exchange.ClassProtocol},
		"endless frames":          {evil{serve: babble}, "does not keep to the protocol: not strict JSON", exchange.ClassProtocol},
		"never-ending modifications": {evil{frame: func(m anex.Message, raw []byte) [][]byte {
			if m.Performative != anex.ActAgree {
				return nil
			}
			m.Performative, m.Content, m.ReplyWith = anex.ActPropose, json.RawMessage(`{ "modification": "more" }`), "h77"
			return [][]byte{encode(m)}
		}}, "offers less than is needed", noClass},
		"promise not offered": {evil{frame: replace(anex.ActPropose, `"promise": []`, `"promise": ["my firstborn"]`)}, "broke what was asked or agreed", exchange.ClassBreach},
		"price above the limit": {evil{frame: replace(anex.ActPropose, `"promise": []`, `"promise": [], "price": "1"`)},
			"broke what was asked or agreed", exchange.ClassBreach},
		"field not agreed": {evil{book: func(b *book) { b.card.Terms.Access = []string{"id"} },
			frame: replace(anex.ActInform, `"data": { "id": "7" }`, `"data": { "id": "7", "text": "more" }`)}, "broke what was asked or agreed", exchange.ClassBreach},
		"other data than signed": {evil{frame: replace(anex.ActInform, `"lie"`, `"other lie"`)}, "its receipt does not hold: response", exchange.ClassReceipt},
		"no receipt":             {evil{frame: on(anex.ActInform, func(s string) string { return cutReceipt(s) })}, "its receipt does not hold: form", exchange.ClassReceipt},
		"forged receipt":         {evil{sign: func(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(other.key) }}, "its receipt does not hold: holder", exchange.ClassReceipt},
		"bad signature": {evil{sign: func(r casefile.Receipt) (casefile.Receipt, error) {
			holder := r.Holder
			r, err := r.Sign(other.key)
			r.Holder = holder
			return r, err
		}}, "its receipt does not hold: signature", exchange.ClassReceipt},
		"receipt of another case":    {receipt(func(r *casefile.Receipt) { r.Case[5]++ }), "its receipt does not hold: case", exchange.ClassReceipt},
		"receipt of another round":   {receipt(func(r *casefile.Receipt) { r.Round = 2 }), "its receipt does not hold: round", exchange.ClassReceipt},
		"receipt of another judge":   {receipt(func(r *casefile.Receipt) { r.Judge[5]++ }), "its receipt does not hold: judge", exchange.ClassReceipt},
		"receipt of another asker":   {receipt(func(r *casefile.Receipt) { r.Asker = other.peer }), "its receipt does not hold: asker", exchange.ClassReceipt},
		"receipt of another source":  {receipt(func(r *casefile.Receipt) { r.Source = "else" }), "its receipt does not hold: source", exchange.ClassReceipt},
		"receipt of another request": {receipt(func(r *casefile.Receipt) { r.Request[0]++ }), "its receipt does not hold: request", exchange.ClassReceipt},
		"receipt of other terms":     {receipt(func(r *casefile.Receipt) { r.Terms[0]++ }), "its receipt does not hold: terms", exchange.ClassReceipt},
		"receipt of a higher price":  {receipt(func(r *casefile.Receipt) { r.Price = 1 }), "its receipt does not hold: price", exchange.ClassReceipt},
		"receipt of less":            {receipt(func(r *casefile.Receipt) { r.Access = []string{"/id"} }), "its receipt does not hold: access", exchange.ClassReceipt},
		"receipt of another network": {receipt(func(r *casefile.Receipt) { r.Network[0]++ }), "its receipt does not hold: network", exchange.ClassReceipt},
		"receipt before the round":   {receipt(func(r *casefile.Receipt) { r.At -= 100 }), "its receipt does not hold: time", exchange.ClassReceipt},
		"receipt after the round":    {receipt(func(r *casefile.Receipt) { r.At += 400 }), "its receipt does not hold: time", exchange.ClassReceipt},
		"fetched in the future":      {receipt(func(r *casefile.Receipt) { r.FetchedAt += 60 }), "its receipt does not hold: time", exchange.ClassReceipt},
		"silent":                     {evil{serve: silent}, "did not answer in time", exchange.ClassLate},
		"slow source":                {evil{book: func(b *book) { b.delay = time.Hour }}, "failed: " + datasource.ErrSlow.Error(), noClass},
		"cut off in the middle": {evil{frame: func(m anex.Message, raw []byte) [][]byte {
			if m.Performative == anex.ActInform {
				return nil
			}
			return [][]byte{raw}
		}, config: func(c *exchange.RequesterConfig, _ *exchange.RequesterDeps) { c.HolderTimeout = 5 * time.Second }}, "did not answer in time", exchange.ClassLate},
		"hangs up": {evil{serve: func(_ context.Context, line exchange.Stream) { hang(line) }}, "ended the conversation", noClass},
		"dead":     {evil{serve: nil, deps: dead}, "cannot be reached", noClass},
		"dial hangs": {evil{config: func(_ *exchange.RequesterConfig, d *exchange.RequesterDeps) {
			dial := d.Dial
			d.Dial = func(ctx context.Context, peer casefile.DID) (exchange.Stream, error) {
				if peer == newJudge(1).peer {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return dial(ctx, peer)
			}
		}}, "was not connected within this node's time limit", noClass},
		"refuses":                 {evil{frame: replace(anex.ActAgree, `"AGREE"`, `"REFUSE"`)}, "refused", noClass},
		"demands":                 {evil{book: func(b *book) { b.card.Terms.Demands = []string{"a kidney"} }}, "demands a promise that this node does not give", noClass},
		"costs, as its card says": {evil{book: func(b *book) { b.card.Terms.Price = 1 }}, "wants more than may be paid", noClass},
		"costs":                   {evil{book: func(b *book) { b.card.Terms.Price = 1 }, card: none, deps: func(_ *exchange.HolderConfig, d *exchange.HolderDeps) { d.Till = &till{} }}, "wants more than may be paid", noClass},
		"upstream down":           {evil{book: fails(datasource.ErrDown)}, "failed: " + datasource.ErrDown.Error(), noClass},
		"says bad request":        {evil{book: fails(datasource.ErrRequest)}, "does not take the request", noClass},
		"upstream text":           {evil{book: fails(errors.New("secret key abc"))}, "failed: " + datasource.ErrDown.Error(), noClass},
		"broken card":             {evil{card: func(*datasource.Card) []byte { return []byte(`{"name":"posts"}`) }}, "its card is not valid", exchange.ClassProtocol},
		"card of other source":    {evil{card: func(c *datasource.Card) []byte { c.Name = "else"; return mustCard(*c) }}, "its card is not valid", exchange.ClassProtocol},
		"card with other input": {evil{card: func(c *datasource.Card) []byte {
			c.InputSchema = json.RawMessage(`{"required":["x"]}`)
			return mustCard(*c)
		}}, "does not take the request", noClass},
		"its signer fails": {evil{sign: func(r casefile.Receipt) (casefile.Receipt, error) { return r, io.ErrUnexpectedEOF }}, "failed: this node cannot answer now", noClass},
	}
}

func known(*datasource.Card) []byte { return mustCard(newCard()) }
func none(*datasource.Card) []byte  { return nil }

func mustCard(c datasource.Card) []byte {
	raw, err := c.Encode()
	if err != nil {
		panic(err)
	}
	return raw
}

func dead(*exchange.HolderConfig, *exchange.HolderDeps) {}

func says(text string) func(*book) {
	return func(b *book) { b.answer = func([]byte) (string, error) { return text, nil } }
}

func fails(err error) func(*book) {
	return func(b *book) { b.answer = func([]byte) (string, error) { return "", err } }
}

func times(act anex.Performative, n int) func(anex.Message, []byte) [][]byte {
	return func(m anex.Message, raw []byte) [][]byte {
		if m.Performative != act {
			return [][]byte{raw}
		}
		m.ReplyWith = ""
		return bytes.Split(bytes.Repeat(append(encode(m), '\n'), n), []byte("\n"))
	}
}

func encode(m anex.Message) []byte {
	raw, err := anex.Encode(m)
	if err != nil {
		panic(err)
	}
	return raw
}

func cutReceipt(frame string) string {
	i := strings.Index(frame, `"receipt": {`)
	j := strings.Index(frame[i:], "}") + i
	return frame[:i] + `"receipt": {` + frame[j:]
}

func silent(ctx context.Context, line exchange.Stream) {
	<-ctx.Done()
	hang(line)
}

func babble(ctx context.Context, line exchange.Stream) {
	defer hang(line)
	for ctx.Err() == nil && line.Send([]byte("blah")) == nil {
	}
}

// place sets the evil holder up as the first known one.
func (e evil) place(w *web, j judge) {
	b := newBook(`"lie"`)
	if e.book != nil {
		e.book(b)
	}
	w.holder(j, b, func(c *exchange.HolderConfig, d *exchange.HolderDeps) {
		if e.deps != nil {
			e.deps(c, d)
		}
		d.Sign = e.signer(j)
	})
	if e.card != nil {
		card := b.card
		w.cards[len(w.cards)-1].Card = e.card(&card)
	}
	honest := w.serves[j.peer]
	switch {
	case e.serve != nil:
		w.serve(j.peer, func(ctx context.Context, _ casefile.DID, line exchange.Stream) { e.serve(ctx, line) })
	case e.frame != nil:
		w.serve(j.peer, func(ctx context.Context, asker casefile.DID, line exchange.Stream) {
			honest(ctx, asker, tampered{line, func(raw []byte) [][]byte {
				m, err := anex.Parse(raw)
				if err != nil {
					panic(err)
				}
				return e.frame(m, raw)
			}})
		})
	}
}

func (e evil) signer(j judge) exchange.Signer {
	return func(r casefile.Receipt) (casefile.Receipt, error) {
		if e.receipt != nil {
			e.receipt(&r)
		}
		if e.sign != nil {
			return e.sign(r)
		}
		return r.Sign(j.key)
	}
}

// TestHostile: each of them is refused with its reason, blamed if it is at fault, and recorded.
// Others answer in time.
func TestHostile(t *testing.T) {
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				me, bad := newJudge(0), newJudge(1)
				w := newWeb(t, me)
				defer w.close()
				c.place(w, bad)
				if name == "dead" {
					w.serve(bad.peer, nil)
				}
				w.holder(newJudge(2), newBook(`"truth"`), nil)
				w.holder(newJudge(3), newBook(`"truth"`), nil)
				d := w.desk(me, func(cfg *exchange.RequesterConfig, deps *exchange.RequesterDeps) {
					cfg.HolderTimeout, cfg.SecondAnswerWait = 10*time.Second, 60*time.Second
					if c.config != nil {
						c.config(cfg, deps)
					}
				})
				if name == "slow source" { // the holder gives up before the asker does
					d = w.desk(me, func(cfg *exchange.RequesterConfig, _ *exchange.RequesterDeps) {
						cfg.SecondAnswerWait = 60 * time.Second
					})
				}
				s := d.open(t, 5*time.Minute)
				start := time.Now()
				answers, err := ask(s, "7")
				if took := time.Since(start); err != nil || len(answers) != 2 || took > 70*time.Second {
					t.Fatal(len(answers), err, took)
				}
				for _, a := range answers {
					if a.Holder == bad.peer || !strings.Contains(string(a.Content), "truth") {
						t.Errorf("%s says %s", a.Holder, a.Content)
					}
				}
				s.Close()
				d.verify(t, s, answers...)
				if r := reasons(s); len(r) != 1 || r[bad.peer] != c.reason {
					t.Errorf("recorded: %q", r)
				}
				d.blamed.mu.Lock()
				defer d.blamed.mu.Unlock()
				if got := d.blamed.all[bad.peer]; len(d.blamed.all) > 1 || (c.class == "") != (len(got) == 0) || len(got) > 0 && (len(got) != 1 || got[0] != c.class) {
					t.Errorf("blamed: %v", d.blamed.all)
				}
			})
		})
	}
}

// TestShunned: a holder that broke the rules is not asked again in the evaluation. A holder that
// was only slow is asked after the others.
func TestShunned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := newJudge(0)
		w := newWeb(t, me)
		defer w.close()
		evil{serve: babble}.place(w, newJudge(1))
		count := 0
		w.says(newJudge(2).peer, nil)
		w.serve(newJudge(2).peer, func(_ context.Context, _ casefile.DID, line exchange.Stream) { count++; hang(line) })
		w.holder(newJudge(3), newBook(`"x"`), nil)
		d := w.desk(me, nil)
		s := d.open(t, time.Minute)
		for _, id := range []string{"1", "2"} {
			if answers, err := ask(s, id); err != nil || len(answers) != 1 {
				t.Fatal(answers, err)
			}
		}
		s.Close()
		if rec := s.Record(); len(rec[0].Failures) != 2 || len(rec[1].Failures) != 1 || *rec[1].Failures[0].Holder != newJudge(2).peer || count != 2 {
			t.Errorf("%+v, %d", rec, count)
		}
	})
}
