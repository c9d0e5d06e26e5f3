package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"one", "", "a longer one"} {
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	if err := WriteFile(filepath.Join(path, "below a file"), nil); err == nil {
		t.Error("a file below a file")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestCreate: of many processes that create one file at once, one does, and the others are told.
// The file is never seen in parts, and nothing else is left.
func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch err := Create(path, []byte("content")); {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "content" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 || made.Load() != 1 {
		t.Errorf("%v, %v, made %d times", left, err, made.Load())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestMakeDir(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "a", "b", "c")
	for range 2 {
		if err := MakeDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(base, "file")
	if err := WriteFile(file, nil); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir(file); err == nil {
		t.Error("a directory where a file is")
	}
	if err := MakeDir(filepath.Join(file, "x")); err == nil {
		t.Error("a directory below a file")
	}
	if err := Sync(filepath.Join(base, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	l, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("%v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	l, err = Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(filepath.Join(path, "x")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("below a file: %v", err)
	}
}

func TestFree(t *testing.T) {
	free, err := Free(t.TempDir())
	if err != nil && !errors.Is(err, errors.ErrUnsupported) || err == nil && free == 0 {
		t.Errorf("%d, %v", free, err)
	}
	if _, err := Free(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("free space of nothing")
	}
}
