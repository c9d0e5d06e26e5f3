package journal

import (
	"errors"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// collect gives the space of deleted values back, until the journal is closed. Badger never does by
// itself (badger#2037).
func (j *Journal) collect() {
	t := time.NewTicker(j.cfg.CollectEvery)
	defer t.Stop()
	for {
		select {
		case <-j.stop:
			return
		case <-t.C:
			j.collectOnce()
		}
	}
}

// collectOnce rewrites value logs that are half garbage until there is none. It cannot lose
// anything, because a file is removed only after its live content was written elsewhere.
func (j *Journal) collectOnce() {
	for {
		switch err := j.db.RunValueLogGC(0.5); {
		case err == nil:
			continue
		case errors.Is(err, badger.ErrNoRewrite), errors.Is(err, badger.ErrRejected):
			return
		default:
			j.log.Warn("journal: space could not be given back; the next try follows", "err", err, "in", j.cfg.CollectEvery)
			return
		}
	}
}
