package blob

import (
	"errors"
	"fmt"

	"ojud/casefile"
)

var (
	// ErrNotFound: there is no such content here (any more). It is a casefile.ErrNoBlob.
	ErrNotFound = fmt.Errorf("blob: not here: %w", casefile.ErrNoBlob)
	// ErrTooLarge: more than Config.MaxBlob.
	ErrTooLarge = errors.New("blob: too large")
	// ErrFull: the quota, or the disk, is full of pinned content.
	ErrFull = errors.New("blob: no room")
	// ErrMismatch: content that does not have the hash that was asked for.
	ErrMismatch = errors.New("blob: content does not have that hash")
)
