// Package likeness says how similar two texts are, without a model: the words of a text and their
// three-letter pieces are hashed into 256 numbers, and the cosine of two such embeddings is the
// likeness. The same texts are alike everywhere and at all times, free of charge, and nothing is
// shown to others. The price is that a text in other words is not recognized.
package likeness

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	dimensions = 256      // of an embedding
	maxSketch  = 64 << 10 // bytes of a text that count
	piece      = 3        // letters of a piece of a word
	shortest   = 3        // letters of a word that counts
	full       = 127      // stands for 1
)

// Embedding describes a text in 256 numbers that reveal no word. The cosine of two embeddings says
// how similar two texts are.
type Embedding [dimensions]int8

// Draw returns the embedding of a text. It hashes words and pieces of words to a place and a sign,
// and counts them. It takes the square root of each count, so that a repeated word does not
// dominate. A text without words has an embedding of zeros, which resembles nothing.
func Draw(text string) (s Embedding) {
	var sums [dimensions]float64
	for word, n := range counted(text) {
		place, sign := hashed(word)
		sums[place] += sign * math.Sqrt(float64(n))
	}
	length := 0.0
	for _, x := range sums {
		length += x * x
	}
	if length == 0 {
		return s
	}
	for i, x := range sums {
		s[i] = int8(math.Round(full * x / math.Sqrt(length)))
	}
	return s
}

// counted counts words, and their pieces behind a sign that no word contains.
func counted(text string) map[string]int {
	text = strings.ToLower(norm.NFKC.String(text[:min(len(text), maxSketch)]))
	out := map[string]int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		letters := []rune(word)
		if len(letters) < shortest {
			continue
		}
		out[word]++
		edged := append(append([]rune{'^'}, letters...), '$')
		for i := 0; i+piece <= len(edged); i++ {
			out["+"+string(edged[i:i+piece])]++
		}
	}
	return out
}

func hashed(word string) (place int, sign float64) {
	h := fnv.New64a()
	h.Write([]byte(word)) // a hash takes everything
	sum := h.Sum64()
	if sum>>63 == 1 {
		return int(sum % dimensions), -1
	}
	return int(sum % dimensions), 1
}

// Cosine says how similar two texts are: 1 is the same words, 0 is nothing in common.
func (s Embedding) Cosine(other Embedding) float64 {
	sum, mine, theirs := 0, 0, 0
	for i, x := range s {
		y := int(other[i])
		sum, mine, theirs = sum+int(x)*y, mine+int(x)*int(x), theirs+y*y
	}
	if mine == 0 || theirs == 0 {
		return 0
	}
	return float64(sum) / math.Sqrt(float64(mine)*float64(theirs))
}

// Vector returns the embedding for an index, and false if it resembles nothing.
func (s Embedding) Vector() ([]float32, bool) {
	out, found := make([]float32, dimensions), false
	for i, x := range s {
		out[i] = float32(x) / full
		found = found || x != 0
	}
	return out, found
}

// MarshalText implements encoding.TextMarshaler.
func (s Embedding) MarshalText() ([]byte, error) {
	raw := make([]byte, dimensions)
	for i, x := range s {
		raw[i] = byte(x)
	}
	return []byte(base64.StdEncoding.EncodeToString(raw)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Embedding) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.Strict().DecodeString(string(text))
	if err != nil || len(raw) != dimensions {
		return fmt.Errorf("a sketch has %d bytes in base64", dimensions)
	}
	for i, b := range raw {
		s[i] = int8(b)
	}
	return nil
}
