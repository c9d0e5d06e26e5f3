package content

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/journal/blob"
	"ojud/ledger/program"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// court is a network without peers, a chain with one task, and a memory for content.
type court struct {
	host
	terms    *program.Task
	agent    *program.Agent
	pinned   map[voting.Key][]voting.Hash
	err      error // of the chain
	withheld voting.Hash
	full     bool       // the store has no room
	mu       sync.Mutex // of what is kept: a brief searches in the background
	kept     map[voting.Hash][]byte
	data     map[voting.Key]*program.AgentData
}

func (*court) Provide(context.Context, []byte) error { return nil }

func (c *court) Withheld(hash voting.Hash) bool { return hash == c.withheld }

func (*court) SeatPeers(voting.Key) []peer.ID { return nil }

func (c *court) Terms(context.Context, voting.Key) (*program.Task, error) { return c.terms, c.err }

func (c *court) FindTask(context.Context, voting.Key) (*program.Task, error) { return c.terms, c.err }

func (c *court) Blob(hash voting.Hash) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if content, ok := c.kept[hash]; ok {
		return content, nil
	}
	return nil, blob.ErrNotFound
}

func (c *court) Has(hash voting.Hash) bool {
	_, err := c.Blob(hash)
	return err == nil
}

func (*court) Follows(voting.Key) (bool, bool) { return false, false }

func (*court) Said(voting.Key) (int64, bool, error) { return 0, false, nil }

func (c *court) FindOwners(context.Context, []voting.Key) ([]*program.Task, []*program.Agent, error) {
	return nil, nil, c.err
}

func (c *court) FindData(_ context.Context, at []voting.Key) ([]*program.AgentData, error) {
	out := make([]*program.AgentData, len(at))
	for i, a := range at {
		out[i] = c.data[a]
	}
	return out, c.err
}

func (c *court) Put(content []byte) (voting.Hash, error) {
	hash := casefile.HashOf(content)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[hash] = content
	return hash, nil
}

func (c *court) Keep(owner voting.Key, content []byte) (voting.Hash, error) {
	if c.full {
		return voting.Hash{}, blob.ErrFull
	}
	hash, err := c.Put(content)
	if c.pinned != nil && !c.Pinned(owner, hash) {
		c.pinned[owner] = append(c.pinned[owner], hash)
	}
	return hash, err
}

func (*court) Rate(voting.Key, blob.Merit) {}

func (*court) Owners() map[voting.Key]blob.Rank { return nil }

func (c *court) Pinned(owner voting.Key, hash voting.Hash) bool {
	return slices.Contains(c.pinned[owner], hash)
}

func (c *court) FindAgent(context.Context, voting.Key) (*program.Agent, error) { return c.agent, c.err }

func (c *court) Unpin(owner voting.Key) error {
	delete(c.pinned, owner)
	return nil
}

