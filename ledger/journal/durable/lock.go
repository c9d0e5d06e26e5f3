package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrLocked: another process, or this one, holds the lock.
var ErrLocked = errors.New("locked")

// ErrNoLock: a file of that name holds something else than the number of a process. It was not
// touched.
var ErrNoLock = errors.New("no lock, because it holds something else than the number of a process; move it elsewhere")

// Lock is held until Release, or until the process ends, also by a kill.
type Lock struct{ file *os.File }

// Acquire takes the lock at path, a file that holds the number of the process that has it.
// ErrLocked names that process as far as it is known.
func Acquire(path string) (*Lock, error) {
	f, err := openLocked(path)
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%w%s", err, holder(path))
	}
	if err != nil {
		return nil, err
	}
	if err = unsigned(f); err == nil {
		err = sign(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// Release gives the lock back. The file stays: removing it would let two processes lock two files
// of one name.
func (l *Lock) Release() error { return l.file.Close() }

// maxSigned bounds what a lock holds, in bytes.
const maxSigned = 20

// unsigned fails if the file is no lock: it may be a file of the user that has the name of one. A
// power cut can leave zero bytes in a lock.
func unsigned(f *os.File) error {
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, maxSigned+1))
	if err != nil {
		return err
	}
	if len(raw) > maxSigned || strings.Trim(string(raw), "0123456789\n\x00") != "" {
		return fmt.Errorf("%s is %w", f.Name(), ErrNoLock)
	}
	return nil
}

// sign writes the number of this process.
func sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	return err
}

// holder names the process that has the lock.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	pid, err := io.ReadAll(io.LimitReader(f, maxSigned))
	if text := strings.TrimSpace(string(pid)); err == nil && text != "" {
		return fmt.Sprintf(" by process %s", text)
	}
	return ""
}
