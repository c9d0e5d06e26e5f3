package demand

import (
	"fmt"
	"slices"
	"strings"
)

// Media demands an image, as base64 or as a data URL.
type Media struct {
	Types    []string `json:"types,omitempty"` // image/png, image/jpeg, image/gif; empty: any of them
	MinBytes *uint64  `json:"min_bytes,omitempty"`
	MaxBytes *uint64  `json:"max_bytes,omitempty"`
	Width    *Pixels  `json:"width,omitempty"`
	Height   *Pixels  `json:"height,omitempty"`
	NotBlank bool     `json:"not_blank,omitempty"` // it has more than one colour
	NotIn    []string `json:"not_in,omitempty"`    // pointers to images of the task, of which it is no copy
	// ScaledFrom points to an image of the task, of which this one shows the whole.
	ScaledFrom *string `json:"scaled_from,omitempty"`
}

// Pixels bounds a side of an image.
type Pixels struct {
	Min *uint64 `json:"min,omitempty"`
	Max *uint64 `json:"max,omitempty"`
}

// Types of images that code reads.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
)

const maxImages = 8

func (d Demands) media() *problem {
	m := d.Media
	if m == nil {
		return nil
	}
	known := []string{PNG, JPEG, GIF}
	for i, t := range m.Types {
		if !slices.Contains(known, t) || slices.Contains(m.Types[:i], t) {
			return wrong(fmt.Sprintf("media.types[%d]", i), "is %.40q; give some of %s, each once", t, strings.Join(known, ", "))
		}
	}
	none := &Pixels{}
	for _, b := range []struct {
		name     string
		min, max *uint64
		given    bool
	}{
		{"media.width", value(m.Width, none).Min, value(m.Width, none).Max, m.Width != nil},
		{"media.height", value(m.Height, none).Min, value(m.Height, none).Max, m.Height != nil},
		{"media.min_bytes", m.MinBytes, m.MaxBytes, false},
	} {
		switch {
		case b.given && b.min == nil && b.max == nil:
			return wrong(b.name, "bounds nothing; give min, max or both")
		case b.min != nil && b.max != nil && *b.min > *b.max:
			return wrong(b.name, "has a least bound above the highest, so that no image would do")
		}
	}
	if len(m.NotIn) > maxImages {
		return wrong("media.not_in", "has %d pointers; at most %d are allowed", len(m.NotIn), maxImages)
	}
	for i, path := range m.NotIn {
		if p := at(fmt.Sprintf("media.not_in[%d]", i), path); p != nil {
			return p
		}
	}
	if m.ScaledFrom != nil {
		return at("media.scaled_from", *m.ScaledFrom)
	}
	return nil
}

// value is what p points to, or to otherwise.
func value[T any](p, otherwise *T) T {
	if p == nil {
		return *otherwise
	}
	return *p
}
