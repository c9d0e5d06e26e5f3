package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"ojud/ledger/journal/durable"
)

// queue keeps the notifications that wait for one receiver: a file for each.
type queue struct {
	dir  string
	most int

	mu      sync.Mutex
	waiting []entry         // oldest first
	recent  []string        // IDs that were taken lately, oldest first
	known   map[string]bool // IDs that wait or were taken lately
}

// entry is a notification that waits.
type entry struct {
	file     string
	id       string
	promised time.Time
	refused  int // how often the receiver found fault with it
}

// maxRecent is how many IDs are remembered, so that an event that is read twice is told once.
const maxRecent = 1024

// fileName has the time of the promise in nanoseconds, so that names sort by age.
var fileName = regexp.MustCompile(`^(\d{19})-(msg_[0-9a-f]{32})\.json$`)

// maxFile bounds a file of the queue, in bytes.
const maxFile = 16 << 10

func openQueue(dir string, most int) (*queue, error) {
	if err := durable.MakeDir(dir); err != nil {
		return nil, err
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	q := &queue{dir: dir, most: most, known: map[string]bool{}}
	for _, f := range found {
		e, ok := parseName(f.Name())
		if !ok {
			continue // a part of a file that a crash left, or not ours
		}
		q.waiting, q.known[e.id] = append(q.waiting, e), true
	}
	slices.SortFunc(q.waiting, func(a, b entry) int { return a.promised.Compare(b.promised) })
	return q, nil
}

func parseName(name string) (entry, bool) {
	m := fileName.FindStringSubmatch(name)
	if m == nil {
		return entry{}, false
	}
	at, err := strconv.ParseInt(m[1], 10, 64)
	return entry{file: name, id: m[2], promised: time.Unix(0, at)}, err == nil
}

var errFull = errors.New("too many notifications wait for it")

// put promises a notification. When it returns true, the notification is on the disk. It returns
// false without an error if this event was told before.
func (q *queue) put(id string, body []byte) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[id] {
		return false, nil
	}
	if len(q.waiting) >= q.most {
		return false, errFull
	}
	now := time.Now()
	if n := len(q.waiting); n > 0 && !now.After(q.waiting[n-1].promised) {
		now = q.waiting[n-1].promised.Add(1) // names sort by age, also if the clock is set back
	}
	e := entry{file: fmt.Sprintf("%019d-%s.json", now.UnixNano(), id), id: id, promised: now}
	if err := durable.WriteFile(filepath.Join(q.dir, e.file), body); err != nil {
		return false, err
	}
	q.waiting, q.known[id] = append(q.waiting, e), true
	return true, nil
}

// next returns the notification to post: the oldest of those with which the receiver found fault
// least often.
func (q *queue) next() (entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return entry{}, false
	}
	return slices.MinFunc(q.waiting, func(a, b entry) int { return a.refused - b.refused }), true
}

// expired returns the oldest notification if it is older than that.
func (q *queue) expired(age time.Duration) (entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || time.Since(q.waiting[0].promised) < age {
		return entry{}, false
	}
	return q.waiting[0], true
}

// blame notes that the receiver found fault with a notification.
func (q *queue) blame(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.waiting {
		if q.waiting[i].file == e.file {
			q.waiting[i].refused++
		}
	}
}

// errDamaged means that a file of the queue is not what was written.
var errDamaged = errors.New("its file is damaged")

// read returns the body of a notification.
func (q *queue) read(e entry) (body []byte, err error) {
	f, err := os.Open(filepath.Join(q.dir, e.file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errDamaged
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	body, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && (len(body) > maxFile || !json.Valid(body)) {
		return nil, errDamaged
	}
	return body, err
}

// remove ends the wait of a notification. If the file stays because of a fault of the disk, it is
// posted again after the next start.
func (q *queue) remove(e entry) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w entry) bool { return w.file == e.file })
	q.recent = append(q.recent, e.id)
	if len(q.recent) > maxRecent {
		delete(q.known, q.recent[0])
		q.recent = q.recent[1:]
	}
	err := os.Remove(filepath.Join(q.dir, e.file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Waiting returns how many notifications wait for a receiver on a home.
func Waiting(home, name string) (n int, err error) {
	found, err := os.ReadDir(filepath.Join(home, folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, f := range found {
		if _, ok := parseName(f.Name()); ok {
			n++
		}
	}
	return n, err
}
