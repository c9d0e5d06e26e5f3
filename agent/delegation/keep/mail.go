package keep

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ojud/ledger/journal/durable"
)

// mailName is the name of a file in the inbox.
var mailName = regexp.MustCompile(`^[a-z0-9]{1,80}\.mail$`)

// list returns at most maxInbox names of files.
func list(dir string) (names []string, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	entries, err := d.ReadDir(maxInbox)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && mailName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, errors.Join(err, d.Close())
}

func readBounded(path string, most int64) (raw []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err = io.ReadAll(io.LimitReader(f, most+1))
	return raw, errors.Join(err, f.Close())
}

// Mail puts a revocation or an answer into the folder for the process that has it open, or that
// opens it next. The name is a part of the file's name: letters and digits.
func Mail(dir, name string, content []byte) error {
	name = strings.ToLower(name) + ".mail"
	if !mailName.MatchString(name) {
		return fmt.Errorf("keep: %.80q is no name for mail", name)
	}
	err := durable.Create(filepath.Join(dir, inboxDir, name), content)
	if errors.Is(err, fs.ErrExist) {
		return nil // the same was said before
	}
	return err
}
