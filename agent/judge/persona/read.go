package persona

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed shipped/*.toml
var shipped embed.FS

const (
	folder    = "shipped"
	extension = ".toml"
	maxFile   = 8 << 10 // bytes of a persona's file
)

// The reasons why there is no persona.
var (
	ErrUnknown = errors.New("persona: there is none of that name")
	ErrPersona = errors.New("persona: not a persona's file")
)

// List returns the shipped personas, sorted by dimension and name.
func List() ([]Persona, error) {
	files, err := shipped.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("persona: %w", err)
	}
	var out []Persona
	for _, f := range files {
		p, err := load(strings.TrimSuffix(f.Name(), extension))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	order := Dimensions()
	slices.SortStableFunc(out, func(a, b Persona) int { return slices.Index(order, a.Dimension) - slices.Index(order, b.Dimension) })
	return out, nil
}

// load returns a shipped persona. The error wraps ErrUnknown if there is none of that name.
func load(name string) (Persona, error) {
	if !validName(name) {
		return Persona{}, fmt.Errorf("%w: %.60q", ErrUnknown, name)
	}
	raw, err := shipped.ReadFile(path.Join(folder, name+extension))
	if errors.Is(err, fs.ErrNotExist) {
		return Persona{}, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	if err != nil {
		return Persona{}, fmt.Errorf("persona: %w", err)
	}
	return Parse(name, raw)
}

// Find returns an owner's persona if ref is a path that ends in .toml, otherwise a shipped one.
func Find(ref string) (Persona, error) {
	if strings.HasSuffix(ref, extension) {
		return Read(ref)
	}
	return load(ref)
}

// Read reads an owner's file. The persona has the name of the file.
func Read(file string) (p Persona, err error) {
	f, err := os.Open(file)
	if err != nil {
		return p, fmt.Errorf("persona: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return p, fmt.Errorf("persona: %s: %w", file, err)
	}
	if p, err = Parse(strings.TrimSuffix(filepath.Base(file), extension), raw); err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// Parse reads a persona's file of at most 8 KiB. Errors wrap ErrPersona and name the field, the
// limit and the fix.
func Parse(name string, raw []byte) (Persona, error) {
	p := Persona{Name: name}
	if len(raw) > maxFile {
		return Persona{}, fmt.Errorf("%w: it is larger than %d bytes; shorten it", ErrPersona, maxFile)
	}
	dec := toml.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return Persona{}, fmt.Errorf("%w: %s", ErrPersona, explain(err))
	}
	if err := p.Validate(); err != nil {
		return Persona{}, err
	}
	return p, nil
}

// explain says where a TOML file is wrong.
func explain(err error) string {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		return fmt.Sprintf("%q is no field; there are title, dimension, look, method, doubt and the table weights", strings.Join(strict.Errors[0].Key(), "."))
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, column := at.Position()
		return fmt.Sprintf("line %d, column %d: %v", line, column, err)
	}
	return err.Error()
}
