package memory

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"

	"ojud/agent/delegation"
)

// testKey signs for a node.
type testKey struct{ private ed25519.PrivateKey }

func newKey(name string) testKey {
	seed := sha256.Sum256([]byte(name))
	return testKey{ed25519.NewKeyFromSeed(seed[:])}
}

func (k testKey) Principal() (p delegation.Principal) {
	copy(p[:], k.private[32:])
	return p
}

func (k testKey) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(k.private, message)) }

// testLog is a log in memory.
type testLog struct {
	key      testKey
	promises []Promise
	contents [][]byte
	hashes   []tlog.Hash
}

func (l *testLog) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		out[i] = l.hashes[x]
	}
	return out, nil
}

func (l *testLog) add(t testing.TB, content []byte) {
	t.Helper()
	pieces, err := Divide(content)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pieces.Promise(1000, 1000+30*Day, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	more, err := tlog.StoredHashes(int64(len(l.promises)), p.Leaf(), l)
	if err != nil {
		t.Fatal(err)
	}
	l.promises, l.contents, l.hashes = append(l.promises, p), append(l.contents, content), append(l.hashes, more...)
}

func (l *testLog) headOf(t testing.TB, size int64) TreeHead {
	t.Helper()
	root, err := tlog.TreeHash(size, l)
	if err != nil {
		t.Fatal(err)
	}
	h, err := SignHead(l.key, size, Digest(root), 2000+size)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (l *testLog) inclusion(t testing.TB, size, at int64) Inclusion {
	t.Helper()
	p, err := tlog.ProveRecord(size, at, l)
	if err != nil {
		t.Fatal(err)
	}
	return Inclusion{Head: l.headOf(t, size), Index: at, Promise: l.promises[at], Proof: Path(p)}
}

func (l *testLog) prefix(t testing.TB, old, size int64) Prefix {
	t.Helper()
	p, err := tlog.ProveTree(size, old, l)
	if err != nil {
		t.Fatal(err)
	}
	return Prefix{Head: l.headOf(t, size), Size: old, Root: l.headOf(t, old).Root, Proof: Path(p)}
}

func (l *testLog) audit(t testing.TB, q Question) Trial {
	t.Helper()
	size := int64(len(l.promises))
	out := Trial{Head: l.headOf(t, size), Question: q}
	for n := range q.Count {
		in := l.inclusion(t, size, q.Place(size, n))
		pieces, err := Divide(l.contents[in.Index])
		if err != nil {
			t.Fatal(err)
		}
		piece, err := pieces.Piece(q.Chunk(n, in.Promise))
		if err != nil {
			t.Fatal(err)
		}
		out.Samples = append(out.Samples, Sample{in.Index, in.Promise, in.Proof, &piece})
	}
	return out
}

// text is content of n bytes that depends on a name.
func text(name string, n int) []byte {
	return append([]byte(name), bytes.Repeat([]byte("x"), n-len(name))...)
}

func filled(t testing.TB, node string, n int) *testLog {
	l := &testLog{key: newKey(node)}
	for i := range n {
		l.add(t, text(fmt.Sprint("artifact ", i), 20+i*700))
	}
	return l
}

func raws(proof []Digest) (out [][]byte) {
	for _, h := range proof {
		out = append(out, h[:])
	}
	return out
}

// TestSecond: each proof verifies by another implementation, too, and so do chunks.
func TestSecond(t *testing.T) {
	l := filled(t, "node", 13)
	for size := int64(1); size <= 13; size++ {
		for at := range size {
			in := l.inclusion(t, size, at)
			leaf := rfc6962.DefaultHasher.HashLeaf(in.Promise.Leaf())
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(at), uint64(size), leaf, raws(in.Proof), in.Head.Root[:]); err != nil || in.Verify() != nil {
				t.Errorf("%d of %d: %v, %v", at, size, err, in.Verify())
			}
			c := l.prefix(t, at+1, size)
			if err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(at+1), uint64(size), raws(c.Proof), c.Root[:], c.Head.Root[:]); err != nil || c.Verify() != nil {
				t.Errorf("%d to %d: %v, %v", at+1, size, err, c.Verify())
			}
		}
	}
	for i, p := range l.promises {
		pieces, err := Divide(l.contents[i])
		if err != nil {
			t.Fatal(err)
		}
		for n := range chunks(p.Size) {
			piece, err := pieces.Piece(n)
			if err != nil {
				t.Fatal(err)
			}
			leaf := rfc6962.DefaultHasher.HashLeaf(piece.Bytes)
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(n), uint64(chunks(p.Size)), leaf, raws(piece.Proof), p.Chunks[:]); err != nil || piece.check(p) != nil {
				t.Errorf("chunk %d: %v, %v", n, err, piece.check(p))
			}
		}
	}
}

