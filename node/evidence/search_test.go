package evidence

import (
	"context"
	"encoding/hex"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/node/work"
)

// calls is a data topic on which peers offer the source as soon as they are called.
type calls struct {
	offers []offer

	mu     sync.Mutex
	called []time.Time
	left   int
}

func (c *calls) listen(string) chan offer {
	ch := make(chan offer, len(c.offers))
	for _, o := range c.offers {
		ch <- o
	}
	return ch
}

func (c *calls) leave(string, chan offer) { c.left++ }

func (c *calls) call(context.Context, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = append(c.called, time.Now())
}

// seen is a candidate, and how long the search took to find it.
type seen struct {
	peer  byte
	after time.Duration
	card  string
}

// look searches for a minute of a fake clock. It must run in a bubble of synctest.
func look(t *testing.T, f finder) []seen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	var out []seen
	for c := range f.Holders(ctx, "a") {
		out = append(out, seen{c.Peer[0], time.Since(began), string(c.Card)})
	}
	f.work.Wait()
	return out
}

// TestOrderOfPlaces: the directory comes first. If it names two judges, the search waits a second
// before it calls or asks the DHT. Judges come before strangers.
func TestOrderOfPlaces(t *testing.T) {
	judges := listed{1, 2, 3}
	for name, c := range map[string]struct {
		places  Place
		holders []byte // in the directory
		offers  []byte
		dht     []byte
		want    map[byte]time.Duration
		called  time.Duration // when the topic was called; negative: never
	}{
		"nothing in the directory": {All, nil, []byte{1, 8}, []byte{2, 9},
			map[byte]time.Duration{1: 0, 2: 0, 8: lookFurther, 9: lookFurther}, 0},
		"one judge is not enough": {All, []byte{1}, []byte{2}, nil, map[byte]time.Duration{1: 0, 2: 0}, 0},
		"two judges are enough for a second": {All, []byte{1, 2}, []byte{3, 8}, nil,
			map[byte]time.Duration{1: 0, 2: 0, 3: lookFurther, 8: 2 * lookFurther}, lookFurther},
		"strangers are never enough": {All, []byte{7, 8, 9}, []byte{1}, nil,
			map[byte]time.Duration{1: 0, 7: lookFurther, 8: lookFurther, 9: lookFurther}, 0},
		"without calls no one waits": {Directory | DHT, []byte{1, 2, 9}, []byte{3}, []byte{8},
			map[byte]time.Duration{1: 0, 2: 0, 8: 0, 9: 0}, -1},
		"the directory alone":                 {Directory, []byte{1}, []byte{2}, []byte{3}, map[byte]time.Duration{1: 0}, -1},
		"the DHT alone":                       {DHT, []byte{1}, []byte{2}, []byte{3}, map[byte]time.Duration{3: 0}, -1},
		"calls alone":                         {Calls, []byte{1}, []byte{2}, []byte{3}, map[byte]time.Duration{2: 0}, 0},
		"each peer once, and never this node": {All, []byte{1, 99}, []byte{1, 99}, []byte{1, 99}, map[byte]time.Duration{1: 0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, topic, dir := &wire{self: id(t, 99)}, &calls{}, announced{}
				for _, n := range c.holders {
					dir.peers = append(dir.peers, id(t, n))
				}
				for _, n := range c.dht {
					w.providers = append(w.providers, id(t, n))
				}
				for _, n := range c.offers {
					topic.offers = append(topic.offers, offer{from: id(t, n)})
				}
				f := newFinder(dir, w, topic, judges, newCards(newLibrary(), newLibrary(), quiet()), work.NewGroup(), quiet())
				f.places = c.places
				began := time.Now()
				got := look(t, f)
				if len(got) != len(c.want) {
					t.Errorf("found %v, want %v", got, c.want)
				}
				for _, s := range got {
					if want, ok := c.want[s.peer]; !ok || s.after != want {
						t.Errorf("peer %d after %s, want %s, %t", s.peer, s.after, want, ok)
					}
				}
				if c.called < 0 && len(topic.called) > 0 || c.called >= 0 && (len(topic.called) != 1 || topic.called[0].Sub(began) != c.called) {
					t.Errorf("called at %v, want after %s", topic.called, c.called)
				}
				if topic.left != len(topic.called) {
					t.Error("a search that ended still waits for offers")
				}
			})
		})
	}
}

