package model

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// mask replaces a key in texts.
const mask = "[secret]"

const (
	minKey   = 8       // bytes; a shorter one could not be masked without masking ordinary words
	maxKey   = 4 << 10 // bytes
	keptKeys = 8       // masked keys: an answer may come after the key was replaced
)

var reference = regexp.MustCompile(`^\$\{(env|file):([^{}]+)\}$`)

// key is a server's key. It is read for each request, so it can be replaced at any time.
type key struct {
	ref string // "": none
	env func(string) (string, bool)
	dir string

	mu     sync.Mutex
	seen   []string
	masker *regexp.Regexp
}

// read returns the key, or "" if there is none. Its errors contain nothing of it.
func (k *key) read() (string, error) {
	parts := reference.FindStringSubmatch(k.ref)
	if parts == nil {
		return "", nil
	}
	value, err := k.lookup(parts[1], parts[2])
	if err == nil {
		err = validKey(value)
	}
	if err != nil {
		return "", fmt.Errorf("key %s: %w", k.ref, err)
	}
	k.remember(value)
	return value, nil
}

func validKey(value string) error {
	if len(value) < minKey || len(value) > maxKey {
		return fmt.Errorf("it has %d bytes; set it to %d to %d bytes", len(value), minKey, maxKey)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'\\<>&", r) }) {
		return errors.New("it has spaces, quotes, \\, <, >, & or characters outside ASCII; remove them")
	}
	return nil
}

func (k *key) lookup(from, name string) (string, error) {
	if from == "env" {
		value, ok := k.env(name)
		if !ok {
			return "", errors.New("it is not set in the node's environment")
		}
		return value, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(k.dir, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", errors.New("the file cannot be opened; does it exist, and may the node read it?")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxKey+3))
	if closed := f.Close(); err != nil || closed != nil {
		return "", errors.New("the file cannot be read")
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

// remember adds a key to the masked ones.
func (k *key) remember(value string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.Contains(k.seen, value) {
		return
	}
	k.seen = append(k.seen, value)
	k.seen = k.seen[max(0, len(k.seen)-keptKeys):]
	var spellings []string
	for _, v := range k.seen {
		coded := base64.StdEncoding.EncodeToString([]byte(v))
		spellings = append(spellings, spelling(v), spelling(strings.TrimRight(coded, "=")), spelling(base64.RawURLEncoding.EncodeToString([]byte(v))))
	}
	slices.SortFunc(spellings, func(a, b string) int { return len(b) - len(a) }) // a key may begin with another
	k.masker = regexp.MustCompile(strings.Join(spellings, "|"))
}

// spelling matches a key in plain text, JSON, URLs and combinations, escaped in several layers.
func spelling(v string) string {
	var b strings.Builder
	for _, c := range []byte(v) {
		literal := regexp.QuoteMeta(string(c))
		if allowed(rune(c)) {
			b.WriteString(literal)
		} else {
			fmt.Fprintf(&b, `(?:%s*(?:%s|u00(?i:%02x)|%%(?:25)*(?i:%02x)))`, `(?:\\|%(?:25)*5(?i:c))`, literal, c, c)
		}
	}
	return b.String()
}

func (k *key) mask(text string) string {
	k.mu.Lock()
	masker := k.masker
	k.mu.Unlock()
	if masker == nil {
		return text
	}
	return masker.ReplaceAllLiteralString(text, mask)
}

// begins returns how many bytes at the end of a text could be the beginning of a key.
func (k *key) begins(text string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	longest := 0
	for _, v := range k.seen {
		coded := base64.StdEncoding.EncodeToString([]byte(v))
		for _, plain := range []string{v, coded, base64.RawURLEncoding.EncodeToString([]byte(v))} {
			for n := min(len(plain)-1, len(text)); n > longest; n-- {
				if strings.HasSuffix(text, plain[:n]) {
					longest = n
				}
			}
		}
	}
	return longest
}
