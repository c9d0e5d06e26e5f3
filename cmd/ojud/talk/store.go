package talk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ojud/agent/talk/link"
)

// How much of what was said is kept in a home.
const (
	maxKept = 1 << 30  // bytes of all peers
	maxPeer = 32 << 20 // bytes of one peer
)

// errFull is the reason why words of a peer are not kept.
var errFull = errors.New("the folder talks is full; only the hash is kept, in the audit log")

// store is the folder with what was said. It counts the files of all commands that wrote to it.
type store struct {
	dir  string
	self string // the own agent, in names of files

	mu   sync.Mutex
	used map[string]int64 // by peer
	all  int64
}

// erased ends the name of a file with what was said if both promised to delete it.
const erased = ".erase"

// dated is the beginning of a name.
const dated = "20060102T150405Z"

// ending tells the files of one agent of a home from those of another.
func ending(agent string) string { return agent[max(0, len(agent)-16):] }

// mark tells the files of one peer from those of another. Peers without a key share one for each
// address.
func mark(peer, address string, proven bool) string {
	if !proven {
		peer = link.Place(address)
	}
	sum := sha256.Sum256([]byte(peer))
	return hex.EncodeToString(sum[:8])
}

// openStore deletes what a command that was killed had promised to delete, and counts the rest. The
// audit log is open, so no other command talks in this home with this key.
func openStore(home, agent string) (*store, error) {
	s := &store{dir: filepath.Join(home, "talks"), self: ending(agent), used: map[string]int64{}}
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	for _, f := range files {
		name := f.Name()
		own, found := strings.CutPrefix(name[min(len(dated), len(name)):], "-"+s.self+"-")
		if found && strings.HasSuffix(name, erased) {
			err = errors.Join(err, os.Remove(filepath.Join(s.dir, name)))
			continue
		}
		info, failed := f.Info()
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		s.all += info.Size()
		if peer, _, ok := strings.Cut(own, "-"); found && ok {
			s.used[peer] += info.Size()
		}
	}
	return s, err
}

// create begins a file about a peer.
func (s *store) create(peer string) (*os.File, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(s.dir, time.Now().UTC().Format(dated)+"-"+s.self+"-"+peer+"-*.jsonl")
}

// take counts bytes about a peer, if there is room for them.
func (s *store) take(peer string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all+int64(n) > maxKept || s.used[peer]+int64(n) > maxPeer {
		return false
	}
	s.all += int64(n)
	s.used[peer] += int64(n)
	return true
}

// free gives back what was deleted.
func (s *store) free(peer string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all -= int64(n)
	if s.used[peer] -= int64(n); s.used[peer] <= 0 {
		delete(s.used, peer)
	}
}

// leastKeep is longer than a conversation, so that no file is deleted while something is written.
const leastKeep = 3 * time.Hour

// expire deletes the own files that were not changed since a time.
func (s *store) expire(before time.Time) error {
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		name := f.Name()
		own, found := strings.CutPrefix(name[min(len(dated), len(name)):], "-"+s.self+"-")
		peer, _, ok := strings.Cut(own, "-")
		if !found || !ok {
			continue
		}
		info, failed := f.Info()
		if failed == nil && info.ModTime().Before(before) {
			if failed = os.Remove(filepath.Join(s.dir, name)); failed == nil {
				s.free(peer, int(info.Size()))
			}
		}
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
