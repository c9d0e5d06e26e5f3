package journal

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// vlogFile is the size in bytes of a value log file. All values here are smaller than the threshold
// of 1 MiB and stay in the tables, so the value log files are empty; Badger maps twice the size,
// and on Windows allocates it (badger#722).
const vlogFile = 8 << 20

// options are Badger's settings, each for a reason.
func (c Config) options(dir string, log *slog.Logger) badger.Options {
	return badger.DefaultOptions(dir).
		WithSyncWrites(!c.unsynced). // the default, off, loses acknowledged votes in every power cut (badger#2000)
		WithMemTableSize(c.MemTable).
		WithNumMemtables(2).
		WithBlockCacheSize(c.Cache).
		WithIndexCacheSize(0). // indices of so little data stay in memory
		WithValueLogFileSize(vlogFile).
		WithNumCompactors(2).
		WithChecksumVerificationMode(options.OnBlockRead). // the default reads damaged blocks as if they were whole
		WithDetectConflicts(false).                        // the writes that read first hold a lock
		WithMetricsEnabled(false).                         // they are global
		WithLogger(badgerLog{log})
}

// badgerLog hands Badger's log lines to slog. Its information is our debugging.
type badgerLog struct{ log *slog.Logger }

var _ badger.Logger = badgerLog{}

// Errorf logs an error.
func (l badgerLog) Errorf(format string, args ...any) { l.log.Error(line(format, args)) }

// Warningf logs a warning.
func (l badgerLog) Warningf(format string, args ...any) { l.log.Warn(line(format, args)) }

// Infof logs at level debug, because these lines do not interest an operator.
func (l badgerLog) Infof(format string, args ...any) { l.log.Debug(line(format, args)) }

// Debugf logs at level debug, because these lines do not interest an operator.
func (l badgerLog) Debugf(format string, args ...any) { l.log.Debug(line(format, args)) }

func line(format string, args []any) string {
	return "badger: " + strings.TrimSpace(fmt.Sprintf(format, args...))
}