// TestBoundsOfSearch: any number of strangers may claim to have the source, but only so many become
// candidates. Judges are not counted among them.
func TestBoundsOfSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, judges := announced{}, listed{}
		for n := byte(1); n <= maxStrangers+20; n++ {
			dir.peers = append(dir.peers, id(t, n))
		}
		for n := byte(200); n < 220; n++ {
			judges, dir.peers = append(judges, n), append(dir.peers, id(t, n))
		}
		w := &wire{}
		for n := byte(150); n < 180; n++ {
			w.providers = append(w.providers, id(t, n))
		}
		f := newFinder(dir, w, &calls{}, judges, newCards(newLibrary(), newLibrary(), quiet()), work.NewGroup(), quiet())
		f.places = Directory
		if got := look(t, f); len(got) != maxStrangers+len(judges) {
			t.Errorf("%d candidates, want %d strangers and %d judges", len(got), maxStrangers, len(judges))
		}
		f.places = DHT
		if got := look(t, f); len(got) != maxProviders {
			t.Errorf("%d candidates of the DHT, want %d", len(got), maxProviders)
		}
	})
}

// TestOnlyHolder: a search for one peer looks at no other and calls no one. It ends with ctx.
func TestOnlyHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content := []byte("the card")
		hash := casefile.HashOf(content)
		dir, w, topic := announced{[]peer.ID{id(t, 1), id(t, 2)}, hex.EncodeToString(hash[:])}, &wire{}, &calls{}
		f := newFinder(dir, w, topic, listed{1, 2}, newCards(newLibrary(content), newLibrary(), quiet()), work.NewGroup(), quiet())
		f.only = &casefile.DID{2}
		if got := look(t, f); len(got) != 1 || got[0] != (seen{2, 0, "the card"}) || len(topic.called) != 0 || len(w.looked) != 0 {
			t.Errorf("%+v; called %v, DHT %v", got, topic.called, w.looked)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.only = nil
		for range f.Holders(ctx, "a") {
			continue // nothing has to come, but the channel must be closed
		}
	})
}

// TestCards: the card of a source is taken from here, or from its holder alone. A holder without a
// card is a candidate all the same.
func TestCards(t *testing.T) {
	content := []byte("the card")
	hash := casefile.HashOf(content)
	name := hex.EncodeToString(hash[:])
	for what, c := range map[string]struct {
		card          string
		local, remote *library
		want          string
		asked         bool
	}{
		"it is here":           {name, newLibrary(content), newLibrary(), "the card", false},
		"the holder has it":    {name, newLibrary(), newLibrary(content), "the card", true},
		"the holder has none":  {name, newLibrary(), newLibrary(), "", true},
		"none is announced":    {"", newLibrary(), newLibrary(), "", false},
		"no hash is announced": {"zz", newLibrary(), newLibrary(), "", false},
		"half a hash":          {name[:32], newLibrary(), newLibrary(), "", false},
	} {
		got, err := newCards(c.local, c.remote, quiet()).candidate(t.Context(), id(t, 1), c.card)
		want := exchange.Candidate{Peer: casefile.DID{1}}
		if err != nil || got.Peer != want.Peer || string(got.Card) != c.want || (len(c.remote.asked) == 1 && c.remote.asked[0] == id(t, 1)) != c.asked {
			t.Errorf("%s: %+v, %v, asked %v", what, got, err, c.remote.asked)
		}
	}
	if _, err := newCards(newLibrary(), newLibrary(), quiet()).candidate(t.Context(), "no key", name); err == nil {
		t.Error("a peer without a key is a candidate")
	}
}
