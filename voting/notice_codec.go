package voting

import (
	"errors"
	"fmt"
)

// NoticeKind is the first byte of a notice (protocol section 9).
type NoticeKind uint8

// The kinds of notices.
const (
	kindCommit NoticeKind = 1
	KindVote   NoticeKind = 2
	kindRelay  NoticeKind = 3
)

// Sizes in bytes of notices (protocol sections 3 and 9).
const (
	commitSize = 162      // kind ‖ task ‖ round ‖ judge ‖ commitment ‖ signature
	MaxVote    = 8 * 1024 // of a vote's canonical JSON
	MaxNotice  = 8_300
)

// errNotice is returned for bytes that are no notice: malformed, so the sender is at fault.
var errNotice = errors.New("voting: malformed notice")

// DecodeNotice reads the bytes of a notice, at most MaxNotice. The JSON
// of a vote, at most MaxVote bytes, is handed to parse; Raw is set here. It keeps no reference to
// b.
func DecodeNotice(b []byte, parse func(json []byte) (Vote, error)) (Notice, error) {
	if len(b) == 0 || len(b) > MaxNotice {
		return nil, fmt.Errorf("%w: %d bytes", errNotice, len(b))
	}
	switch NoticeKind(b[0]) {
	case kindCommit:
		return decodeCommit(b)
	case KindVote:
		return decodeVote(b[1:], parse)
	case kindRelay:
		return decodeRelay(b)
	}
	return nil, fmt.Errorf("%w: kind %d", errNotice, b[0])
}

func decodeCommit(b []byte) (Notice, error) {
	if len(b) != commitSize {
		return nil, fmt.Errorf("%w: commit of %d bytes instead of %d", errNotice, len(b), commitSize)
	}
	var n Commit
	n.Task, b = Key(b[1:33]), b[33:]
	n.Round, b = b[0], b[1:]
	n.Judge, b = Key(b[:32]), b[32:]
	n.Commitment, b = Hash(b[:32]), b[32:]
	n.Signature = Signature(b)
	return n, nil
}

func decodeVote(json []byte, parse func([]byte) (Vote, error)) (Notice, error) {
	if len(json) == 0 || len(json) > MaxVote {
		return nil, fmt.Errorf("%w: vote of %d bytes", errNotice, len(json))
	}
	raw := append([]byte(nil), json...)
	v, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotice, err)
	}
	v.Raw = raw
	return v, nil
}

// Encode returns the 162 bytes of the commit.
func (n Commit) Encode() []byte {
	b := make([]byte, 0, commitSize)
	b = append(b, byte(kindCommit))
	b = append(b, n.Task[:]...)
	b = append(b, n.Round)
	b = append(b, n.Judge[:]...)
	b = append(b, n.Commitment[:]...)
	return append(b, n.Signature[:]...)
}

// Encode returns the kind and the vote's JSON.
func (n Vote) Encode() []byte {
	b := make([]byte, 0, 1+len(n.Raw))
	b = append(b, byte(KindVote))
	return append(b, n.Raw...)
}