// signedCard returns a card that the n-th agent of a test signed.
func signedCard(t *testing.T, n byte, version string) agentcard.Signed {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	raw := `{"name":"Translator","description":"x","supportedInterfaces":[],"version":"` + version + `","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],` +
		`"skills":[{"id":"translation","name":"x","description":"x","tags":[]}]}`
	content, err := agentcard.Sign([]byte(raw), casefile.Address(key.Public().(ed25519.PublicKey)), func(m []byte) [64]byte { return [64]byte(ed25519.Sign(key, m)) })
	if err != nil {
		t.Fatal(err)
	}
	s, err := agentcard.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAttackCards: a node keeps the card that the chain names for an agent, and one at a time. A
// stranger fills no disk: cards that the chain does not name, cards of others and other content are
// refused before they are written, and each put counts against the sender's allowance.
func TestAttackCards(t *testing.T) {
	card, newer, other := signedCard(t, 1, "1"), signedCard(t, 1, "2"), signedCard(t, 2, "1")
	put := func(s agentcard.Signed, authority casefile.Address, content []byte) []byte {
		return append(append(append([]byte{opPutCard}, s.Hash[:]...), authority[:]...), content...)
	}
	for name, c := range map[string]struct {
		named agentcard.Signed
		chain error
		raw   []byte
		want  error
	}{
		"the agent's":          {card, nil, put(card, card.Authority, card.Content), nil},
		"not the present one":  {newer, nil, put(card, card.Authority, card.Content), p2p.ErrRefused},
		"of another":           {card, nil, put(card, other.Authority, card.Content), p2p.ErrBadRequest},
		"other content":        {card, nil, put(card, card.Authority, newer.Content), p2p.ErrBadRequest},
		"the hash of another":  {card, nil, put(newer, card.Authority, card.Content), p2p.ErrBadRequest},
		"no card":              {card, nil, put(card, card.Authority, []byte("{}")), p2p.ErrBadRequest},
		"white space":          {card, nil, put(card, card.Authority, append([]byte(" "), card.Content...)), p2p.ErrBadRequest},
		"no chain":             {card, errors.New("down"), put(card, card.Authority, card.Content), p2p.ErrBusy},
		"nothing but a header": {card, nil, put(card, card.Authority, nil), p2p.ErrBadRequest},
	} {
		w := &court{agent: &program.Agent{CardHash: c.named.Hash}, err: c.chain, kept: map[voting.Hash][]byte{}, pinned: map[voting.Key][]voting.Hash{}}
		group := work.NewGroup()
		s := New(Costs{MaxPuts: len(card.Content)}, w, w, w, w, group, slog.New(slog.DiscardHandler))
		_, err := s.answer(t.Context(), "peer", c.raw)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || len(w.kept) > 0 != (c.want == nil) {
			t.Errorf("%s: %v, want %v; %d kept", name, err, c.want, len(w.kept))
		}
		group.Wait()
	}
	w := &court{kept: map[voting.Hash][]byte{}, pinned: map[voting.Key][]voting.Hash{}}
	group := work.NewGroup()
	s := New(Costs{MaxPuts: 2 * len(card.Content)}, w, w, w, w, group, slog.New(slog.DiscardHandler))
	for _, now := range []agentcard.Signed{card, newer} {
		w.agent = &program.Agent{CardHash: now.Hash}
		if _, err := s.answer(t.Context(), "peer", put(now, now.Authority, now.Content)); err != nil {
			t.Error(err)
		}
		if pins := w.pinned[voting.Key(now.Authority)]; len(pins) != 1 || pins[0] != now.Hash {
			t.Errorf("%d cards of one agent are kept", len(pins))
		}
	}
	if _, err := s.answer(t.Context(), "peer", put(newer, newer.Authority, newer.Content)); !errors.Is(err, p2p.ErrBusy) {
		t.Errorf("beyond the allowance: %v", err)
	}
	group.Wait()
}

// TestAnswer: content is given to all unless it is withheld. It is taken if a live task names it,
// within the hourly allowance.
func TestAnswer(t *testing.T) {
	text, opinion := []byte("named by the task"), []byte("withheld")
	hash, secret := casefile.HashOf(text), casefile.HashOf(opinion)
	put := func(hash voting.Hash, content []byte) []byte {
		task := voting.Key{7}
		return append(append(append([]byte{opPut}, hash[:]...), task[:]...), content...)
	}
	get := func(hash voting.Hash) []byte { return append([]byte{opGet}, hash[:]...) }
	live := &program.Task{ResultHash: hash, Status: program.Judiciary}
	for name, c := range map[string]struct {
		terms *program.Task
		chain error
		raw   []byte
		want  error
	}{
		"nothing":             {live, nil, nil, p2p.ErrBadRequest},
		"not here":            {live, nil, get(hash), p2p.ErrNotFound},
		"withheld":            {live, nil, get(secret), p2p.ErrNotFound},
		"named":               {live, nil, put(hash, text), nil},
		"other hash":          {live, nil, put(hash, opinion), p2p.ErrBadRequest},
		"not named":           {live, nil, put(casefile.HashOf([]byte("x")), []byte("x")), p2p.ErrRefused},
		"over":                {&program.Task{ResultHash: hash, Status: program.Complete}, nil, put(hash, text), p2p.ErrRefused},
		"no task":             {nil, nil, put(hash, text), p2p.ErrNotFound},
		"no chain":            {live, errors.New("down"), put(hash, text), p2p.ErrBusy},
		"more than an hour's": {live, nil, put(casefile.HashOf(make([]byte, 101)), make([]byte, 101)), p2p.ErrBusy},
	} {
		w := &court{terms: c.terms, err: c.chain, withheld: secret, kept: map[voting.Hash][]byte{secret: opinion}}
		group := work.NewGroup()
		s := New(Costs{MaxPuts: 100}, w, w, w, w, group, slog.New(slog.DiscardHandler))
		_, err := s.answer(t.Context(), "peer", c.raw)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if taken := w.Has(hash); taken != (c.want == nil) {
			t.Errorf("%s: it was kept: %t", name, taken)
		}
		group.Wait()
	}
}

// TestModules: a node takes a module that the document of a live task names, for judges, and no
// other.
func TestModules(t *testing.T) {
	module, other := []byte("a module"), []byte("another")
	hash := casefile.HashOf(module)
	document, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[{"path":"","program":{"wasi":"` + hash.String() + `"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	task := casefile.HashOf(document.Raw)
	w := &court{terms: &program.Task{TaskHash: task, Status: program.Judiciary}, kept: map[voting.Hash][]byte{task: document.Raw}}
	group := work.NewGroup()
	s := New(Costs{MaxPuts: 100}, w, w, w, w, group, slog.New(slog.DiscardHandler))
	for _, c := range []struct {
		content []byte
		want    error
	}{{other, p2p.ErrRefused}, {module, nil}} {
		sum, key := casefile.HashOf(c.content), voting.Key{7}
		_, err := s.answer(t.Context(), "peer", append(append(append([]byte{opPut}, sum[:]...), key[:]...), c.content...))
		if !errors.Is(err, c.want) || w.Has(sum) != (c.want == nil) {
			t.Errorf("%s: %v", c.content, err)
		}
	}
	group.Wait()
}

// TestAttackPinnedByCard: an agent that names a large document, or the older card of another agent,
// as its card makes no node keep it, and displaces nothing.
func TestAttackPinnedByCard(t *testing.T) {
	card, older := signedCard(t, 1, "2"), signedCard(t, 1, "1")
	large := make([]byte, MaxBlob)
	w := &court{kept: map[voting.Hash][]byte{card.Hash: card.Content, older.Hash: older.Content, casefile.HashOf(large): large}, pinned: map[voting.Key][]voting.Hash{}}
	s := New(Costs{}, w, w, w, w, work.NewGroup(), slog.New(slog.DiscardHandler))
	thief, owner := voting.Key{7}, voting.Key(card.Authority)
	for _, c := range []struct {
		who  voting.Key
		hash voting.Hash
	}{{owner, card.Hash}, {thief, older.Hash}, {thief, casefile.HashOf(large)}, {thief, card.Hash}} {
		if content, err := s.Card(t.Context(), c.who, c.hash); err != nil || casefile.HashOf(content) != c.hash {
			t.Errorf("%x: %v", c.hash[:4], err)
		}
	}
	if len(w.pinned[thief]) != 0 || len(w.pinned[owner]) != 1 || w.pinned[owner][0] != card.Hash {
		t.Errorf("%v", w.pinned)
	}
}
