package journal

import (
	"errors"
	"fmt"

	"ojud/voting"
)

// maxData bounds the kept data that a round's opinion rests on, in bytes.
const maxData = 1 << 20

// PutData keeps the data that the node asked for in a round, in the caller's form, for good before
// it returns. The commitment of the round stands on it (receipts root), so the data comes before
// the vote. Only the first counts.
func (j *Journal) PutData(task voting.Key, round uint8, raw []byte) error {
	if task.IsZero() || round == 0 || len(raw) > maxData {
		return fmt.Errorf("%w: data of round %d, %d bytes; at most %d", ErrInvalid, round, len(raw), maxData)
	}
	j.signing.Lock()
	defer j.signing.Unlock()
	old, err := j.read(dataKey(task, round))
	if err != nil || old != nil {
		return err
	}
	return j.write("data", item{dataKey(task, round), raw})
}

// Data returns what PutData kept; nil when nothing was.
func (j *Journal) Data(task voting.Key, round uint8) ([]byte, error) {
	return j.read(dataKey(task, round))
}

// errForgotten: an answer of this node to the same question may be lost with an earlier journal.
var errForgotten = errors.New("journal: this node may have answered in that case before its journal was made or restored")

// Said keeps the first answer that this node gives as a holder to a question in a case, for good
// before it returns, and returns the first one: a node that signed two different answers would be
// evidence against itself. opened is when the case was opened, in Unix seconds of the chain; if the
// journal is younger and knows no answer, the error is errForgotten.
func (j *Journal) Said(task voting.Key, opened int64, question, answer voting.Hash) (first voting.Hash, err error) {
	if task.IsZero() {
		return first, fmt.Errorf("%w: an answer outside of any case", ErrInvalid)
	}
	k := key(dataKind, task[:], []byte{0}, question[:]) // rounds begin at 1
	j.signing.Lock()
	defer j.signing.Unlock()
	old, err := j.read(k)
	if err != nil || len(old) == len(first) {
		copy(first[:], old)
		return first, err
	}
	if opened <= j.born.at.Load() {
		return first, errForgotten
	}
	return answer, j.write("data", item{k, answer[:]})
}

func dataKey(task voting.Key, round uint8) []byte { return key(dataKind, task[:], []byte{round}) }
