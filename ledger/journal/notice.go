package journal

import (
	"crypto/sha256"
	"fmt"

	"ojud/voting"
)

// maxBatch is how many notices of the largest size fit into one transaction. TestInvalid writes
// that many.
const maxBatch = 84

// The notices of a round fit: two commitments and a vote from each seat.
const _ = uint(maxBatch - 3*voting.MaxSeats)

// PutNotices keeps notices of peers in one transaction, at most maxBatch. A notice that the journal
// has already is kept once.
func (j *Journal) PutNotices(all ...voting.Notice) error {
	items := make([]item, 0, len(all))
	for _, n := range all {
		b := n.Encode()
		if len(b) == 0 || len(b) > voting.MaxNotice {
			return fmt.Errorf("%w: notice of %d bytes", ErrInvalid, len(b))
		}
		task, round, _ := n.Seat()
		items = append(items, item{noticeKey(task, round, sha256.Sum256(b)), b})
	}
	return j.write("notices", items...)
}

// Notices returns what was kept of a round, in no particular order. parse reads the JSON of votes
// (package casefile).
func (j *Journal) Notices(task voting.Key, round uint8, parse func(json []byte) (voting.Vote, error)) ([]voting.Notice, error) {
	return values(j, key(noticeKind, task[:], []byte{round}), func(_, value []byte) (voting.Notice, error) {
		return voting.DecodeNotice(value, parse)
	})
}
