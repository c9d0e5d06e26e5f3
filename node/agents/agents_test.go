package agents

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// court has agents, and nodes that give content.
type court struct {
	agents  []*program.Agent
	fault   error
	content map[voting.Hash][]byte
	listed  int
	asked   []voting.Hash
	silent  bool // nodes do not answer
}

func (c *court) list(context.Context) ([]*program.Agent, error) {
	c.listed++
	return c.agents, c.fault
}

func (c *court) index(ask int) *Index {
	turn := make(chan struct{}, 1)
	return New(Needs{List: c.list, Card: func(ctx context.Context, _ voting.Key, hash voting.Hash) ([]byte, error) {
		turn <- struct{}{}
		c.asked = append(c.asked, hash)
		<-turn
		if c.silent {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if raw, ok := c.content[hash]; ok {
			return raw, nil
		}
		return nil, errors.New("nobody has it")
	}}, Bounds{Ask: ask, Patience: time.Second, Fresh: 5 * time.Second})
}

// add adds an agent with a card that has a skill; name is a word of the card. Paid tasks are its
// record.
func (c *court) add(t *testing.T, n byte, name, skill string, paid uint32) agentcard.Signed {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	who := casefile.Address(key.Public().(ed25519.PublicKey))
	raw := fmt.Sprintf(`{"name":%q,"description":"x","supportedInterfaces":[],"version":"1","capabilities":{"extensions":[{"uri":"urn:ojud:agent:1","params":{"authority":%q,`+
		`"prices":[{"skill":%q,"lamports":"%d"}]}}]},"defaultInputModes":[],"defaultOutputModes":[],"skills":[{"id":%q,"name":"x","description":"x","tags":["Words"]}]}`, name, who, skill, n, skill)
	content, err := agentcard.Sign([]byte(raw), who, func(m []byte) [64]byte { return [64]byte(ed25519.Sign(key, m)) })
	if err != nil {
		t.Fatal(err)
	}
	s, err := agentcard.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	if c.content == nil {
		c.content = map[voting.Hash][]byte{}
	}
	c.content[s.Hash] = s.Content
	c.agents = append(c.agents, &program.Agent{Authority: onchain.Address(who), CardHash: s.Hash, TasksPaid: paid})
	return s
}

// TestOrder: agents stand by their record. One good deed is worth less than forty, and an agent
// without a record stands above one with a bad record.
func TestOrder(t *testing.T) {
	t.Parallel()
	c := &court{}
	for i, a := range []program.Agent{{TasksMissed: 3, TasksPaid: 1}, {}, {TasksPaid: 1}, {TasksPaid: 38, CasesWon: 2}, {TasksPaid: 40, CasesLost: 40}, {RegisteredAt: -1}} {
		a.Authority = onchain.Address{byte(i)}
		c.agents = append(c.agents, &a)
	}
	d, err := c.index(9).Read(t.Context())
	if err != nil || d.Waiting != 0 {
		t.Fatal(err, d.Waiting)
	}
	var got []byte
	for _, a := range d.Agents {
		got = append(got, a.Authority[0])
	}
	if want := "[3 2 4 5 1 0]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	c.fault = errors.New("lists are refused")
	if _, err := c.index(9).Read(t.Context()); !errors.Is(err, c.fault) {
		t.Error(err)
	}
}

// TestFind: an agent is found by the id or a tag of a skill, and by words of its card or address.
func TestFind(t *testing.T) {
	t.Parallel()
	c := &court{}
	c.add(t, 1, "Ann", "translation", 1)
	best := c.add(t, 2, "Bob", "translation", 9)
	c.add(t, 3, "Eve", "accounting", 0)
	c.agents[2].RegisteredAt = 1
	c.agents = append(c.agents, &program.Agent{Authority: onchain.Address{4}, RegisteredAt: 2})
	x := c.index(9)
	d, err := x.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct{ skill, words, want string }{
		{"", "", "Bob Ann Eve -"}, {"translation", "", "Bob Ann"}, {"TRANSLATION", "ann", "Ann"}, {"words", "", "Bob Ann Eve"}, {"transl", "", ""},
		{"", "eve accounting", "Eve"}, {"", best.Authority.String()[:20], "Bob"}, {"accounting", "bob", ""}, {"", onchain.Address{4}.String(), "-"},
	} {
		var names []string
		for _, p := range d.Find(q.skill, q.words) {
			if p.Card == nil {
				names = append(names, "-")
			} else {
				names = append(names, p.Card.Name)
			}
		}
		if got := strings.Join(names, " "); got != q.want {
			t.Errorf("%q %q: %s, want %s", q.skill, q.words, got, q.want)
		}
	}
	if price, ok := d.Agents[0].Price("translation"); !ok || price != 2 {
		t.Error(price, ok)
	}
	if _, ok := d.Agents[0].Price("accounting"); ok {
		t.Error("a price of nothing")
	}
	for skill, want := range map[string]casefile.Amount{"translation": 2, "WORDS": 2, "": 2, "accounting": 0} {
		if asked, ok := d.Agents[0].Asks(skill); asked != want || ok != (want != 0) {
			t.Errorf("%q: %d %t", skill, asked, ok)
		}
	}
	one, err := x.Agent(t.Context(), voting.Key(best.Authority))
	if v := one.Listed(); err != nil || !bytes.Equal(v.Card, best.Content) || v.CardHash != casefile.Digest(best.Hash).String() || v.TasksPaid != 9 {
		t.Errorf("%+v %v", v, err)
	}
	if _, err := x.Agent(t.Context(), voting.Key{9}); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if c.listed != 1 || len(c.asked) != 3 {
		t.Errorf("%d lists, %d cards were asked for", c.listed, len(c.asked))
	}
}

// TestAttackOthersCard: an agent that names the card of another, or content that is no card, is
// found by no skill, and the true one still is. A node that sends other content changes nothing.
func TestAttackOthersCard(t *testing.T) {
	t.Parallel()
	c := &court{}
	true1 := c.add(t, 1, "Ann", "translation", 0)
	text := []byte("no card")
	c.content[casefile.HashOf(text)] = text
	lied := voting.Hash{7}
	c.content[lied] = true1.Content // a node lies about what this is
	for i, hash := range []voting.Hash{true1.Hash, casefile.HashOf(text), lied} {
		c.agents = append(c.agents, &program.Agent{Authority: onchain.Address{byte(i + 1)}, CardHash: hash, TasksPaid: 50})
	}
	d, err := c.index(9).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found := d.Find("translation", ""); len(found) != 1 || found[0].Authority != onchain.Address(true1.Authority) {
		t.Errorf("%d are found", len(found))
	}
	if d.Waiting != 1 || d.Agents[0].NoCard != notTheir || d.Agents[1].NoCard != notTheir || d.Agents[2].NoCard != notHere {
		t.Errorf("%d %q %q %q", d.Waiting, d.Agents[0].NoCard, d.Agents[1].NoCard, d.Agents[2].NoCard)
	}
}

// TestAttackDeadCards: 100 agents with a good record name cards that nobody has. They hold a look
// up for a second, and the agent after them is found at the second look.
func TestAttackDeadCards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &court{}
		c.add(t, 1, "Ann", "translation", 0)
		for i := range 100 {
			c.agents = append(c.agents, &program.Agent{Authority: onchain.Address{1, byte(i)}, CardHash: voting.Hash{byte(i), 1}, TasksPaid: 50})
		}
		x := c.index(100)
		c.silent = true
		start := time.Now()
		d, err := x.Read(t.Context())
		if took := time.Since(start); err != nil || took != time.Second || len(d.Find("translation", "")) != 0 || d.Waiting != 101 {
			t.Errorf("%v, %s, %d wait", err, took, d.Waiting)
		}
		c.silent = false
		if _, err := x.Read(t.Context()); err != nil || c.listed != 1 {
			t.Errorf("%v, the chain was asked %d times", err, c.listed)
		}
		time.Sleep(6 * time.Second)
		if d, err = x.Read(t.Context()); err != nil || len(d.Find("translation", "")) != 1 || d.Waiting != 100 {
			t.Errorf("%v, %d wait", err, d.Waiting)
		}
		before := len(c.asked)
		time.Sleep(6 * time.Second)
		if _, err = x.Read(t.Context()); err != nil || len(c.asked) != before {
			t.Errorf("%v, %d cards were asked for again at once", err, len(c.asked)-before)
		}
		time.Sleep(retry)
		if _, err = x.Read(t.Context()); err != nil || len(c.asked) != before+100 {
			t.Errorf("%v, %d cards were asked for after a minute", err, len(c.asked)-before)
		}
		c.agents = c.agents[:1]
		time.Sleep(6 * time.Second)
		if _, err = x.Read(t.Context()); err != nil || len(x.cards) != 1 {
			t.Errorf("%v, %d cards are remembered of one agent", err, len(x.cards))
		}
	})
}

