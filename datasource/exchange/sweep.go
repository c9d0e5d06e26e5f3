package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// old is the file before the present one.
func old(path string) string { return path + ".1" }

// sweeps takes out what must no longer be kept, as long as the log is open.
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

// sweep takes out requests whose time is over.
func (l *Log) sweep() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && (l.next == 0 || l.next > time.Now().Unix()) {
		return nil
	}
	return l.rewrite()
}

// rewrite writes both files without what must go, and opens the present one.
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

// clean rewrites a file if something in it must go or it does not end in a line.
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

// forget copies a line, without the request if its time is over. It returns when that will be.
func forget(out *bytes.Buffer, line []byte) (until int64) {
	defer out.WriteByte('\n')
	e, err := ParseEntry(line)
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

// open opens the present file to append to it.
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

// rotate makes room: the present file becomes the old one.
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
