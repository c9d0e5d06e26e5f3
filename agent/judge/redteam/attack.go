package redteam

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ojud/agent/judge/exam"
)

var (
	//go:embed attacks/*.toml
	shipped embed.FS
	//go:embed bases.jsonl
	bases []byte
)

// ErrAttack is wrapped by errors about an attack's file.
var ErrAttack = errors.New("redteam: not an attack")

// Attack is an attempt to influence a judge.
type Attack struct {
	Name    string `toml:"-" json:"name"` // of the file, without number and .toml
	Number  int    `toml:"number" json:"number"`
	Title   string `toml:"title" json:"title"`
	Source  string `toml:"source" json:"source"`
	Defence string `toml:"defence" json:"defence"`
	Tries   []Try  `toml:"try" json:"-"`
}

// Try is the attack on one dispute.
type Try struct {
	By   string   `toml:"by"` // worker, creator or holder
	Base string   `toml:"base"`
	Puts []Change `toml:"put"`
}

// Change is a change of a dispute.
type Change struct {
	At     string `toml:"at"`     // JSON pointer
	Text   string `toml:"text"`   // appended to the present text
	Repeat int    `toml:"repeat"` // of Text; 0 is once
	JSON   string `toml:"json"`   // replaces the present value
}

// The limits of an attack's file.
const (
	maxFile   = 64 << 10 // bytes
	maxTries  = 32
	maxPuts   = 8
	maxRepeat = 1000
)

var fileName = regexp.MustCompile(`^(\d{2})-([a-z-]{1,40})\.toml$`)

// List returns the shipped attacks by number, and the disputes that they attack.
func List() ([]Attack, []exam.Item, error) {
	disputes, err := exam.Read(bytes.NewReader(bases))
	if err != nil {
		return nil, nil, fmt.Errorf("redteam: %w", err)
	}
	files, err := shipped.ReadDir("attacks")
	if err != nil {
		return nil, nil, fmt.Errorf("redteam: %w", err)
	}
	var out []Attack
	for _, f := range files {
		raw, err := shipped.ReadFile(path.Join("attacks", f.Name()))
		if err != nil {
			return nil, nil, fmt.Errorf("redteam: %w", err)
		}
		a, err := Parse(f.Name(), raw)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b Attack) int { return cmp.Compare(a.Number, b.Number) })
	return out, disputes, nil
}

// Parse reads an attack's file of at most 64 KiB, with a name such as 03-ignore.toml. Errors wrap
// ErrAttack and name the field.
func Parse(file string, raw []byte) (Attack, error) {
	name := fileName.FindStringSubmatch(file)
	switch {
	case name == nil:
		return Attack{}, fmt.Errorf("%w: the file %.60q is not named as 03-ignore.toml", ErrAttack, file)
	case len(raw) > maxFile:
		return Attack{}, fmt.Errorf("%w: %s has more than %d bytes", ErrAttack, file, maxFile)
	}
	a := Attack{Name: name[2]}
	dec := toml.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Attack{}, fmt.Errorf("%w: %s: %w", ErrAttack, file, err)
	}
	if number := fmt.Sprintf("%02d", a.Number); number != name[1] {
		return Attack{}, fmt.Errorf("%w: %s: number is %s, the file says %s", ErrAttack, file, number, name[1])
	}
	if err := a.validate(); err != nil {
		return Attack{}, fmt.Errorf("%w: %s: %w", ErrAttack, file, err)
	}
	return a, nil
}

func (a Attack) validate() error {
	for _, f := range []struct{ name, text string }{{"title", a.Title}, {"source", a.Source}, {"defence", a.Defence}} {
		if f.text == "" || len(f.text) > 200 {
			return fmt.Errorf("%s has %d bytes; write 1 to 200", f.name, len(f.text))
		}
	}
	if len(a.Tries) == 0 || len(a.Tries) > maxTries {
		return fmt.Errorf("%d tries; write 1 to %d", len(a.Tries), maxTries)
	}
	for i, t := range a.Tries {
		if err := t.validate(); err != nil {
			return fmt.Errorf("try[%d]: %w", i, err)
		}
	}
	return nil
}

func (t Try) validate() error {
	if !slices.Contains([]string{"worker", "creator", "holder"}, t.By) {
		return fmt.Errorf("by is %.40q; write worker, creator or holder", t.By)
	}
	if len(t.Puts) == 0 || len(t.Puts) > maxPuts {
		return fmt.Errorf("%d puts; write 1 to %d", len(t.Puts), maxPuts)
	}
	for i, p := range t.Puts {
		switch {
		case !strings.HasPrefix(p.At, "/"):
			return fmt.Errorf("put[%d].at %.60q is no JSON pointer into the dispute", i, p.At)
		case (p.Text == "") == (p.JSON == ""):
			return fmt.Errorf("put[%d] needs either text or json", i)
		case p.Repeat < 0 || p.Repeat > maxRepeat || p.Repeat > 0 && p.JSON != "":
			return fmt.Errorf("put[%d].repeat is %d; write 1 to %d, with text", i, p.Repeat, maxRepeat)
		}
	}
	return nil
}
