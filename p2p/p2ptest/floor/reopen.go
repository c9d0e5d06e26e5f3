//go:build unix

package floor

import (
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// Reopen opens a Badger database as a crash left it, and connects a new bare host with so many
// existing ones. That is the least cost of a node's return. It changes the database.
func Reopen(t testing.TB, database string, others int, addr string) time.Duration {
	t.Helper()
	there := hosts(t, others, addr)
	start := time.Now()
	db, err := badger.Open(badger.DefaultOptions(database).WithSyncWrites(true).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, addr)
	for _, o := range there {
		connect(t, h, o)
	}
	took := time.Since(start)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return took
}
