//go:build linux || darwin

package durable

import "syscall"

// Free is how many bytes an ordinary user may still write to the disk of dir; errors.ErrUnsupported
// where that is not known.
func Free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
