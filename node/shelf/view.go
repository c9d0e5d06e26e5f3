package shelf

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

// Line is a source in a list.
type Line struct {
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

// Sheet is all of a source.
type Sheet struct {
	Line
	Hash     casefile.Digest   `json:"card_hash"`
	Card     Card              `json:"card"` // what peers see
	Redact   datasource.Redact `json:"redact"`
	Limits   datasource.Limits `json:"limits"`
	Upstream json.RawMessage   `json:"upstream"` // literal values of headers and variables are not shown
	Secrets  []Secret          `json:"secrets"`
}

// Secret is a reference to a secret in a source. Set says whether there is something here; the node's environment may be another.
type Secret struct {
	Reference string `json:"reference"`
	Set       bool   `json:"set"`
}

// List lists the sources of the home, those that cannot be used too.
func (s *Shelf) List() ([]Line, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var out []Line
	for _, name := range names {
		out = append(out, s.line(name))
	}
	return out, nil
}

func (s *Shelf) line(name string) Line {
	if !datasource.ValidName(name) {
		return Line{Name: name, File: s.Path(name), Problem: "the file has no name of a source: 1 to 64 of the characters a-z 0-9 . _ : -"}
	}
	src, err := datasource.Read(s.Path(name))
	if err != nil {
		return Line{Name: name, File: s.Path(name), Problem: err.Error()}
	}
	return lineOf(src, s.Path(name))
}

func lineOf(src datasource.Source, file string) Line {
	return Line{Name: src.Name, OK: true, Kind: kind.NameOf(src.Upstream), Description: src.Description, Price: src.Terms.Price,
		Who: whoText(src.Terms.Who), Rate: rateText(src.Terms.Rate), File: file}
}

// Show returns all of a source but its secrets.
func (s *Shelf) Show(name string) (Sheet, error) {
	src, err := s.read(name)
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
	secrets, err := s.secrets(src)
	return Sheet{Line: lineOf(src, s.Path(name)), Hash: casefile.Digest(hash), Card: src.Card(), Redact: src.Redact, Limits: src.Limits,
		Upstream: upstream, Secrets: secrets}, err
}

// hiddenValue stands where a value is not shown.
const hiddenValue = "[not shown]"

// discreet writes settings without the literal values of headers and variables, one of which may be a secret in the wrong place.
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
			if text := fmt.Sprint(value); ok && !reference.MatchString(text) {
				values[name] = hiddenValue
			} else if ok {
				values[name] = onlyReferences(text)
			}
		}
	}
	return json.Marshal(doc)
}

// onlyReferences leaves of a value the references, and a scheme such as Bearer.
func onlyReferences(text string) string {
	at := reference.FindStringIndex(text)
	if before := text[:at[0]]; before == "Bearer " || before == "Basic " || before == "" {
		return before + text[at[0]:at[1]]
	}
	return text[at[0]:at[1]]
}

// secrets are the references of a source, each once.
func (s *Shelf) secrets(src datasource.Source) ([]Secret, error) {
	raw, err := kind.Encode(src.Upstream)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	out := []Secret{}
	s.collect(doc, &out)
	slices.SortFunc(out, func(a, b Secret) int {
		if a.Reference < b.Reference {
			return -1
		}
		return 1
	})
	return slices.Compact(out), nil
}

func (s *Shelf) collect(doc any, out *[]Secret) {
	switch v := doc.(type) {
	case string:
		for _, found := range reference.FindAllStringSubmatch(v, -1) {
			*out = append(*out, Secret{found[0], s.isSet(found[1], found[2])})
		}
	case map[string]any:
		for _, item := range v {
			s.collect(item, out)
		}
	case []any:
		for _, item := range v {
			s.collect(item, out)
		}
	}
}

func (s *Shelf) isSet(from, name string) bool {
	if from == "env" {
		_, ok := s.deps.LookupEnv(name)
		return ok
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.deps.Home, name)
	}
	_, err := os.Stat(name)
	return err == nil
}

// Card is what peers see of a source.
type Card = datasource.Card
