package journal

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ojud/voting"
)

// The limits of the texts that are kept for people who ask later, in bytes.
const (
	maxDiary = 256 << 10 // of one case
	maxWatch = 64 << 10
)

// PutDiary keeps what the node did and met in a case, in the caller's form, in place of the text
// kept before. Unlike records it outlives Forget: a person asks days later. At is Unix seconds, by
// which TrimDiaries finds the oldest.
func (j *Journal) PutDiary(task voting.Key, at int64, raw []byte) error {
	if task.IsZero() || len(raw) == 0 || len(raw) > maxDiary {
		return fmt.Errorf("%w: diary of %d bytes; 1 to %d", ErrInvalid, len(raw), maxDiary)
	}
	value := binary.BigEndian.AppendUint64(nil, uint64(max(at, 0)))
	return j.write("diary", item{key(diaryKind, task[:]), append(value, raw...)})
}

// Diary returns what PutDiary kept; nil when nothing was.
func (j *Journal) Diary(task voting.Key) ([]byte, error) {
	raw, err := j.read(key(diaryKind, task[:]))
	if err != nil || raw == nil {
		return nil, err
	}
	if len(raw) < 8 {
		return nil, corrupt(j.cfg.Dir, fmt.Errorf("a diary of %d bytes", len(raw)))
	}
	return raw[8:], nil
}

// TrimDiaries drops the diaries written longest ago until at most keep are left.
func (j *Journal) TrimDiaries(keep int) error {
	type diary struct{ at, key []byte }
	var all []diary
	err := j.scan([]byte{diaryKind}, func(k, value []byte) error {
		all = append(all, diary{slices.Clone(value[:min(len(value), 8)]), slices.Clone(k)})
		return nil
	})
	if err != nil || len(all) <= keep {
		return err
	}
	slices.SortFunc(all, func(a, b diary) int { return slices.Compare(a.at, b.at) })
	var items []item
	for _, d := range all[:len(all)-keep] {
		items = append(items, item{key: d.key})
	}
	return j.writeAll("drop diary", items, dropBatch)
}

// PutWatch keeps when the node ran, in the caller's form, in place of the text kept before.
func (j *Journal) PutWatch(raw []byte) error {
	if len(raw) == 0 || len(raw) > maxWatch {
		return fmt.Errorf("%w: watch of %d bytes; 1 to %d", ErrInvalid, len(raw), maxWatch)
	}
	return j.write("watch", item{key(watchKind), raw})
}

// Watch returns what PutWatch kept; nil when nothing was.
func (j *Journal) Watch() ([]byte, error) { return j.read(key(watchKind)) }
