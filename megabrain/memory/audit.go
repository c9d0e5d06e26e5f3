package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// maxSamples is how many chunks one audit asks for.
const maxSamples = 64

const auditTag = "ojud:memory:audit:1"

// Question is what an audit asks: chunks that the salt chooses, of one promise or of all.
type Question struct {
	Salt  Digest `json:"salt"`
	Count int    `json:"count"`
	// Index is the promise that is audited; -1 stands for all of the log.
	Index int64 `json:"index"`
	// At is when it is asked, in Unix seconds: a promise whose term is over then needs no chunk.
	At int64 `json:"at"`
}

// Check names the first member that is out of its range.
func (q Question) Check() error {
	switch {
	case q.Count < 1 || q.Count > maxSamples:
		return fmt.Errorf("count is %d; it is 1 to %d", q.Count, maxSamples)
	case q.Index < -1 || q.Index >= MaxLog:
		return fmt.Errorf("index is %d; it is -1 for the whole log, or 0 to %d", q.Index, int64(MaxLog-1))
	case q.At < 0 || q.At > maxTime:
		return fmt.Errorf("at is %d; it is Unix seconds, 0 to %d", q.At, int64(maxTime))
	}
	return nil
}

// draw returns two numbers that the salt, the audited promise and the number of a sample give. The
// tree head has no part in it, or a node that knows the salt could append promises until it likes
// what is drawn.
func (q Question) draw(sample int) (first, second uint64) {
	in := append([]byte(auditTag), q.Salt[:]...)
	in = binary.BigEndian.AppendUint64(in, uint64(q.Index))
	in = binary.BigEndian.AppendUint64(in, uint64(sample))
	sum := sha256.Sum256(in)
	return binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])
}

// below maps a random number to 0 to n - 1.
func below(random uint64, n int64) int64 {
	high, _ := bits.Mul64(random, uint64(n))
	return int64(high)
}

// Place returns the promise of a log of so many that a sample is about.
func (q Question) Place(size int64, sample int) int64 {
	if q.Index >= 0 {
		return q.Index
	}
	first, _ := q.draw(sample)
	return below(first, size)
}

// Chunk returns the number of the chunk that a sample asks of a promised artifact.
func (q Question) Chunk(sample int, p Promise) int64 {
	_, second := q.draw(sample)
	return below(second, chunks(p.Size))
}

// Sample is the answer to one part of an audit. Proof shows the promise in the log of the audit's
// head. Piece is nil if the term is over, or if the node does not have the artifact.
type Sample struct {
	Index   int64    `json:"index"`
	Promise Promise  `json:"promise"`
	Proof   []Digest `json:"proof"`
	Piece   *Piece   `json:"piece,omitempty"`
}

// Trial is an audit with its answers. It verifies offline.
type Trial struct {
	Head     TreeHead `json:"head"`
	Question Question `json:"question"`
	Samples  []Sample `json:"samples"`
}

// Counts are what a trial shows.
type Counts struct {
	Asked   int `json:"asked"`
	Proven  int `json:"proven"`
	Over    int `json:"over"`    // the term is over
	Missing int `json:"missing"` // promised, and not shown
}

// Kept reports whether everything was shown that had to be, and something had to be.
func (c Counts) Kept() bool { return c.Missing == 0 && c.Proven > 0 }

// Verify checks each sample. An error means that the answers do not fit the question or the log.
func (t Trial) Verify() (c Counts, err error) {
	if err := t.Question.Check(); err != nil {
		return c, fmt.Errorf("memory: question: %w", err)
	}
	if t.Question.Index >= t.Head.Size || t.Head.Size == 0 {
		return c, fmt.Errorf("memory: the log has %d promises; there is nothing to audit at place %d", t.Head.Size, t.Question.Index)
	}
	if len(t.Samples) != t.Question.Count {
		return c, fmt.Errorf("memory: %d samples were asked for, and there are %d", t.Question.Count, len(t.Samples))
	}
	for n, s := range t.Samples {
		if want := t.Question.Place(t.Head.Size, n); s.Index != want {
			return c, fmt.Errorf("memory: sample %d is about promise %d, not %d", n, s.Index, want)
		}
		in := Inclusion{Head: t.Head, Index: s.Index, Promise: s.Promise, Proof: s.Proof}
		if err := in.Verify(); err != nil {
			return c, fmt.Errorf("sample %d: %w", n, err)
		}
		c.Asked++
		switch {
		case s.Piece != nil:
			if want := t.Question.Chunk(n, s.Promise); s.Piece.Number != want {
				return c, fmt.Errorf("memory: sample %d has chunk %d, not %d", n, s.Piece.Number, want)
			}
			if err := s.Piece.check(s.Promise); err != nil {
				return c, fmt.Errorf("memory: sample %d: %w", n, err)
			}
			c.Proven++
		case s.Promise.Until <= t.Question.At:
			c.Over++
		default:
			c.Missing++
		}
	}
	return c, nil
}

// Retention is what a payer needs to pay for a part of a term: numbers and hashes alone, so that a
// program could check and pay them. The trial has to be about this one promise, with a salt that
// nobody knew before the end of the part, such as the hash of a slot.
type Retention struct {
	Node     string `json:"node"`
	Size     int64  `json:"log_size"`
	Root     Digest `json:"log_root"`
	Salt     Digest `json:"salt"`
	Index    int64  `json:"index"`
	Artifact Digest `json:"artifact"`
	From     int64  `json:"from"`
	To       int64  `json:"to"`
	Asked    int    `json:"asked"`
	Proven   int    `json:"proven"`
	// Lamports is what is due: all of it if every sample was shown, nothing otherwise. So keeping
	// a part of an artifact pays less than the part.
	Lamports uint64 `json:"lamports,string"`
}

// Retained returns what is due for a part of the term of the promise that a trial is about.
func (t Trial) Retained(from, to int64) (r Retention, err error) {
	c, err := t.Verify()
	if err != nil {
		return r, err
	}
	if t.Question.Index < 0 {
		return r, fmt.Errorf("memory: an audit of the whole log pays for no promise; audit one artifact")
	}
	if from < 0 || to <= from || to > t.Question.At {
		return r, fmt.Errorf("memory: what is paid is from %d to %d; it ends after it begins, and not after the audit at %d", from, to, t.Question.At)
	}
	p := t.Samples[0].Promise
	r = Retention{
		Node: t.Head.Node.String(), Size: t.Head.Size, Root: t.Head.Root, Salt: t.Question.Salt, Index: t.Question.Index, Artifact: p.Hash,
		From: from, To: to, Asked: c.Asked, Proven: c.Proven,
	}
	if c.Proven == c.Asked {
		r.Lamports = p.Due(from, to)
	}
	return r, nil
}
