package journal

import "errors"

var (
	// ErrWouldEquivocate: a different vote of the node's own is on disk for that round. It must
	// never be sent.
	ErrWouldEquivocate = errors.New("journal: a different own vote for this round is on disk")
	// ErrLocked: another process uses the directory.
	ErrLocked = errors.New("journal: in use by another process")
	// errOtherChain: the journal belongs to another network or program.
	errOtherChain = errors.New("journal: belongs to another network or program")
	// ErrCorrupt: the journal cannot be read. The message says what to do.
	ErrCorrupt = errors.New("journal: cannot be read")
	// errLater: a later version of ojud made the journal.
	errLater = errors.New("journal: made by a later version of ojud")
	// ErrDiskFull: less than Config.MinFree is free. Nothing was written.
	ErrDiskFull = errors.New("journal: disk full")
	// ErrBroken: a write failed before, so the content of the disk is not known. Open the journal
	// again.
	ErrBroken = errors.New("journal: a write failed earlier")
	// ErrTooLarge: more than one transaction can hold.
	ErrTooLarge = errors.New("journal: too much for one write")
	// ErrInvalid: an argument that cannot be kept.
	ErrInvalid = errors.New("journal: invalid argument")
	// errClosed: the journal was closed.
	errClosed = errors.New("journal: closed")
)
