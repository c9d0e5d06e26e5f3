package sources

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

// Listing is a source in a list.
type Listing struct {
	Name        string          `json:"name"`
	OK          bool            `json:"ok"` // a node can use the file
	Kind        string          `json:"kind,omitempty"`
	Description string          `json:"description,omitempty"`
	Price       casefile.Amount `json:"price"` // lamports
	Who         string          `json:"who,omitempty"`
	Rate        string          `json:"rate,omitempty"`
	File        string          `json:"file"`
	Problem     string          `json:"problem,omitempty"`
}

// Sheet is everything about a source except its secrets.
type Sheet struct {
	Listing
	Hash     casefile.Digest   `json:"card_hash"`
	Card     Card              `json:"card"` // public part
	Redact   datasource.Redact `json:"redact"`
	Limits   datasource.Limits `json:"limits"`
	Upstream json.RawMessage   `json:"upstream"` // without literal values of headers and variables
	Secrets  []Secret          `json:"secrets"`
}

// Card is the public part of a source.
type Card = datasource.Card

// Secret is a reference to a secret. Set says whether it exists here, not where a node runs.
type Secret struct {
	Reference string `json:"reference"`
	Set       bool   `json:"set"`
}

// List lists the sources of the home, including those that a node cannot use.
func (h *Home) List() ([]Listing, error) {
	names, err := h.names()
	if err != nil {
		return nil, err
	}
	var out []Listing
	for _, name := range names {
		out = append(out, h.listing(name))
	}
	return out, nil
}

func (h *Home) listing(name string) Listing {
	if !datasource.ValidName(name) {
		return Listing{Name: name, File: h.Path(name),
			Problem: "the file's name is not a name of a source: write 1 to 64 of the characters a-z 0-9 . _ : -"}
	}
	src, err := datasource.Read(h.Path(name))
	if err != nil {
		return Listing{Name: name, File: h.Path(name), Problem: err.Error()}
	}
	return listingOf(src, h.Path(name))
}

func listingOf(src datasource.Source, file string) Listing {
	return Listing{Name: src.Name, OK: true, Kind: kind.NameOf(src.Upstream), Description: src.Description, Price: src.Terms.Price,
		Who: whoText(src.Terms.Who), Rate: rateText(src.Terms.Rate), File: file}
}

// Show returns everything about a source except its secrets.
func (h *Home) Show(name string) (Sheet, error) {
	src, err := h.read(name)
	if err != nil {
		return Sheet{}, err
	}
	hash, err := src.Card().Hash()
	if err != nil {
		return Sheet{}, err
	}
	upstream, err := discreet(src.Upstream)
	if err != nil {
		return Sheet{}, err
	}
	secrets, err := h.secrets(src)
	return Sheet{Listing: listingOf(src, h.Path(name)), Hash: casefile.Digest(hash), Card: src.Card(), Redact: src.Redact, Limits: src.Limits,
		Upstream: upstream, Secrets: secrets}, err
}

const hiddenValue = "[not shown]"

// discreet writes settings without literal headers and variables, which may be secrets.
func discreet(settings kind.Settings) (json.RawMessage, error) {
	raw, err := kind.Encode(settings)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	for _, member := range []string{"headers", "env"} {
		values, ok := doc[member].(map[string]any)
		for name, value := range values {
			if ok {
				values[name] = onlyReference(fmt.Sprint(value))
			}
		}
	}
	return json.Marshal(doc)
}

// onlyReference returns the first reference in a value, with a scheme such as Bearer before it.
func onlyReference(text string) string {
	found := kind.References(text)
	if len(found) == 0 {
		return hiddenValue
	}
	first := found[0].Text
	if before, _, _ := strings.Cut(text, first); before == "Bearer " || before == "Basic " {
		return before + first
	}
	return first
}

// secrets returns the references of a source, each once.
func (h *Home) secrets(src datasource.Source) ([]Secret, error) {
	raw, err := kind.Encode(src.Upstream)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	out := []Secret{}
	h.collect(doc, &out)
	slices.SortFunc(out, func(a, b Secret) int { return strings.Compare(a.Reference, b.Reference) })
	return slices.Compact(out), nil
}

func (h *Home) collect(doc any, out *[]Secret) {
	switch v := doc.(type) {
	case string:
		for _, found := range kind.References(v) {
			*out = append(*out, Secret{found.Text, found.IsSet(h.env(0))})
		}
	case map[string]any:
		for _, item := range v {
			h.collect(item, out)
		}
	case []any:
		for _, item := range v {
			h.collect(item, out)
		}
	}
}
