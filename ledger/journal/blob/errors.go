package blob

import (
	"errors"
	"fmt"

	"ojud/casefile"
)

var (
	// ErrNotFound: there is no such content here (any more). It is a casefile.ErrNoBlob.
	ErrNotFound = fmt.Errorf("blob: not here: %w", casefile.ErrNoBlob)
	// errTooLarge: more than max_blob_bytes.
	errTooLarge = errors.New("blob: too large")
	// ErrFull: there is no room for this content, because a budget, the quota or the disk is full
	// of content that is worth as much. Content of others that gets this error is given up.
	ErrFull = errors.New("blob: no room")
	// errMismatch: content that does not have the hash that was asked for.
	errMismatch = errors.New("blob: content does not have that hash")
)
