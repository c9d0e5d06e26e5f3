//go:build !windows

package p2p

import (
	"errors"
	"os"
	"path/filepath"
)

// syncDir makes a new or renamed name in path's folder survive a power cut.
func syncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
