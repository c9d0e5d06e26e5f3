package agentcard

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// MaxBytes bounds the canonical JSON of a card.
const MaxBytes = 64 << 10

// The classes of faults of a card.
var (
	ErrForm     = errors.New("is no agent card")
	errUnsigned = errors.New("is not signed; run: ojud agent card sign")
	ErrForged   = errors.New("has a signature that is not its authority's; sign it again with the agent's key: ojud agent card sign")
)

// Signed is a card whose authority signed it.
type Signed struct {
	Card
	CourtTerms
	Content []byte      // canonical JSON, with the signature
	Hash    voting.Hash // SHA-256 of the content; the chain names the card by it
}

// Parse reads a card and verifies its signature.
func Parse(raw []byte) (Signed, error) {
	c, terms, err := decode(raw)
	if err != nil {
		return Signed{}, err
	}
	if terms == nil {
		return Signed{}, fmt.Errorf("%w: capabilities.extensions: %s with the authority is missing; ojud agent card sign adds it", ErrForm, extension)
	}
	if len(c.Signatures) == 0 {
		return Signed{}, errUnsigned
	}
	message, err := c.message(terms.Authority)
	if err != nil {
		return Signed{}, err
	}
	s := c.Signatures[0]
	signature, err := base64.RawURLEncoding.Strict().DecodeString(s.Signature)
	if err != nil || s.Protected != protected(terms.Authority) || len(signature) != ed25519.SignatureSize ||
		!ed25519.Verify(terms.Authority[:], message, signature) {
		return Signed{}, ErrForged
	}
	content, err := c.encode()
	if err != nil {
		return Signed{}, err
	}
	return Signed{Card: c, CourtTerms: *terms, Content: content, Hash: casefile.HashOf(content)}, nil
}

// Sign signs a card for its authority and returns its canonical JSON. It replaces an older
// signature, and adds the extension with the authority if the card has none.
func Sign(raw []byte, authority casefile.Address, sign func(message []byte) [64]byte) ([]byte, error) {
	c, terms, err := decode(raw)
	if err != nil {
		return nil, err
	}
	if terms == nil {
		params, err := json.Marshal(CourtTerms{Authority: authority})
		if err != nil {
			return nil, err
		}
		c.Capabilities.Extensions = append(c.Capabilities.Extensions, Added{URI: extension, Params: params})
	} else if terms.Authority != authority {
		return nil, fmt.Errorf("%w: the authority is %s, and the key is %s; sign with the authority's key, or name this key", ErrForm, terms.Authority, authority)
	}
	message, err := c.message(authority)
	if err != nil {
		return nil, err
	}
	signature := sign(message)
	c.Signatures = []JWS{{protected(authority), base64.RawURLEncoding.EncodeToString(signature[:])}}
	content, err := c.encode()
	if err != nil {
		return nil, err
	}
	if _, err := Parse(content); err != nil {
		return nil, err
	}
	return content, nil
}

// WithTerms puts prices and sources into a card that is not signed yet, or will be signed again. It
// replaces what the card has of both if they are given.
func WithTerms(raw []byte, authority casefile.Address, prices []Price, sources []string) ([]byte, error) {
	c, terms, err := decode(raw)
	if err != nil {
		return nil, err
	}
	if terms == nil {
		terms = &CourtTerms{Authority: authority}
		c.Capabilities.Extensions = append(c.Capabilities.Extensions, Added{URI: extension})
	}
	if len(prices) > 0 {
		terms.Prices = prices
	}
	if len(sources) > 0 {
		terms.Sources = sources
	}
	at := slices.IndexFunc(c.Capabilities.Extensions, func(e Added) bool { return e.URI == extension })
	if c.Capabilities.Extensions[at].Params, err = json.Marshal(terms); err != nil {
		return nil, err
	}
	c.Signatures = nil
	return c.encode()
}

// decode reads a card without its signature. The terms are nil if the card has none.
func decode(raw []byte) (c Card, terms *CourtTerms, err error) {
	if text := bytes.TrimSpace(raw); len(text) == 0 || text[0] != '{' {
		return c, nil, fmt.Errorf("%w: an agent card is a JSON object, the AgentCard of A2A 1.0; write it as JSON and run: ojud agent card sign", ErrForm)
	}
	canonical, err := canon.JSON(raw, MaxBytes)
	if err != nil {
		return c, nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if err := casefile.Fill("agent card", canonical, &c, ""); err != nil {
		return c, nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	again, err := c.encode()
	if err != nil {
		return c, nil, err
	}
	if len(c.Signatures) > 0 && !bytes.Equal(again, canonical) {
		return c, nil, fmt.Errorf("%w: it has an optional member that is empty or false; leave it out and sign it again: ojud agent card sign", ErrForm)
	}
	for i, e := range c.Capabilities.Extensions {
		if e.URI != extension {
			continue
		}
		if terms != nil {
			return c, nil, wrong("capabilities.extensions", "two are %s; leave one", extension)
		}
		terms = new(CourtTerms)
		at := fmt.Sprintf("capabilities.extensions[%d].params", i)
		if len(e.Params) == 0 {
			return c, nil, wrong(at, "the authority is missing")
		}
		if err := casefile.Fill("agent card", e.Params, terms, at); err != nil {
			return c, nil, fmt.Errorf("%w: %w", ErrForm, err)
		}
	}
	return c, terms, c.check(terms)
}

// encode returns the canonical JSON.
func (c Card) encode() ([]byte, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	canonical, err := canon.JSON(raw, MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	return canonical, nil
}

// protected returns the only protected header that a card may have.
func protected(authority casefile.Address) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"alg":"EdDSA","kid":%q,"typ":"JOSE"}`, authority))
}

// message returns what the authority signs: the header and the card without signatures, as JSON Web
// Signatures join them. It begins with letters, so it cannot be a transaction.
func (c Card) message(authority casefile.Address) ([]byte, error) {
	c.Signatures = nil
	payload, err := c.encode()
	if err != nil {
		return nil, err
	}
	return []byte(protected(authority) + "." + base64.RawURLEncoding.EncodeToString(payload)), nil
}
