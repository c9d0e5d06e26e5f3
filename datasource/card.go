package datasource

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/datasource/kind"
	"ojud/schema"
	"ojud/voting"
)

// Card is the public part of a source.
type Card struct {
	kind.Tool
	Terms Terms `json:"terms"`
	// Redacts says that the owner removes parts of answers. They may lack parts that the output
	// schema requires, and the text "[redacted]" may replace a part.
	Redacts bool `json:"redacts"`
}

// Card returns the public part of a source.
func (s Source) Card() Card {
	return Card{Tool: s.Tool, Terms: s.Terms, Redacts: !s.Redact.empty()}
}

// Encode returns the canonical JSON of a card, which names it.
func (c Card) Encode() ([]byte, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("datasource: card: %w", err)
	}
	canonical, err := canon.JSON(raw, maxCard)
	if err != nil {
		return nil, fmt.Errorf("datasource: card: %w", err)
	}
	return canonical, nil
}

// Hash returns the SHA-256 of the canonical JSON.
func (c Card) Hash() (voting.Hash, error) {
	raw, err := c.Encode()
	return casefile.HashOf(raw), err
}

// ParseCard reads a card, which a stranger may have written. It checks size, depth, schemas and
// terms against the bounds of source files. The returned shape checks requests and answers.
func ParseCard(raw []byte) (Card, *Shape, error) {
	canonical, err := canon.JSON(raw, maxCard)
	if err != nil {
		return Card{}, nil, fmt.Errorf("card: %w", err)
	}
	c := Card{}
	if err := casefile.Fill("card", canonical, &c, ""); err != nil {
		return Card{}, nil, err
	}
	shape, err := c.compile()
	return c, shape, err
}

// Shape checks requests and answers against the schemas of a card.
type Shape struct {
	card             Card
	in, out, partial *schema.Schema
}

func (c Card) compile() (*Shape, error) {
	if err := validateTool(c.Tool); err != nil {
		return nil, err
	}
	if err := c.Terms.validate(); err != nil {
		return nil, err
	}
	shape := &Shape{card: c}
	var err error
	if shape.in, err = compileSchema(c.InputSchema, schema.Compile); err != nil {
		return nil, wrong("inputSchema", "%v", err)
	}
	if shape.out, err = compileSchema(c.OutputSchema, schema.Compile); err != nil {
		return nil, wrong("outputSchema", "%v", err)
	}
	if shape.partial, err = compileSchema(c.OutputSchema, schema.CompilePartial); err != nil {
		return nil, wrong("outputSchema", "%v", err)
	}
	if _, err := c.Encode(); err != nil {
		return nil, wrong("inputSchema", "and what else stands on the card has more than %d bytes; say it shorter", maxCard)
	}
	return shape, nil
}

// Request returns the canonical form of a request of the input schema. Errors are ErrRequest.
func (s *Shape) Request(ctx context.Context, raw []byte) (json.RawMessage, error) {
	canonical, err := canon.JSON(raw, MaxRequest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	doc, err := kind.DecodeJSON(canonical)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if err := satisfies(ctx, s.in, doc, ErrRequest); err != nil {
		return nil, err
	}
	return canonical, nil
}

// Answer checks a holder's answer. narrowed says that only some fields were agreed on. If it is
// set, or if the holder redacts, required parts of the output schema may be missing, but the other
// parts must still satisfy it. Errors are ErrSchema and ErrLarge.
func (s *Shape) Answer(ctx context.Context, raw []byte, narrowed bool) error {
	canonical, err := canon.JSON(raw, MaxAnswer)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	doc, err := kind.DecodeJSON(canonical)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	form := s.out
	if narrowed || s.card.Redacts || len(s.card.Terms.Access) > 0 {
		if hidden(doc) {
			return nil
		}
		form, doc = s.partial, unmasked(doc)
	}
	return satisfies(ctx, form, doc, ErrSchema)
}

// maxCards bounds the cards that are cached: those of the holders of a round.
const maxCards = 64

// Cards caches parsed cards, because parsing compiles schemas.
type Cards struct {
	mu   sync.Mutex
	read map[voting.Hash]readCard
}

type readCard struct {
	card  Card
	shape *Shape
	err   error
}

// Parse parses a card, or returns it from the cache.
func (c *Cards) Parse(raw []byte) (Card, *Shape, error) {
	hash := casefile.HashOf(raw)
	c.mu.Lock()
	got, ok := c.read[hash]
	c.mu.Unlock()
	if ok {
		return got.card, got.shape, got.err
	}
	got.card, got.shape, got.err = ParseCard(raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.read) >= maxCards || c.read == nil {
		c.read = map[voting.Hash]readCard{}
	}
	c.read[hash] = got
	return got.card, got.shape, got.err
}
