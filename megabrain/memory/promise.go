package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Bounds of a promise.
const (
	MaxArtifact = 64 << 20 // bytes of an artifact
	chunkSize   = 1 << 10  // bytes of a chunk, which an audit asks for
	// MaxRate is the highest price, in lamports for a GiB and a day.
	MaxRate = 1 << 40
	// MaxTerm is the longest term, in seconds: a hundred years.
	MaxTerm = 100 * 366 * Day
	// Day is a day in seconds.
	Day = 86_400

	maxTime = 1 << 38 // Unix seconds

	// LeafSize is how many bytes a promise has in the log.
	LeafSize = len(leafTag) + 2*sha256.Size + 4*8

	leafTag = "mem1"
)

// Due multiplies size, seconds and rate in 128 bits.
const _ = uint64(1<<63) - MaxArtifact*MaxTerm

// Promise is what a memory node promises about an artifact: to have it from From to Until. It is a
// leaf of the node's log. The same artifact may be promised again, for longer.
type Promise struct {
	Hash   Digest `json:"hash"` // SHA-256 of the artifact
	Size   int64  `json:"size"` // bytes
	Chunks Digest `json:"chunks"`
	From   int64  `json:"from"` // Unix seconds
	Until  int64  `json:"until"`
	// Rate is the price in lamports for a GiB and a day.
	Rate uint64 `json:"rate,string"`
}

// Check names the first member that is out of its range.
func (p Promise) Check() error {
	switch {
	case p.Size < 1 || p.Size > MaxArtifact:
		return fmt.Errorf("size is %d; an artifact has 1 to %d bytes", p.Size, MaxArtifact)
	case p.From < 0 || p.From > maxTime:
		return fmt.Errorf("from is %d; it is Unix seconds, 0 to %d", p.From, int64(maxTime))
	case p.Until <= p.From || p.Until-p.From > MaxTerm:
		return fmt.Errorf("until is %d; it is 1 to %d seconds after from, %d", p.Until, MaxTerm, p.From)
	case p.Rate > MaxRate:
		return fmt.Errorf("rate is %d lamports; it is at most %d", p.Rate, uint64(MaxRate))
	}
	return nil
}

// Leaf returns the bytes of the promise in the log.
func (p Promise) Leaf() []byte {
	out := append(make([]byte, 0, LeafSize), leafTag...)
	out = append(append(out, p.Hash[:]...), p.Chunks[:]...)
	for _, n := range []uint64{uint64(p.Size), uint64(p.From), uint64(p.Until), p.Rate} {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	return out
}

// record is the leaf's hash in the log.
func (p Promise) record() tlog.Hash { return tlog.RecordHash(p.Leaf()) }

// ParseLeaf reads the bytes of a promise.
func ParseLeaf(leaf []byte) (p Promise, err error) {
	if len(leaf) != LeafSize || string(leaf[:len(leafTag)]) != leafTag {
		return p, fmt.Errorf("memory: a leaf has %d bytes and begins with %s", LeafSize, leafTag)
	}
	rest := leaf[len(leafTag):]
	rest = rest[copy(p.Hash[:], rest):]
	rest = rest[copy(p.Chunks[:], rest):]
	var n [4]int64
	for i := range n {
		v := binary.BigEndian.Uint64(rest[8*i:])
		if v > 1<<62 {
			return p, errors.New("memory: a number of the leaf is above 2^62")
		}
		n[i] = int64(v)
	}
	p.Size, p.From, p.Until, p.Rate = n[0], n[1], n[2], uint64(n[3])
	if err := p.Check(); err != nil {
		return Promise{}, fmt.Errorf("memory: leaf: %w", err)
	}
	return p, nil
}

// Due returns what keeping the artifact from one time to another is worth, in lamports. What is due
// for parts of a term is exactly what is due for the whole, however the term is divided.
func (p Promise) Due(from, to int64) uint64 {
	from, to = min(max(from, p.From), p.Until), min(max(to, p.From), p.Until)
	if to <= from {
		return 0
	}
	return p.due(to) - p.due(from)
}

// due is what is due from the beginning of the term to a time in it.
func (p Promise) due(to int64) uint64 {
	high, low := bits.Mul64(uint64(p.Size)*uint64(to-p.From), p.Rate)
	out, _ := bits.Div64(high, low, Day<<30)
	return out
}

// Pieces is an artifact with the tree of its chunks.
type Pieces struct {
	content []byte
	hashes  []tlog.Hash // by tlog.StoredHashIndex
}

// ReadHashes implements tlog.HashReader.
func (p *Pieces) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		if x < 0 || x >= int64(len(p.hashes)) {
			return nil, fmt.Errorf("memory: chunk hash %d of %d", x, len(p.hashes))
		}
		out[i] = p.hashes[x]
	}
	return out, nil
}

// Divide makes the tree of the chunks of an artifact.
func Divide(content []byte) (*Pieces, error) {
	if len(content) == 0 || len(content) > MaxArtifact {
		return nil, fmt.Errorf("memory: an artifact has 1 to %d bytes, not %d", MaxArtifact, len(content))
	}
	p := &Pieces{content: content}
	for n := range p.count() {
		more, err := tlog.StoredHashes(n, p.chunk(n), p)
		if err != nil {
			return nil, err
		}
		p.hashes = append(p.hashes, more...)
	}
	return p, nil
}

// chunks is how many chunks an artifact of so many bytes has.
func chunks(size int64) int64 { return (size + chunkSize - 1) / chunkSize }

func (p *Pieces) count() int64 { return chunks(int64(len(p.content))) }

func (p *Pieces) chunk(n int64) []byte {
	return p.content[n*chunkSize : min((n+1)*chunkSize, int64(len(p.content)))]
}

// Promise returns the promise of the artifact for a term and a rate.
func (p *Pieces) Promise(from, until int64, rate uint64) (Promise, error) {
	root, err := tlog.TreeHash(p.count(), p)
	if err != nil {
		return Promise{}, err
	}
	out := Promise{Hash: sha256.Sum256(p.content), Size: int64(len(p.content)), Chunks: Digest(root), From: from, Until: until, Rate: rate}
	return out, out.Check()
}

// Piece is one chunk of an artifact, with the proof that it is there in its place.
type Piece struct {
	Number int64    `json:"number"`
	Bytes  []byte   `json:"bytes"`
	Proof  []Digest `json:"proof"`
}

// Piece returns a chunk by its number.
func (p *Pieces) Piece(n int64) (Piece, error) {
	if n < 0 || n >= p.count() {
		return Piece{}, fmt.Errorf("memory: chunk %d of %d", n, p.count())
	}
	proof, err := tlog.ProveRecord(p.count(), n, p)
	return Piece{Number: n, Bytes: p.chunk(n), Proof: Path(proof)}, err
}

// check verifies a chunk of a promised artifact.
func (c Piece) check(p Promise) error {
	count := chunks(p.Size)
	if c.Number < 0 || c.Number >= count {
		return fmt.Errorf("chunk %d of %d", c.Number, count)
	}
	if want := min(chunkSize, p.Size-c.Number*chunkSize); int64(len(c.Bytes)) != want {
		return fmt.Errorf("chunk %d has %d bytes, not %d", c.Number, len(c.Bytes), want)
	}
	if err := tlog.CheckRecord(path(c.Proof), count, tlog.Hash(p.Chunks), c.Number, tlog.RecordHash(c.Bytes)); err != nil {
		return fmt.Errorf("chunk %d is not that of the artifact: %w", c.Number, err)
	}
	return nil
}
