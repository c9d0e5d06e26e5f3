package datasource

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/canon"
	"ojud/config/bounds"
	"ojud/datasource/kind"
)

// Source is a source as its owner defines it.
type Source struct {
	kind.Tool
	Terms    Terms
	Redact   Redact
	Limits   Limits
	Upstream kind.Settings
}

// Limits bound the cost of a source for its owner. They are not on the card.
type Limits struct {
	// Seconds bound one call of the upstream, including the wait for a turn, 1 to 300.
	Seconds int `json:"seconds" fill:"optional"`
	// Bytes bound the bytes read from the upstream for one answer, 1 KiB to 8 MiB. The returned
	// answer has at most MaxAnswer bytes.
	Bytes int `json:"bytes" fill:"optional"`
	// Parallel bounds the calls of the upstream at once, 1 to 64. Further calls wait.
	Parallel int `json:"parallel" fill:"optional"`
	// MaxRate bounds the calls of the upstream in each span of so many seconds, for all askers and
	// the own judge; calls outside of cases have half. Further calls wait, and fail if their turn
	// would come after Seconds. A node that starts begins to count anew. Zero: no bound.
	MaxRate Rate `json:"max_rate,omitzero" fill:"optional"`
}

// DefaultLimits returns the limits of a source whose file sets none.
func DefaultLimits() Limits { return Limits{Seconds: 20, Bytes: MaxAnswer, Parallel: 4} }

// Timeout returns Seconds as a duration.
func (l Limits) Timeout() time.Duration { return time.Duration(l.Seconds) * time.Second }

// The bounds of a source, in bytes.
const (
	MaxFile        = 256 << 10 // a source file
	maxCard        = 64 << 10  // a card, in canonical JSON
	MaxSchema      = 24 << 10  // each schema
	MaxDescription = 2000
	maxTitle       = 200
	MaxRequest     = 64 << 10 // a request, in canonical JSON
	MaxAnswer      = 1 << 20  // an answer, in canonical JSON
)

const document = "source file"

var nameForm = regexp.MustCompile(`^[a-z0-9._:-]{1,64}$`)

// ValidName reports whether a source may have this name.
func ValidName(text string) bool { return nameForm.MatchString(text) }

// file is the content of a source file.
type file struct {
	kind.Tool
	Terms    Terms           `json:"terms" fill:"optional"`
	Redact   Redact          `json:"redact,omitzero"`
	Limits   Limits          `json:"limits" fill:"optional"`
	Upstream json.RawMessage `json:"upstream"`
}

// Parse reads a source file. Missing settings get their defaults. Errors are casefile.FieldErrors
// that name the field, its limit and the fix. They quote no value, because it may be a secret in
// the wrong place.
func Parse(raw []byte) (Source, error) {
	canonical, err := canon.JSON(raw, MaxFile)
	if err != nil {
		return Source{}, fmt.Errorf("%s: %w", document, err)
	}
	f := file{Terms: DefaultTerms(), Limits: DefaultLimits()}
	f.Terms.Who = Who{}
	if err := casefile.Fill(document, canonical, &f, ""); err != nil {
		return Source{}, err
	}
	if f.Terms.Who.Class == "" {
		f.Terms.Who.Class = Seated
	}
	s := Source{Tool: f.Tool, Terms: f.Terms, Redact: f.Redact, Limits: f.Limits}
	if s.OutputSchema == nil {
		s.OutputSchema = json.RawMessage(`{}`)
	}
	if s.Upstream, err = kind.Decode(document, f.Upstream, "upstream"); err != nil {
		return Source{}, err
	}
	return s, s.Validate()
}

// Encode writes a source as Parse reads it, indented.
func (s Source) Encode() ([]byte, error) {
	upstream, err := kind.Encode(s.Upstream)
	if err != nil {
		return nil, fmt.Errorf("datasource: %w", err)
	}
	raw, err := json.MarshalIndent(file{s.Tool, s.Terms, s.Redact, s.Limits, upstream}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("datasource: %w", err)
	}
	return append(raw, '\n'), nil
}

// Validate names the wrong field, its limit, and the fix.
func (s Source) Validate() error {
	if s.Name == agentdata.Source {
		return wrong("name", "is taken: every node reads the data of agents on the chain under it; choose another name")
	}
	_, err := s.Card().compile()
	if err != nil {
		return err
	}
	if err := inside("limits.",
		bounds.Of("seconds", s.Limits.Seconds, 1, 300),
		bounds.Of("bytes", s.Limits.Bytes, 1<<10, 8<<20),
		bounds.Of("parallel", s.Limits.Parallel, 1, 64),
	); err != nil {
		return err
	}
	if r := s.Limits.MaxRate; r != (Rate{}) {
		if err := inside("limits.", bounds.Of("max_rate.requests", r.Requests, 1, 1_000_000), bounds.Of("max_rate.seconds", r.Seconds, 1, day)); err != nil {
			return err
		}
	}
	if _, err := s.Redact.compile(); err != nil {
		return err
	}
	if s.Upstream == nil {
		return wrong("upstream", "missing; the kinds are %s", strings.Join(kind.Names(), ", "))
	}
	var field *casefile.FieldError
	if err := s.Upstream.Validate(); errors.As(err, &field) {
		return wrong("upstream."+field.Field, "%s", field.Problem)
	} else if err != nil {
		return err
	}
	return nil
}

// validateTool checks the part of a source that peers see besides its terms.
func validateTool(t kind.Tool) error {
	switch {
	case !ValidName(t.Name):
		return wrong("name", "is no name: 1 to 64 of the characters a-z 0-9 . _ : -")
	case !plain(t.Title, 0, maxTitle):
		return wrong("title", "has more than %d bytes, or control characters", maxTitle)
	case !plain(strings.Map(unbroken, t.Description), 1, MaxDescription):
		return wrong("description", "has %d bytes; say in 1 to %d bytes, without control characters, what the source tells", len(t.Description), MaxDescription)
	}
	return nil
}

// unbroken replaces line ends by spaces.
func unbroken(r rune) rune {
	if r == '\n' || r == '\t' {
		return ' '
	}
	return r
}

// plain reports whether text is UTF-8 of a bounded length without control characters.
func plain(text string, least, most int) bool {
	return len(text) >= least && len(text) <= most && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

func wrong(field, format string, args ...any) error {
	return &casefile.FieldError{Document: document, Field: field, Problem: fmt.Sprintf(format, args...)}
}

// inside returns a field error for the first number outside its range.
func inside(section string, ranges ...bounds.Range) error {
	var outside *bounds.Error
	if errors.As(bounds.Check(section, ranges...), &outside) {
		return wrong(outside.Name, "%s", outside.Problem)
	}
	return nil
}
