package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/config/bounds"
)

// LogFile is the name of the log of peers' requests, in a node's home.
const LogFile = "source.log"

// Answered is the Result of an entry that got its data. Other results say why not.
const Answered = "answered"

// maxLine is the longest line of the log, in bytes: the longest request with everything around it.
const maxLine = 80 << 10

// maxRefused is the longest request that is kept although it got no data, in bytes. Otherwise
// strangers who may not ask fill the log, and what was answered is lost.
const maxRefused = 512

// LogEntry is one line of the log: the asker, its request, the case, and the result.
type LogEntry struct {
	Time    time.Time        `json:"time"`
	Source  string           `json:"source"` // "?" if the requested name is not a valid name
	Asker   casefile.DID     `json:"asker"`  // node
	Judge   casefile.Address `json:"judge"`  // as it claims; proven if Result is that of a request
	Case    casefile.Address `json:"case"`
	Round   uint8            `json:"round"`
	Hash    *casefile.Digest `json:"request_hash,omitempty"`
	Request json.RawMessage  `json:"request,omitempty"`
	Until   int64            `json:"keep_until,omitempty"` // Unix seconds: hash and request are removed then
	Result  string           `json:"result"`               // Answered, or why not, in fixed words
	Bytes   int              `json:"bytes"`                // of the answer
	Price   uint64           `json:"price,string"`         // lamports
	Cached  bool             `json:"cached"`
	Took    int64            `json:"took_ms"`
}

// LogConfig bounds the log.
type LogConfig struct {
	// MaxFileBytes bounds a file, 4 KiB to 1 GiB. A full file becomes source.log.1, and the old
	// source.log.1 is removed.
	MaxFileBytes int `koanf:"max_file_bytes"`
	// ExpiryInterval is how often expired requests are removed, 1s to 1h.
	ExpiryInterval time.Duration `koanf:"expiry_interval"`
}

// DefaultLogConfig keeps at most twice 8 MiB.
func DefaultLogConfig() LogConfig {
	return LogConfig{MaxFileBytes: 8 << 20, ExpiryInterval: time.Minute}
}

// Validate names the setting that is wrong, its limits, and the fix.
func (c LogConfig) Validate() error {
	return bounds.Check("exchange: log.", bounds.Of("max_file_bytes", c.MaxFileBytes, 4<<10, 1<<30), bounds.Of("expiry_interval", c.ExpiryInterval, time.Second, time.Hour))
}

// Log is the log of a home. It keeps the promises of a source's terms about retention. With a
// promise of 0 s, it writes neither the request nor its hash. With a longer one, it removes them
// when the time is over. Without a promise they stay. Close it.
type Log struct {
	path string
	cfg  LogConfig
	log  *slog.Logger
	stop chan struct{}
	work sync.WaitGroup

	mu   sync.Mutex
	file *os.File
	size int
	next int64 // Unix seconds: the next removal; 0: none
}

// OpenLog opens or creates the log at path. It ends a line that a crash cut short.
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

// Append writes an entry. retention is the promise of the source in seconds; nil: no promise.
func (l *Log) Append(e LogEntry, retention *int64) error {
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

// kept returns the entry with only what may be kept of its request.
func (e LogEntry) kept(retention *int64) LogEntry {
	canonical, hash, err := content(e.Request, maxLine)
	if e.Request = nil; err != nil || retention != nil && *retention == 0 {
		return e
	}
	digest := casefile.Digest(hash)
	if e.Hash = &digest; e.Result == Answered || len(canonical) <= maxRefused {
		e.Request = canonical
	}
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

// Close closes the log.
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

func old(path string) string { return path + ".1" }

// sweeps removes expired requests as long as the log is open.
func (l *Log) sweeps() {
	tick := time.NewTicker(l.cfg.ExpiryInterval)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			if err := l.sweep(); err != nil {
				l.log.Error("requests are kept for longer than is promised", "err", err)
			}
		}
	}
}

// sweep removes expired requests.
func (l *Log) sweep() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && (l.next == 0 || l.next > time.Now().Unix()) {
		return nil
	}
	return l.rewrite()
}

// rewrite writes both files without expired requests, and opens the current one.
func (l *Log) rewrite() error {
	if l.file != nil {
		if err := l.file.Close(); err != nil {
			return fmt.Errorf("exchange: log: %w", err)
		}
	}
	l.next, l.file = 0, nil
	for _, path := range []string{old(l.path), l.path} {
		if err := l.clean(path); err != nil {
			return fmt.Errorf("exchange: log: %w", err)
		}
	}
	return l.open()
}

// clean rewrites a file if it has an expired request or does not end in a line.
func (l *Log) clean(path string) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		l.expect(forget(&out, bytes.TrimSuffix(line, []byte("\n"))))
	}
	if bytes.Equal(out.Bytes(), raw) {
		return nil
	}
	fresh := path + ".new"
	if err := os.WriteFile(fresh, out.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

// forget copies a line, without an expired request, and returns the time of the next expiry.
func forget(out *bytes.Buffer, line []byte) (until int64) {
	defer out.WriteByte('\n')
	e, err := ParseLogEntry(line)
	if err != nil || e.Until == 0 {
		out.Write(line)
		return 0
	}
	if e.Until > time.Now().Unix() {
		out.Write(line)
		return e.Until
	}
	e.Until, e.Request, e.Hash = 0, nil, nil
	short, err := json.Marshal(e)
	if err != nil {
		panic(err) // it was JSON a moment ago
	}
	out.Write(short)
	return 0
}

func (l *Log) open() error {
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("exchange: log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("exchange: log: %w", errors.Join(err, file.Close()))
	}
	l.file, l.size = file, int(info.Size())
	return nil
}

// rotate makes the current file the previous one.
func (l *Log) rotate() error {
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.file.Close(), os.Rename(l.path, old(l.path)))
	l.file = nil
	if err != nil {
		return fmt.Errorf("exchange: log: %w", err)
	}
	return l.open()
}