func TestLeaf(t *testing.T) {
	p := filled(t, "node", 1).promises[0]
	again, err := ParseLeaf(p.Leaf())
	if err != nil || again != p {
		t.Errorf("%v: %+v", err, again)
	}
	for name, change := range map[string]func(*Promise){
		"size": func(p *Promise) { p.Size = 0 }, "from": func(p *Promise) { p.From = -1 }, "until": func(p *Promise) { p.Until = p.From },
		"until ": func(p *Promise) { p.Until = p.From + MaxTerm + 1 }, "rate": func(p *Promise) { p.Rate = MaxRate + 1 }, "size ": func(p *Promise) { p.Size = MaxArtifact + 1 },
	} {
		bad := p
		change(&bad)
		if _, err := ParseLeaf(bad.Leaf()); err == nil || bad.Check() == nil {
			t.Errorf("%s: %+v", name, bad)
		}
	}
}

// TestDue: what is due for parts is what is due for the whole, and what arithmetic without bounds
// says.
func TestDue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := Promise{Size: 1 + r.Int64N(MaxArtifact), From: r.Int64N(maxTime), Rate: r.Uint64N(MaxRate + 1)}
		p.Until = p.From + 1 + r.Int64N(MaxTerm)
		exact := new(big.Int).Mul(big.NewInt(p.Size), big.NewInt(p.Until-p.From))
		exact.Mul(exact, new(big.Int).SetUint64(p.Rate)).Div(exact, new(big.Int).SetUint64(Day<<30))
		sum, at := uint64(0), p.From
		for at < p.Until {
			next := min(p.Until, at+1+r.Int64N(MaxTerm/3))
			sum, at = sum+p.Due(at, next), next
		}
		if whole := p.Due(0, maxTime*2); whole != sum || !exact.IsUint64() || exact.Uint64() != whole {
			t.Fatalf("%+v: %d in parts, %d as a whole, %v without bounds", p, sum, whole, exact)
		}
	}
	p := Promise{Size: 1 << 30 / 16, From: 0, Until: 32 * Day, Rate: 1_000_000}
	if got := p.Due(0, 16*Day); got != 1_000_000 || p.Due(5, 5) != 0 || p.Due(40*Day, 50*Day) != 0 {
		t.Errorf("a GiB-day costs %d", got)
	}
}