// TestAttackManyLargeCards: cards fill a bounded room, and those of the agents with the best
// record come first.
func TestAttackManyLargeCards(t *testing.T) {
	t.Parallel()
	c := &court{}
	ann := c.add(t, 1, "Ann", "translation", 9)
	x := c.index(1)
	for i := range 2 * maxBytes / agentcard.MaxBytes {
		hash := voting.Hash{byte(i), byte(i >> 8), 1}
		who := onchain.Address{byte(i), byte(i >> 8), 2}
		c.agents = append(c.agents, &program.Agent{Authority: who, CardHash: hash})
		x.cards[hash] = kept{card: &agentcard.Signed{CourtTerms: agentcard.CourtTerms{Authority: casefile.Address(who)}, Content: make([]byte, agentcard.MaxBytes)}}
	}
	late := c.agents[len(c.agents)-1]
	d, err := x.Read(t.Context())
	sum := 0
	for _, k := range x.cards {
		if k.card != nil {
			sum += len(k.card.Content)
		}
	}
	if err != nil || sum > maxBytes {
		t.Errorf("%v, %d bytes are remembered, at most %d", err, sum, maxBytes)
	}
	if len(d.Find("translation", "")) != 1 {
		t.Errorf("the agent with the best record has no room: %s", ann.Name)
	}
	for _, p := range d.Agents {
		if p.Agent == late && p.NoCard == "" {
			t.Error("the last agent has room")
		}
	}
}
