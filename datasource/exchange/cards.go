package exchange

import (
	"sync"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/voting"
)

// maxCards is how many read cards are kept: those of the holders of a round.
const maxCards = 64

// cards are cards that were read. A judge asks the same holders several things, and to read a card is to compile its schemas.
type cards struct {
	mu   sync.Mutex
	read map[voting.Hash]readCard
}

type readCard struct {
	card  datasource.Card
	shape *datasource.Shape
	err   error
}

// parse reads a card, once.
func (c *cards) parse(raw []byte) (datasource.Card, *datasource.Shape, error) {
	hash := casefile.HashOf(raw)
	c.mu.Lock()
	got, ok := c.read[hash]
	c.mu.Unlock()
	if ok {
		return got.card, got.shape, got.err
	}
	got.card, got.shape, got.err = datasource.ParseCard(raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.read) >= maxCards || c.read == nil {
		c.read = map[voting.Hash]readCard{}
	}
	c.read[hash] = got
	return got.card, got.shape, got.err
}
