package content

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
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
	err      error // of the chain
	withheld voting.Hash
	kept     map[voting.Hash][]byte
}

func (*court) Provide(context.Context, []byte) error { return nil }

func (c *court) Withheld(hash voting.Hash) bool { return hash == c.withheld }

func (*court) SeatPeers(voting.Key) []peer.ID { return nil }

func (c *court) Terms(context.Context, voting.Key) (*program.Task, error) { return c.terms, c.err }

func (c *court) FindTask(context.Context, voting.Key) (*program.Task, error) { return c.terms, c.err }

func (c *court) Blob(hash voting.Hash) ([]byte, error) {
	if content, ok := c.kept[hash]; ok {
		return content, nil
	}
	return nil, blob.ErrNotFound
}

func (c *court) Has(hash voting.Hash) bool { return c.kept[hash] != nil }

func (c *court) PutAs(hash voting.Hash, content []byte) error {
	c.kept[hash] = content
	return nil
}

func (*court) Pin(voting.Key, ...voting.Hash) error { return nil }

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
