package finding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"ojud/casefile/canon"
	"ojud/megabrain/meaning"
)

// The bounds of a class's document.
const (
	MaxClass = 8 << 10
	maxName  = 64
	maxAbout = 2000
	maxLeast = 1000
)

// TaskClass says what the results of a kind of tasks look like. Its identifier on the chain is the
// SHA-256 of its canonical JSON.
type TaskClass struct {
	Name  string `json:"name"`
	About string `json:"about"` // what a worker has to know
	meaning.Fields
	LeastWords int `json:"least_words,omitempty"` // different words that the prose of a result has at least

	// Embedding is the model by which prose is compared. Nil: words are hashed.
	Embedding *Embedding `json:"embedding,omitempty"`

	// Memory are the memory nodes where this document, results and evaluations are.
	Memory []string `json:"memory,omitempty"`
}

// ReadClass reads a class from JSON that a stranger may have written, and returns its canonical
// form.
func ReadClass(raw []byte) (TaskClass, []byte, error) {
	content, err := canon.JSON(raw, MaxClass)
	if err != nil {
		return TaskClass{}, nil, fmt.Errorf("finding: the class: %w", err)
	}
	var c TaskClass
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return TaskClass{}, nil, fmt.Errorf("finding: the class is not in its form: %w", err)
	}
	switch {
	case c.Name == "" || utf8.RuneCountInString(c.Name) > maxName:
		err = fmt.Errorf("name has %d characters; it has 1 to %d", utf8.RuneCountInString(c.Name), maxName)
	case utf8.RuneCountInString(c.About) > maxAbout:
		err = fmt.Errorf("about has %d characters; it has at most %d", utf8.RuneCountInString(c.About), maxAbout)
	case c.LeastWords < 0 || c.LeastWords > maxLeast:
		err = fmt.Errorf("least_words is %d; it is 0 to %d", c.LeastWords, maxLeast)
	case c.LeastWords > 0 && len(c.Prose) == 0:
		err = fmt.Errorf("least_words is %d, and the class has no prose", c.LeastWords)
	default:
		if err = c.Validate(); err == nil {
			err = cmp.Or(c.Embedding.check(len(c.Prose)), checkNodes(c.Memory))
		}
	}
	if err != nil {
		return TaskClass{}, nil, fmt.Errorf("finding: the class: %w", err)
	}
	return c, content, nil
}
