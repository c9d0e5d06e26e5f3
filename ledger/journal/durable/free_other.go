//go:build !linux && !darwin

package durable

import "errors"

// Free is how many bytes an ordinary user may still write to the disk of dir; errors.ErrUnsupported
// where that is not known.
func Free(string) (uint64, error) { return 0, errors.ErrUnsupported }
