package anex

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a list of names.
const (
	maxName   = 128 // bytes of a name, without its suffix
	maxNames  = 64  // names in a list
	mandatory = "(m)"
	all       = "*" // the access name of the whole answer
)

// Name is an entry of access or promise. Without a mandatory one, (m), the asker must reject.
type Name struct {
	Text      string
	Mandatory bool
}

// String returns the name with its suffix.
func (n Name) String() string {
	if n.Mandatory {
		return n.Text + mandatory
	}
	return n.Text
}

// Texts returns names without their suffixes.
func Texts(names []Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n.Text
	}
	return out
}

// Names reads names as written in access and promise.
func Names(texts ...string) []Name {
	out := make([]Name, len(texts))
	for i, text := range texts {
		bare, suffixed := strings.CutSuffix(text, mandatory)
		out[i] = Name{bare, suffixed}
	}
	return out
}

// checkName refuses names that look like others or cannot be read back.
func checkName(text string) error {
	switch {
	case text == "" || len(text) > maxName || !utf8.ValidString(text):
		return fmt.Errorf("has %d bytes; a name has 1..%d, in UTF-8", len(text), maxName)
	case strings.HasSuffix(text, mandatory):
		return errors.New("has the suffix (m) twice")
	case strings.TrimSpace(text) != text:
		return errors.New("begins or ends with a space; the suffix (m) follows the name at once")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("has a control character")
	}
	return nil
}

// steps returns the path of an access name: none for *, several for a JSON pointer (RFC 6901).
func steps(name string) ([]string, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if name == all {
		return nil, nil
	}
	pointer, ok := strings.CutPrefix(name, "/")
	if !ok {
		return []string{name}, nil
	}
	path := strings.Split(pointer, "/")
	for i, step := range path {
		if !escaped(step) {
			return nil, errors.New("is no JSON pointer: ~ is written ~0, and / inside a name ~1")
		}
		path[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return path, nil
}

// escaped reports whether every ~ of a step begins ~0 or ~1.
func escaped(step string) bool {
	for {
		_, after, found := strings.Cut(step, "~")
		if !found {
			return true
		}
		if after == "" || after[0] != '0' && after[0] != '1' {
			return false
		}
		step = after[1:]
	}
}

// checkList checks names of a list and that none occurs twice.
func checkList(texts []string, pointers bool) (at int, err error) {
	if len(texts) > maxNames {
		return 0, fmt.Errorf("has %d names; at most %d", len(texts), maxNames)
	}
	seen := make(map[string]struct{}, len(texts))
	for i, text := range texts {
		if err := checkName(text); err != nil {
			return i, err
		}
		if pointers {
			if text, err = normal(text); err != nil {
				return i, err
			}
		}
		if _, twice := seen[text]; twice {
			return i, errors.New("is there twice")
		}
		seen[text] = struct{}{}
	}
	return 0, nil
}

// normal returns the pointer of an access name, so that all spellings of a name become one.
func normal(name string) (string, error) {
	path, err := steps(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1"))
	}
	return b.String(), nil
}

// covers reports whether a grant of the field a includes b, of two checked names.
func covers(a, b string) bool {
	x, errA := normal(a)
	y, errB := normal(b)
	return errA == nil && errB == nil && (x == y || strings.HasPrefix(y, x+"/"))
}
