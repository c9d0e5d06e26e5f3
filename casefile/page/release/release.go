// Package release has the verifiers for pages that the build step made, which is go run
// ./casefile/page/pack or make build. The folder files has none if the step did not run.
package release

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ojud/casefile/page"
)

//go:embed files
var files embed.FS

// Load returns what the build step made. The error is page.ErrNoVerifier if it did not run.
func Load() (page.Release, error) {
	sub, err := fs.Sub(files, "files")
	if err != nil {
		return page.Release{}, err
	}
	return Read(sub)
}

// Open opens a verifier as it is packed. It reads it where it is in the program, without a copy.
func Open(e page.Engine) (io.ReadSeeker, error) {
	f, err := files.Open("files/" + string(e) + ".wasm.xz")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", page.ErrNoVerifier, err)
	}
	return f.(io.ReadSeeker), nil // as package embed says of its files
}

// Read returns what the build step wrote into a folder.
func Read(folder fs.FS) (page.Release, error) {
	r := page.Release{Verifiers: map[page.Engine][]byte{}}
	for _, e := range []page.Engine{page.Plain, page.Whole} {
		raw, err := fs.ReadFile(folder, string(e)+".wasm.xz")
		if errors.Is(err, os.ErrNotExist) {
			return r, page.ErrNoVerifier
		}
		if err != nil {
			return r, err
		}
		r.Verifiers[e] = raw
	}
	var err error
	r.Exec, err = fs.ReadFile(folder, "wasm_exec.js")
	return r, err
}
