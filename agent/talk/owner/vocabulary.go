package owner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ojud/agent/talk"
	"ojud/schema"
)

// MaxVocabulary bounds the file of a vocabulary, in bytes.
const MaxVocabulary = 256 << 10

// checkTime bounds a check of a value by one vocabulary.
const checkTime = time.Second

// Vocabulary is a JSON Schema that says which members a deal and data may have, and what they mean.
// Its part $defs.deal is about deals and $defs.data about data; without both, all of it is about
// deals.
type Vocabulary struct {
	URL   string `json:"url"` // where it is said to be; empty: not known
	Hash  string `json:"sha256"`
	Title string `json:"title,omitempty"`

	parts map[string]*schema.Schema // by what they are about
}

// The things that a vocabulary may be about.
const (
	aboutDeal = "deal"
	aboutData = "data"
)

// ReadVocabulary reads the file of a vocabulary. Its hash is that of its bytes.
func ReadVocabulary(url string, raw []byte) (v Vocabulary, err error) {
	if len(raw) > MaxVocabulary {
		return v, fmt.Errorf("a vocabulary has at most %d bytes", MaxVocabulary)
	}
	sum := sha256.Sum256(raw)
	v = Vocabulary{URL: url, Hash: hex.EncodeToString(sum[:]), parts: map[string]*schema.Schema{}}
	whole, err := schema.DefaultLimits().DecodeSchema(raw)
	if err != nil {
		return v, fmt.Errorf("a vocabulary is a JSON Schema: %s", schema.Reason(err))
	}
	top, ok := whole.(map[string]any)
	if !ok {
		return v, fmt.Errorf("a vocabulary is a JSON object")
	}
	v.Title, _ = top["title"].(string)
	defs, _ := top["$defs"].(map[string]any)
	for _, about := range []string{aboutDeal, aboutData} {
		if defs[about] == nil {
			continue
		}
		part := map[string]any{"$defs": defs, "$ref": "#/$defs/" + about}
		if v.parts[about], err = schema.CompileDecoded(part, schema.DefaultLimits()); err != nil {
			return v, fmt.Errorf("$defs.%s of the vocabulary cannot be used: %s", about, schema.Reason(err))
		}
	}
	if len(v.parts) == 0 {
		if v.parts[aboutDeal], err = schema.CompileDecoded(whole, schema.DefaultLimits()); err != nil {
			return v, fmt.Errorf("the vocabulary cannot be used: %s", schema.Reason(err))
		}
	}
	return v, nil
}

// check says why a value is not one of the vocabulary.
func (v Vocabulary) check(about string, value json.RawMessage) error {
	part := v.parts[about]
	if part == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), checkTime)
	defer stop()
	faults, err := part.Check(ctx, value)
	switch {
	case err != nil:
		return fmt.Errorf("the %s cannot be compared with the vocabulary %s: %s", about, v.name(), schema.Reason(err))
	case len(faults) > 0:
		return fmt.Errorf("the %s does not fit the vocabulary %s: %s", about, v.name(), faults[0])
	}
	return nil
}

func (v Vocabulary) name() string {
	if v.URL != "" {
		return fmt.Sprintf("%.200q", v.URL)
	}
	return fmt.Sprintf("%.100q (%s)", v.Title, v.Hash[:8])
}

// Vocabularies are those that an owner has.
type Vocabularies []Vocabulary

// named finds the vocabularies that terms name, by their hashes. Unknown are those that the owner
// does not have, in words.
func (all Vocabularies) named(ontologies json.RawMessage) (known Vocabularies, unknown []string) {
	var names []Vocabulary
	if json.Unmarshal(ontologies, &names) != nil {
		return nil, nil // there are none
	}
	for _, n := range names {
		found := false
		for _, v := range all {
			if v.Hash == n.Hash && !found {
				known, found = append(known, v), true
			}
		}
		if !found {
			unknown = append(unknown, fmt.Sprintf("%.200q with the hash %.64s", n.URL, n.Hash))
		}
	}
	return known, unknown
}

// Unknown are the vocabularies that terms name and the owner does not have.
func (all Vocabularies) Unknown(ontologies json.RawMessage) []string {
	_, unknown := all.named(ontologies)
	return unknown
}

// Deal compares a deal with those of the vocabularies its terms name that the owner has. Nil: there
// is no deal.
func (all Vocabularies) Deal(ontologies, deal json.RawMessage) error {
	if deal == nil {
		return nil
	}
	known, _ := all.named(ontologies)
	for _, v := range known {
		if err := v.check(aboutDeal, deal); err != nil {
			return err
		}
	}
	return nil
}

// Data compares data with the vocabularies of an agreement; nil: there is none.
func (all Vocabularies) Data(a *talk.Agreement, data json.RawMessage) error {
	if a == nil {
		return nil
	}
	known, _ := all.named(a.Ontologies)
	for _, v := range known {
		if err := v.check(aboutData, data); err != nil {
			return err
		}
	}
	return nil
}

// list is what a call says of the vocabularies, as "loaded" stands for it.
func (all Vocabularies) list() (json.RawMessage, error) {
	type one struct {
		URL    string `json:"url"`
		SHA256 string `json:"sha256"`
	}
	out := []one{}
	for _, v := range all {
		if !strings.HasPrefix(v.URL, "https://") {
			return nil, fmt.Errorf("the vocabulary %s has no address; name it with --ontology URL=FILE", v.name())
		}
		out = append(out, one{v.URL, v.Hash})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no vocabulary is loaded; name one with --ontology")
	}
	return json.Marshal(out)
}

// Fits compares data with the vocabularies of the agreement of the conversation.
func (o *Owner) Fits(data json.RawMessage) error { return o.Words.Data(o.did.agreed, data) }