func TestHead(t *testing.T) {
	h := filled(t, "node", 3).headOf(t, 3)
	again, err := ParseHead(h.Note())
	if err != nil || again != h {
		t.Fatalf("%v: %+v", err, again)
	}
	note := string(h.Note())
	for name, bad := range map[string]string{
		"size": strings.Replace(note, "\n3\n", "\n4\n", 1), "time": strings.Replace(note, "time 2003", "time 2004", 1),
		"other": strings.Replace(note, h.Node.String(), newKey("other").Principal().String(), 1), "cut": note[:len(note)-2], "long": note + strings.Repeat("x", maxHead),
		"none": "", "twice": note + note[strings.Index(note, "— "):], "zero": strings.Replace(note, "\n3\n", "\n03\n", 1),
	} {
		if _, err := ParseHead([]byte(bad)); err == nil {
			t.Errorf("%s: %q", name, bad)
		}
	}
	wrong, err := SignHead(newKey("node"), 0, Digest{1}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseHead(wrong.Note()); err == nil {
		t.Error("a log of nothing has any root")
	}
}

// TestAttackTwoLogs: each way in which a node may show two logs is an exposure that verifies
// offline; two heads of one log, and of two nodes, are none.
func TestAttackTwoLogs(t *testing.T) {
	honest, other := filled(t, "node", 9), filled(t, "node", 4)
	for i := range 5 {
		other.add(t, text(fmt.Sprint("other ", i), 100))
	}
	roots := Compare(honest.headOf(t, 9), other.headOf(t, 9))
	history, err := other.prefix(t, 6, 8).Continues(honest.headOf(t, 6))
	places := ComparePlaces(honest.inclusion(t, 9, 5), other.inclusion(t, 7, 5))
	if err != nil || roots == nil || history == nil || places == nil {
		t.Fatalf("%v: %v %v %v", err, roots, history, places)
	}
	for _, e := range []*Exposure{roots, history, places} {
		raw, err := Document{Exposure: e}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		d, err := ParseDocument(raw)
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Verify()
		if err != nil || s.Kind != "exposure" || s.Node != newKey("node").Principal().String() {
			t.Errorf("%v: %+v", err, s)
		}
	}
	if e := Contradiction(Document{Receipt: places.First}, Document{Audit: ptr(other.audit(t, Question{Index: 5, Count: 1, At: 3000}))}); e == nil {
		t.Error("a receipt and an audit with another promise at its place")
	}
	if s, err := (Document{Growth: &Growth{honest.headOf(t, 6), other.prefix(t, 6, 8)}}).Verify(); err != nil || s.Kind != "exposure" {
		t.Errorf("%v: %+v", err, s)
	}

	stranger := filled(t, "stranger", 9)
	stranger.add(t, []byte("z"))
	if Compare(honest.headOf(t, 9), honest.headOf(t, 9)) != nil || Compare(honest.headOf(t, 9), honest.headOf(t, 8)) != nil || Compare(other.headOf(t, 9), stranger.headOf(t, 9)) != nil {
		t.Error("an honest node is exposed")
	}
	if e, err := honest.prefix(t, 6, 9).Continues(honest.headOf(t, 6)); e != nil || err != nil {
		t.Errorf("%v, %v", e, err)
	}
	// What is no exposure does not verify as one.
	good, two, three := honest.headOf(t, 9), honest.prefix(t, 6, 9), honest.inclusion(t, 9, 5)
	wrong := other.prefix(t, 6, 8)
	wrong.Proof = wrong.Proof[1:]
	far := stranger.inclusion(t, 9, 5)
	forged := other.inclusion(t, 7, 5)
	forged.Promise.Rate++
	for i, e := range []Exposure{
		{}, {Old: good}, {Old: good, Other: &good}, {Old: good, Other: ptr(honest.headOf(t, 8))}, {Old: honest.headOf(t, 6), Prefix: &two},
		{Old: honest.headOf(t, 6), Prefix: &wrong}, {First: &three, Second: &three}, {First: &three, Second: ptr(honest.inclusion(t, 9, 4))},
		{First: &three, Second: &far}, {First: &three, Second: &forged}, {Old: good, Other: ptr(stranger.headOf(t, 9))}, {Old: good, First: &three, Second: &forged},
		{Old: honest.headOf(t, 6), Prefix: ptr(stranger.prefix(t, 6, 9))},
	} {
		if did, err := e.Verify(); err == nil {
			t.Errorf("%d: an honest node %s", i, did)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// TestAudit: an honest audit verifies, and each change of it is found.
func TestAudit(t *testing.T) {
	l := filled(t, "node", 9)
	q := Question{Salt: Digest{1, 2, 3}, Count: 20, Index: -1, At: 3000}
	good := l.audit(t, q)
	if c, err := good.Verify(); err != nil || !c.Kept() || c.Proven != 20 {
		t.Fatalf("%v: %+v", err, c)
	}
	raw, err := Document{Audit: &good}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Trial){
		"other salt":     func(t *Trial) { t.Question.Salt[0]++ },
		"fewer":          func(t *Trial) { t.Samples = t.Samples[1:] },
		"swapped":        func(t *Trial) { t.Samples[0], t.Samples[1] = t.Samples[1], t.Samples[0] },
		"byte":           func(t *Trial) { t.Samples[3].Piece.Bytes[0] ^= 1 },
		"short":          func(t *Trial) { p := t.Samples[3].Piece; p.Bytes = p.Bytes[1:] },
		"other chunk":    func(t *Trial) { t.Samples[4].Piece.Number++ },
		"shorter term":   func(t *Trial) { t.Samples[2].Promise.Until = 2500 },
		"no proof":       func(t *Trial) { t.Samples[2].Proof = nil },
		"count":          func(t *Trial) { t.Question.Count = 65 },
		"beyond the log": func(t *Trial) { t.Question.Index = 9 },
	} {
		d, err := ParseDocument(raw)
		if err != nil {
			t.Fatal(err)
		}
		change(d.Audit)
		if _, err := d.Verify(); err == nil {
			t.Errorf("%s: verifies", name)
		}
	}
	d, err := ParseDocument(raw)
	if err != nil {
		t.Fatal(err)
	}
	d.Audit.Samples[0].Piece = nil
	if c, err := d.Audit.Verify(); err != nil || c.Missing != 1 || c.Kept() {
		t.Errorf("%v: %+v", err, c)
	}
	d.Audit.Question.At = 1000 + 30*Day
	if c, err := d.Audit.Verify(); err != nil || c.Missing != 0 || c.Over != 1 {
		t.Errorf("after its term: %v: %+v", err, c)
	}
}

// TestRetained: all is due if each sample is shown, and nothing otherwise.
func TestRetained(t *testing.T) {
	l := filled(t, "node", 9)
	trial := l.audit(t, Question{Salt: Digest{9}, Count: 8, Index: 7, At: 1000 + 2*Day})
	r, err := trial.Retained(1000, 1000+Day)
	if err != nil || r.Lamports != l.promises[7].Due(1000, 1000+Day) || r.Lamports == 0 || r.Proven != 8 || r.Artifact != l.promises[7].Hash {
		t.Errorf("%v: %+v", err, r)
	}
	trial.Samples[7].Piece = nil
	if r, err := trial.Retained(1000, 1000+Day); err != nil || r.Lamports != 0 {
		t.Errorf("%v: %+v", err, r)
	}
	if _, err := trial.Retained(1000, 1001+2*Day); err == nil {
		t.Error("a time that is not over is paid")
	}
	if _, err := l.audit(t, Question{Count: 3, Index: -1, At: 3000}).Retained(1000, 1001); err == nil {
		t.Error("an audit of the log pays for a promise")
	}
}

func TestDivide(t *testing.T) {
	for _, n := range []int{0, MaxArtifact + 1} {
		if _, err := Divide(make([]byte, n)); err == nil {
			t.Errorf("%d bytes", n)
		}
	}
}

// TestBounds: the largest audit of the largest log is a document.
func TestBounds(t *testing.T) {
	l := filled(t, "node", 1)
	piece := Piece{Number: 65535, Bytes: make([]byte, chunkSize), Proof: make([]Digest, 16)}
	s := Sample{MaxLog - 1, Promise{Size: MaxArtifact, From: maxTime, Until: maxTime + MaxTerm, Rate: MaxRate}, make([]Digest, 31), &piece}
	d := Document{Audit: &Trial{Head: l.headOf(t, 1), Samples: make([]Sample, maxSamples)}}
	for i := range d.Audit.Samples {
		d.Audit.Samples[i] = s
	}
	if raw, err := d.Encode(); err != nil {
		t.Errorf("%v: %d", err, len(raw))
	}
}

func FuzzDocument(f *testing.F) {
	l, other := filled(f, "node", 5), filled(f, "node", 2)
	other.add(f, []byte("else"))
	for _, d := range []Document{
		{Receipt: ptr(l.inclusion(f, 5, 2))}, {Growth: &Growth{l.headOf(f, 3), l.prefix(f, 3, 5)}}, {Head: ptr(l.headOf(f, 4))},
		{Audit: ptr(l.audit(f, Question{Count: 2, Index: -1, At: 5}))}, {Exposure: Compare(l.headOf(f, 3), other.headOf(f, 3))},
		{Exposure: ComparePlaces(l.inclusion(f, 3, 2), other.inclusion(f, 3, 2))},
	} {
		raw, err := d.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add(l.headOf(f, 4).Note())
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := ParseDocument(raw)
		if err != nil {
			return
		}
		if _, err := d.Verify(); err != nil {
			return
		}
		d.Shows()
		again, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := ParseDocument(again); err != nil {
			t.Fatal(err)
		} else if _, err := second.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzHead(f *testing.F) {
	l := filled(f, "node", 3)
	f.Add(l.headOf(f, 3).Note())
	f.Add(l.headOf(f, 0).Note())
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, err := ParseHead(raw)
		if err == nil && !bytes.Equal(h.Note(), raw) {
			t.Errorf("%q became %q", raw, h.Note())
		}
	})
}

func FuzzLeaf(f *testing.F) {
	f.Add(filled(f, "node", 1).promises[0].Leaf())
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ParseLeaf(raw)
		if err == nil && !bytes.Equal(p.Leaf(), raw) {
			t.Errorf("%x became %x", raw, p.Leaf())
		}
		if err == nil {
			p.Due(p.From, p.Until)
		}
	})
}

// TestQuestionJSON: a question with a name that is not known is refused.
func TestQuestionJSON(t *testing.T) {
	raw, err := json.Marshal(Question{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	var q Question
	if err := Decode(raw, &q); err != nil {
		t.Error(err)
	}
	if err := Decode([]byte(`{"count":1,"more":2}`), &q); err == nil {
		t.Error("an unknown name")
	}
	if err := Decode(bytes.Repeat([]byte(" "), MaxDocument+1), &q); err == nil {
		t.Error("too long")
	}
}
