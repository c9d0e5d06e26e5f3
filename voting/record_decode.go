package voting

import (
	"encoding/binary"
	"fmt"
)

// DecodeRecord is the inverse of Record.Encode. It takes only bytes that Encode can have made, and
// keeps no reference to b.
func DecodeRecord(b []byte) (Record, error) {
	if len(b) < 10 || len(b) > MaxRecord {
		return nil, fmt.Errorf("%w: %d bytes", errRecord, len(b))
	}
	if b[0] != recordVersion {
		return nil, fmt.Errorf("%w: version %d, this program knows %d", errRecord, b[0], recordVersion)
	}
	d := &reader{left: b[10:]}
	r := d.record(b[1], int64(binary.LittleEndian.Uint64(b[2:10])))
	if d.fault == "" && len(d.left) != 0 {
		d.fault = fmt.Sprintf("%d bytes too many", len(d.left))
	}
	if d.fault != "" {
		return nil, fmt.Errorf("%w: kind %d: %s", errRecord, b[1], d.fault)
	}
	return r, nil
}

// reader takes fields off the front of left; the first fault stays.
type reader struct {
	left  []byte
	fault string
}

func (d *reader) take(n int) []byte {
	if len(d.left) < n {
		if d.fault == "" {
			d.fault = "too short"
		}
		d.left = nil
		return make([]byte, n)
	}
	b := d.left[:n]
	d.left = d.left[n:]
	return b
}

func (d *reader) key() Key   { return Key(d.take(32)) }
func (d *reader) hash() Hash { return Hash(d.take(32)) }

func (d *reader) record(kind byte, at int64) Record {
	switch kind {
	case kindBorn:
		return Born{At: at}
	case kindCast:
		return Cast{At: at, Commit: d.commit(), Opening: d.opening(), Vote: d.vote()}
	case kindRecovered:
		return Recovered{At: at, Task: d.key(), Round: d.round(), Opening: d.opening(), Vote: d.vote()}
	case kindForeign:
		return Foreign{At: at, Commit: d.commit()}
	case kindHeard:
		return Heard{At: at, Commit: d.commit()}
	case kindHeardVote:
		return HeardVote{At: at, Task: d.key(), Round: d.round(), Judge: d.key(), Opening: d.opening(), Vote: d.vote()}
	case kindProof:
		return d.proof(at)
	}
	d.fault = "unknown"
	return nil
}

func (d *reader) round() uint8 {
	r := d.take(1)[0]
	if (r == 0 || r > MaxRound) && d.fault == "" {
		d.fault = fmt.Sprintf("round %d", r)
	}
	return r
}

func (d *reader) signed() Signed {
	return Signed{Commitment: d.hash(), Signature: Signature(d.take(64))}
}

func (d *reader) commit() Commit {
	return Commit{Task: d.key(), Round: d.round(), Judge: d.key(), Signed: d.signed()}
}

func (d *reader) opening() Opening {
	plain := d.take(plainSize)
	o, err := ParsePlain(plain, d.hash())
	if err != nil && d.fault == "" {
		d.fault = err.Error()
	}
	return o
}

// vote takes the rest.
func (d *reader) vote() []byte {
	if len(d.left) > MaxVote && d.fault == "" {
		d.fault = "vote too long"
	}
	v := append([]byte(nil), d.left...)
	d.left = nil
	return v
}

func (d *reader) proof(at int64) Record {
	peer, a := d.key(), d.commit()
	return Proof{At: at, Evidence: Evidence{
		Task: a.Task, Round: a.Round, Judge: a.Judge, Peer: peer, A: a.Signed, B: d.signed(),
	}}
}
