package kind

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const secretMask = "[secret]"

const (
	minSecret  = 8       // bytes; masking a shorter one would mask ordinary words too
	maxSecret  = 4 << 10 // bytes
	keptValues = 32      // values to mask; a replaced key leaves its old value here
)

var reference = regexp.MustCompile(`\$\{(env|file):([^{}]+)\}`)

// Reference is a reference to a secret in settings.
type Reference struct {
	Text       string // as written in the settings
	from, name string
}

// References returns the references in a text, in their order.
func References(text string) (out []Reference) {
	for _, found := range reference.FindAllStringSubmatch(text, -1) {
		out = append(out, Reference{found[0], found[1], found[2]})
	}
	return out
}

// IsSet reports whether the variable or file exists.
func (r Reference) IsSet(env Env) bool {
	if r.from == "env" {
		_, ok := env.complete().LookupEnv(r.name)
		return ok
	}
	_, err := os.Stat(inside(env.Dir, r.name))
	return err == nil
}

// Read returns the secret. Its errors are in fixed words.
func (r Reference) Read(env Env) (string, error) {
	return (&secrets{env: env.complete()}).read(r.from, r.name)
}

// secrets reads the secrets of a source, and recognises them in answers and errors.
type secrets struct {
	env Env

	mu     sync.Mutex
	values []string
	masker *strings.Replacer
}

// checkReferences refuses text if "${" begins anything but ${env:NAME} or ${file:PATH}.
func checkReferences(field, text string) error {
	if strings.Contains(reference.ReplaceAllString(text, ""), "${") {
		return wrong(field, "has ${ that begins neither ${env:NAME} nor ${file:PATH}")
	}
	return nil
}

func mentions(text string) bool { return reference.MatchString(text) }

func (s *secrets) resolve(text string) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		parts := reference.FindStringSubmatch(ref)
		value, err := s.read(parts[1], parts[2])
		if err != nil && failed == nil {
			failed = fmt.Errorf("%w: secret %s: %w", ErrSetup, ref, err)
		}
		return value
	})
	return out, failed
}

func (s *secrets) read(from, name string) (string, error) {
	value, err := s.lookup(from, name)
	switch {
	case err != nil:
		return "", err
	case len(value) < minSecret || len(value) > maxSecret:
		return "", fmt.Errorf("it has %d bytes; set it to %d to %d bytes (a shorter one could not be kept out of answers)", len(value), minSecret, maxSecret)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("it has control characters; take them out")
	}
	s.remember(value)
	return value, nil
}

func (s *secrets) lookup(from, name string) (string, error) {
	if from == "env" {
		value, ok := s.env.LookupEnv(name)
		if !ok {
			return "", fmt.Errorf("it is not set in the node's environment")
		}
		return value, nil
	}
	f, err := os.Open(inside(s.env.Dir, name))
	if err != nil {
		return "", fmt.Errorf("the file cannot be opened; does it exist, and may the node read it?")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSecret+3))
	if closed := f.Close(); err != nil || closed != nil {
		return "", fmt.Errorf("the file cannot be read")
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

// absolute makes a person's path independent of the node's working directory.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// inside returns a path of the settings as absolute or relative to the working directory.
func inside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// remember adds a value to those that are masked.
func (s *secrets) remember(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values, value) {
		return
	}
	s.values = append(s.values, value)
	s.values = s.values[max(0, len(s.values)-keptValues):]
	var spellings []string
	for _, v := range s.values {
		spellings = append(spellings, spell(v)...)
	}
	slices.SortFunc(spellings, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, text := range slices.Compact(spellings) {
		pairs = append(pairs, text, secretMask)
	}
	s.masker = strings.NewReplacer(pairs...)
}

// spell lists the spellings of a secret in URLs, in JSON, in quoted text and in headers.
func spell(v string) []string {
	out := []string{v, escape(v), url.QueryEscape(v), url.PathEscape(v),
		base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v))}
	quotings := []string{strconv.Quote(v)}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if err := e.Encode(v); err == nil { // a string can always be encoded
			quotings = append(quotings, strings.TrimSuffix(b.String(), "\n"))
		}
	}
	for _, quoted := range quotings {
		out = append(out, quoted[1:len(quoted)-1])
	}
	return out
}

func (s *secrets) mask(text string) string {
	s.mu.Lock()
	replacer := s.masker
	s.mu.Unlock()
	if replacer == nil {
		return text
	}
	return replacer.Replace(text)
}

// maskTree removes every secret from a decoded value: from strings, names and numbers.
func (s *secrets) maskTree(doc any) any {
	switch v := doc.(type) {
	case string:
		return s.mask(v)
	case json.Number:
		if masked := s.mask(v.String()); masked != v.String() {
			return masked
		}
	case []any:
		for i, item := range v {
			v[i] = s.maskTree(item)
		}
	case map[string]any:
		for _, name := range sorted(v) {
			item := s.maskTree(v[name])
			delete(v, name)
			v[s.mask(name)] = item
		}
	}
	return doc
}
