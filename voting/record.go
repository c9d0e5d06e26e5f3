package voting

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Record is kept by the journal for the machine. The set is closed: the types of this file.
type Record interface {
	fmt.Stringer
	// Key is where the journal keeps the record: case (zero for Born) ‖ kind ‖ round ‖ judge, 66
	// bytes. A Cast under a key that holds a different Cast must be refused by the journal: it
	// would be a second vote.
	Key() []byte
	// Encode returns the bytes to keep, at most MaxRecord.
	Encode() []byte
}

// Born is the first record: when the journal was created.
type Born struct{ At int64 }

// Cast is the own vote of a round: the one commitment that this node signs there.
type Cast struct {
	At int64
	Commit
	Opening Opening
	Vote    []byte // the signed vote object
}

// Recovered is the opening of an own commitment that was cast before the journal was lost. Nothing
// is signed for it again.
type Recovered struct {
	At      int64
	Task    Key
	Round   uint8
	Opening Opening
	Vote    []byte // may be empty
}

// Foreign is an own statement that this journal does not know. This node never signs in that round.
type Foreign struct {
	At int64
	Commit
}

// Heard is the first commitment that another judge announced. It is kept for that judge's sake,
// which may lose its disk and ask what it signed, and against that judge, which may announce
// another after this node was restarted.
type Heard struct {
	At int64
	Commit
}

// HeardVote is the vote that another judge showed. With it, a node can reveal for that judge and
// pass the vote on after a restart.
type HeardVote struct {
	At      int64
	Task    Key
	Round   uint8
	Judge   Key
	Opening Opening
	Vote    []byte // the signed vote object
}

// Proof is evidence of equivocation by another judge.
type Proof struct {
	At int64
	Evidence
}

var _ = []Record{Born{}, Cast{}, Recovered{}, Foreign{}, Heard{}, HeardVote{}, Proof{}}

// MaxRecord is the size in bytes of the longest record.
const MaxRecord = 2 + 8 + 32 + 1 + 32 + 32 + 64 + 97 + MaxVote

// RecordKeySize is the size in bytes of every record's key.
const RecordKeySize = 66

// errRecord is returned for bytes that are no record: the journal is damaged, or of another
// version.
var errRecord = errors.New("voting: not a journal record")

// The kinds and the version of records.
const (
	recordVersion = 1

	kindBorn      = 1
	kindCast      = 2
	kindRecovered = 3
	kindForeign   = 4
	kindProof     = 5
	kindHeard     = 6
	kindHeardVote = 7
)

func recordKey(kind byte, task Key, round uint8, judge Key) []byte {
	b := make([]byte, 0, RecordKeySize)
	b = append(b, task[:]...)
	b = append(b, kind, round)
	return append(b, judge[:]...)
}

// Key is the record's place in the journal.
func (r Born) Key() []byte { return recordKey(kindBorn, Key{}, 0, Key{}) }

// Key is the record's place in the journal.
func (r Cast) Key() []byte { return recordKey(kindCast, r.Task, r.Round, r.Judge) }

// Key is the record's place in the journal.
func (r Recovered) Key() []byte { return recordKey(kindRecovered, r.Task, r.Round, Key{}) }

// Key is the record's place in the journal.
func (r Foreign) Key() []byte { return recordKey(kindForeign, r.Task, r.Round, r.Judge) }

// Key is the record's place in the journal.
func (r Heard) Key() []byte { return recordKey(kindHeard, r.Task, r.Round, r.Judge) }

// Key is the record's place in the journal.
func (r HeardVote) Key() []byte { return recordKey(kindHeardVote, r.Task, r.Round, r.Judge) }

// Key is the record's place in the journal.
func (r Proof) Key() []byte { return recordKey(kindProof, r.Task, r.Round, r.Judge) }

// String is for traces.
func (r Born) String() string { return fmt.Sprintf("born at=%d", r.At) }

// String is for traces.
func (r Cast) String() string {
	return line("cast", r.Task, r.Round, "choice=%s commitment=%s", r.Opening.Choice, brief(r.Commitment[:]))
}

// String is for traces.
func (r Recovered) String() string {
	return line("recovered", r.Task, r.Round, "choice=%s", r.Opening.Choice)
}

// String is for traces.
func (r Foreign) String() string {
	return line("foreign", r.Task, r.Round, "commitment=%s", brief(r.Commitment[:]))
}

// String is for traces.
func (r Heard) String() string {
	return line("heard", r.Task, r.Round, "judge=%s commitment=%s", brief(r.Judge[:]), brief(r.Commitment[:]))
}

// String is for traces.
func (r HeardVote) String() string {
	return line("heard-vote", r.Task, r.Round, "judge=%s choice=%s", brief(r.Judge[:]), r.Opening.Choice)
}

// String is for traces.
func (r Proof) String() string {
	return line("proof", r.Task, r.Round, "judge=%s a=%s b=%s", brief(r.Judge[:]),
		brief(r.A.Commitment[:]), brief(r.B.Commitment[:]))
}

func recordHead(kind byte, at int64) []byte {
	b := make([]byte, 0, 512)
	b = append(b, recordVersion, kind)
	return binary.LittleEndian.AppendUint64(b, uint64(at))
}

func (n Commit) append(b []byte) []byte { return append(b, n.Encode()[1:]...) }

func (o Opening) append(b []byte) []byte {
	b = append(b, o.Plain()...)
	return append(b, o.Salt[:]...)
}

// Encode returns the bytes to keep.
func (r Born) Encode() []byte { return recordHead(kindBorn, r.At) }

// Encode returns the bytes to keep.
func (r Cast) Encode() []byte {
	b := r.Commit.append(recordHead(kindCast, r.At))
	return append(r.Opening.append(b), r.Vote...)
}

// Encode returns the bytes to keep.
func (r Recovered) Encode() []byte {
	b := append(recordHead(kindRecovered, r.At), r.Task[:]...)
	b = append(b, r.Round)
	return append(r.Opening.append(b), r.Vote...)
}

// Encode returns the bytes to keep.
func (r Foreign) Encode() []byte { return r.Commit.append(recordHead(kindForeign, r.At)) }

// Encode returns the bytes to keep.
func (r Heard) Encode() []byte { return r.Commit.append(recordHead(kindHeard, r.At)) }

// Encode returns the bytes to keep.
func (r HeardVote) Encode() []byte {
	b := append(recordHead(kindHeardVote, r.At), r.Task[:]...)
	b = append(b, r.Round)
	b = append(b, r.Judge[:]...)
	return append(r.Opening.append(b), r.Vote...)
}

// Encode returns the bytes to keep.
func (r Proof) Encode() []byte {
	b := append(recordHead(kindProof, r.At), r.Peer[:]...)
	b = Commit{Task: r.Task, Round: r.Round, Judge: r.Judge, Signed: r.A}.append(b)
	b = append(b, r.B.Commitment[:]...)
	return append(b, r.B.Signature[:]...)
}
