package exchange

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/config/bounds"
)

// LogFile is the name of the log of who asked what, in a node's home.
const LogFile = "source.log"

// Answered is the Result of an entry for a request that got its data. Any other says why not.
const Answered = "answered"

// maxLine is the longest line of the log, in bytes: a request of the longest kind with everything around it.
const maxLine = 80 << 10

// Entry is one line of the log: who asked what in which case, and what came of it.
type Entry struct {
	Time    time.Time        `json:"time"`
	Source  string           `json:"source"` // ? if what was asked for has no name that a source can have
	Asker   casefile.DID     `json:"asker"`  // node
	Judge   casefile.Address `json:"judge"`  // as it says; proven if the result is that of a request
	Case    casefile.Address `json:"case"`
	Round   uint8            `json:"round"`
	Hash    *casefile.Digest `json:"request_hash,omitempty"`
	Request json.RawMessage  `json:"request,omitempty"`
	Until   int64            `json:"keep_until,omitempty"` // Unix seconds: hash and request are taken out then
	Result  string           `json:"result"`               // Answered, or why not in fixed words
	Bytes   int              `json:"bytes"`                // of the answer
	Price   uint64           `json:"price,string"`         // lamports
	Cached  bool             `json:"cached"`
	Took    int64            `json:"took_ms"`
}

// LogConfig bounds the log.
type LogConfig struct {
	// MaxFileBytes bounds a file, 4 KiB to 1 GiB. A full file becomes source.log.1, and the old source.log.1 is removed.
	MaxFileBytes int `koanf:"max_file_bytes"`
	// ExpiryInterval is how often expired requests are removed, 1s to 1h.
	ExpiryInterval time.Duration `koanf:"expiry_interval"`
}

// DefaultLogConfig keeps at most twice 8 MiB.
func DefaultLogConfig() LogConfig {
	return LogConfig{MaxFileBytes: 8 << 20, ExpiryInterval: time.Minute}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c LogConfig) Validate() error {
	return bounds.Check("exchange: log.", bounds.Of("max_file_bytes", c.MaxFileBytes, 4<<10, 1<<30), bounds.Of("expiry_interval", c.ExpiryInterval, time.Second, time.Hour))
}

// Log is the log of a home. What the terms of a source promise about retention is kept: with a promise of 0 s neither the request nor its hash is
// written, with a longer one they are taken out when its time is over, and without one they stay. Close it.
type Log struct {
	path string
	cfg  LogConfig
	log  *slog.Logger
	stop chan struct{}
	work sync.WaitGroup

	mu   sync.Mutex
	file *os.File
	size int
	next int64 // Unix seconds: the first time that something has to go; 0: never
}

// OpenLog opens or makes the log at path. A line that a crash cut short is ended.
func OpenLog(path string, cfg LogConfig, log *slog.Logger) (*Log, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Log{path: path, cfg: cfg, log: log, stop: make(chan struct{})}
	if err := l.sweep(); err != nil {
		return nil, err
	}
	l.work.Go(l.sweeps)
	return l, nil
}

// Append writes an entry. retention is what the source promises, in seconds; nil is nothing.
func (l *Log) Append(e Entry, retention *int64) error {
	e = e.kept(retention)
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("exchange: log: %w", err)
	}
	line = append(line, '\n')
	if len(line) > maxLine {
		return fmt.Errorf("exchange: log: a line of %d bytes; at most %d", len(line), maxLine)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size+len(line) > l.cfg.MaxFileBytes && l.size > 0 {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	if l.file == nil {
		return fmt.Errorf("exchange: log: %w", os.ErrClosed)
	}
	n, err := l.file.Write(line)
	l.size += n
	if err != nil {
		return fmt.Errorf("exchange: log: %w", err)
	}
	l.expect(e.Until)
	return nil
}

// kept is the entry with what may be kept of its request.
func (e Entry) kept(retention *int64) Entry {
	canonical, hash, err := content(e.Request, maxLine)
	if e.Request = nil; err != nil || retention != nil && *retention == 0 {
		return e
	}
	digest := casefile.Digest(hash)
	e.Request, e.Hash = canonical, &digest
	if retention != nil {
		e.Until = e.Time.Unix() + *retention
	}
	return e
}

func (l *Log) expect(until int64) {
	if until != 0 && (l.next == 0 || until < l.next) {
		l.next = until
	}
}

// Close ends the log.
func (l *Log) Close() error {
	close(l.stop)
	l.work.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
