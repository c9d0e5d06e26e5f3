package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ballast is the path of the file that fills the disk of a home. It is beside the home.
func (s *seat) ballast() string { return filepath.Join(filepath.Dir(s.home), "ballast") }

// fill fills the disk of a seat to the last byte.
func (s *seat) fill() {
	s.court.t.Helper()
	f, err := os.Create(s.ballast())
	if err != nil {
		s.court.t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for n := 0; err == nil && n < 4096; n++ {
		_, err = f.Write(chunk)
	}
	if err == nil {
		s.court.t.Errorf("%s: the disk has room for 4 GiB, and should be small", s.name)
	}
	if err := f.Close(); err != nil && !noRoom(err) {
		s.court.t.Fatal(err)
	}
}

// room frees the space again.
func (s *seat) room() {
	s.court.t.Helper()
	if err := os.Remove(s.ballast()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.court.t.Fatal(err)
	}
}
