package journal

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ojud/voting"
)

// The limits of the texts that are kept for people who ask later, in bytes.
const (
	maxEventLog = 256 << 10 // of one case
	maxUptime   = 64 << 10
)

// PutEventLog keeps what the node did and met in a case, in the caller's form, in place of the text
// kept before. Unlike records it outlives Forget: a person asks days later. At is Unix seconds, by
// which TrimEventLogs finds the oldest.
func (j *Journal) PutEventLog(task voting.Key, at int64, raw []byte) error {
	if task.IsZero() || len(raw) == 0 || len(raw) > maxEventLog {
		return fmt.Errorf("%w: event log of %d bytes; 1 to %d", ErrInvalid, len(raw), maxEventLog)
	}
	value := binary.BigEndian.AppendUint64(nil, uint64(max(at, 0)))
	return j.write("event log", item{key(eventLogKind, task[:]), append(value, raw...)})
}

// EventLog returns what PutEventLog kept; nil when nothing was.
func (j *Journal) EventLog(task voting.Key) ([]byte, error) {
	raw, err := j.read(key(eventLogKind, task[:]))
	if err != nil || raw == nil {
		return nil, err
	}
	if len(raw) < 8 {
		return nil, corrupt(j.cfg.Dir, fmt.Errorf("an event log of %d bytes", len(raw)))
	}
	return raw[8:], nil
}

// TrimEventLogs drops the event logs written longest ago until at most keep are left.
func (j *Journal) TrimEventLogs(keep int) error {
	type eventLog struct{ at, key []byte }
	var all []eventLog
	err := j.scan([]byte{eventLogKind}, func(k, value []byte) error {
		all = append(all, eventLog{slices.Clone(value[:min(len(value), 8)]), slices.Clone(k)})
		return nil
	})
	if err != nil || len(all) <= keep {
		return err
	}
	slices.SortFunc(all, func(a, b eventLog) int { return slices.Compare(a.at, b.at) })
	var items []item
	for _, e := range all[:len(all)-keep] {
		items = append(items, item{key: e.key})
	}
	return j.writeAll("drop event log", items, dropBatch)
}

// PutUptime keeps when the node ran, in the caller's form, in place of the text kept before.
func (j *Journal) PutUptime(raw []byte) error {
	if len(raw) == 0 || len(raw) > maxUptime {
		return fmt.Errorf("%w: uptime of %d bytes; 1 to %d", ErrInvalid, len(raw), maxUptime)
	}
	return j.write("uptime", item{key(uptimeKind), raw})
}

// Uptime returns what PutUptime kept; nil when nothing was.
func (j *Journal) Uptime() ([]byte, error) { return j.read(key(uptimeKind)) }
