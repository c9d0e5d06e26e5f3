package meaning

import (
	"math/bits"
	"strings"
	"unicode"
)

// dimensions of an embedding.
const dimensions = 512

// apart is the distance of texts that have nothing in common, and of those that the guard parts.
const apart = 10_000

// embedding counts the hashed words, pairs of words and pieces of three and four letters of a text.
type embedding struct {
	counts [dimensions]int32
	length uint64 // 256 times the square root of the sum of squares
}

func embed(raw string) (e embedding) {
	words := strings.FieldsFunc(strings.ToLower(raw), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var before uint64
	var padded []rune
	for _, w := range words {
		if stopwords[w] {
			continue
		}
		padded = append(padded[:0], ' ')
		for _, r := range w {
			padded = append(padded, r)
		}
		padded = append(padded, ' ')
		whole := hash(1, padded)
		e.add(whole, 3)
		if before != 0 {
			e.add(hash(before, padded), 1)
		}
		before = whole
		for size := 3; size <= 4; size++ {
			for i := 0; i+size <= len(padded); i++ {
				e.add(hash(2, padded[i:i+size]), 1)
			}
		}
	}
	var sum uint64
	for _, c := range e.counts {
		sum += uint64(int64(c) * int64(c))
	}
	e.length = root(sum << 16)
	return e
}

// add counts a piece under its hash, of which one bit is the sign.
func (e *embedding) add(h uint64, weight int32) {
	if h>>20&1 == 1 {
		weight = -weight
	}
	e.counts[h%dimensions] += weight
}

// hash is FNV-1a over characters after a first number, folded.
func hash(first uint64, piece []rune) uint64 {
	h := (14695981039346656037 ^ first) * 1099511628211
	for _, r := range piece {
		h = (h ^ uint64(r)) * 1099511628211
	}
	return h ^ h>>32
}

// cosine is the cosine distance of two embeddings, 0 to 10,000.
func (e *embedding) cosine(other *embedding) uint32 {
	var dot int64
	for i := range e.counts {
		dot += int64(e.counts[i]) * int64(other.counts[i])
	}
	return angle(dot, e.length, other.length)
}

// angle is the cosine distance by the product of two vectors and 256 times their lengths.
func angle(dot int64, one, two uint64) uint32 {
	if dot <= 0 || one == 0 || two == 0 {
		return apart
	}
	hi, lo := bits.Mul64(uint64(dot), apart<<16)
	_, divisor := bits.Mul64(one, two)
	if hi >= divisor {
		return 0
	}
	near, _ := bits.Div64(hi, lo, divisor)
	return apart - uint32(min(near, apart))
}

// Distance is the cosine distance of two vectors of one length, of at most 4,096 numbers, 0 to
// 10,000. A vector of zeros is far from all.
func Distance(a, b []int16) int {
	var dot int64
	var one, two uint64
	for i, x := range a {
		x, y := int64(x), int64(b[i])
		dot, one, two = dot+x*y, one+uint64(x*x), two+uint64(y*y)
	}
	return int(angle(dot, root(one<<16), root(two<<16)))
}

// root is the integer square root.
func root(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	x := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}
