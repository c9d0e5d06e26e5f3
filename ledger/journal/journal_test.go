package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"ojud/casefile/casetest"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	"ojud/voting"
)

func digest(format string, args ...any) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, format, args...))
}

var home = Identity{Network: digest("network"), Program: digest("program")}

func testConfig(dir string) Config {
	cfg := DefaultConfig()
	cfg.Dir, cfg.MinFree = dir, 1<<20
	return cfg
}

func open(t testing.TB, dir string) *Journal {
	t.Helper()
	j, err := Open(testConfig(dir), home, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func shut(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// own is the node's vote in a case; variants differ in what they commit to.
func own(task, variant int) voting.Cast {
	o := voting.Opening{Choice: voting.Accept, Opinion: digest("opinion %d", variant), Receipts: digest("receipts"), Salt: digest("salt")}
	c := voting.Cast{At: int64(1_000 + task), Opening: o, Vote: []byte(`{"vote":` + fmt.Sprint(task) + `}`)}
	c.Task, c.Round, c.Judge = digest("task %d", task), uint8(1+task%3), digest("judge")
	c.Commitment = voting.Domain{Network: home.Network, Program: home.Program}.Commitment(c.Task, c.Round, c.Judge, o)
	return c
}

// notices are those of the 28 seats of a round.
func notices(round int) []voting.Notice {
	all := make([]voting.Notice, 28)
	for i := range all {
		c := voting.Commit{Task: digest("round %d", round), Round: 1, Judge: digest("seat %d", i)}
		c.Commitment = digest("commitment %d %d", round, i)
		all[i] = c
	}
	return all
}

func outgoing(n int) transact.Entry {
	sig := onchain.Signature{byte(n), byte(n >> 8), 1}
	return transact.Entry{Purpose: ledger.Purpose(fmt.Sprintf("commit/%d", n)), Genesis: onchain.Hash(home.Network), Signature: sig,
		Raw: append(append([]byte{1}, sig[:]...), fmt.Sprint(n)...), LastValid: uint64(n) + 150, Before: 9, At: 7}
}

// keep and drop do the work of a sender.
func keep(j *Journal, n int) error { return j.Outbox().Keep(context.Background(), outgoing(n)) }

func drop(j *Journal, n int) error {
	return j.Outbox().Drop(context.Background(), outgoing(n).Purpose, outgoing(n).Signature)
}

func noVotes([]byte) (voting.Vote, error) { return voting.Vote{}, errors.New("no vote was kept") }

func TestEverythingIsThereAfterReopening(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if !j.Fresh() {
		t.Error("a new journal is not fresh")
	}
	w, err := casetest.Build(casetest.Scripts()[0])
	if err != nil {
		t.Fatal(err)
	}
	events, err := w.Store.List(w.Task)
	if err != nil || len(events) == 0 {
		t.Fatal(len(events), err)
	}
	proof := voting.Proof{At: 5, Evidence: voting.Evidence{Task: digest("t"), Round: 2, Judge: digest("j"), Peer: digest("p")}}
	foreign := voting.Foreign{At: 6, Commit: voting.Commit{Task: digest("f"), Round: 1, Judge: digest("judge")}}
	heardVote := voting.HeardVote{At: 7, Task: digest("t"), Round: 2, Judge: digest("j"), Opening: own(1, 1).Opening, Vote: []byte("{}")}
	rest := []voting.Record{
		voting.Heard{At: 8, Commit: foreign.Commit}, heardVote, own(3, 1),
		voting.Recovered{At: 9, Task: digest("r"), Round: 3, Opening: own(1, 1).Opening, Vote: []byte("{}")},
	}
	cursor := ledger.Cursor{Slot: 77, Signature: onchain.Signature{1, 2}}
	for _, err := range []error{
		j.Persist(voting.Born{At: 3}), j.Persist(own(1, 1)), j.PutOwn(own(2, 1)), j.Persist(proof), j.Persist(foreign), j.PersistAll(rest...), j.PersistAll(),
		j.PutNotices(notices(1)...), keep(j, 1), keep(j, 2), drop(j, 2), drop(j, 3),
		j.SetCursor(cursor), j.Events().PutAll(events...), j.Events().Put(events[0]), j.PutNotices(notices(1)[:3]...),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	if j.Fresh() {
		t.Error("the journal is fresh although the machine was born")
	}
	records, err := j.Records()
	want := map[string]voting.Record{}
	for _, r := range append(rest, voting.Born{At: 3}, own(1, 1), own(2, 1), proof, foreign) {
		want[string(r.Key())] = r
	}
	if err != nil || len(records) != len(want) {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, r := range records {
		if !reflect.DeepEqual(r, want[string(r.Key())]) {
			t.Errorf("%+v\nwant %+v", r, want[string(r.Key())])
		}
	}
	heard, err := j.Notices(digest("round 1"), 1, noVotes)
	if err != nil || len(heard) != 28 {
		t.Errorf("%d notices, %v", len(heard), err)
	}
	pending, err := j.Outbox().Pending(t.Context())
	if err != nil || len(pending) != 1 || !reflect.DeepEqual(pending[0], outgoing(1)) {
		t.Errorf("%+v, %v", pending, err)
	}
	if c, err := j.Cursor(); c != cursor || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	back, err := j.Events().List(w.Task)
	if err != nil || len(back) != len(events) {
		t.Errorf("%d of %d events, %v", len(back), len(events), err)
	}
	if cases, err := j.Events().Cases(); err != nil || len(cases) != 1 || cases[0] != w.Task {
		t.Errorf("%v, %v", cases, err)
	}
	if err := j.Events().Archive(w.Task); err != nil {
		t.Fatal(err)
	}
	if cases, err := j.Events().Cases(); err != nil || len(cases) != 0 {
		t.Errorf("archived, but still listed: %v, %v", cases, err)
	}
	if kept, err := j.Events().List(w.Task); err != nil || len(kept) != len(events) {
		t.Errorf("archived: %d of %d events, %v", len(kept), len(events), err)
	}
}

func TestOutbox(t *testing.T) {
	j := open(t, t.TempDir())
	defer shut(t, j)
	box := j.Outbox()
	first, again := outgoing(1), outgoing(1)
	again.Signature[5]++
	copy(again.Raw[1:], again.Signature[:])
	for _, err := range []error{
		box.Keep(t.Context(), first), box.Keep(t.Context(), again), box.Drop(t.Context(), first.Purpose, first.Signature), // signed again meanwhile
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if all, err := box.Pending(t.Context()); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], again) {
		t.Errorf("%+v, %v", all, err)
	}
	if err := box.Drop(t.Context(), again.Purpose, again.Signature); err != nil {
		t.Fatal(err)
	}
	if all, err := box.Pending(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := box.Pending(ended)
	for name, err := range map[string]error{"keep": box.Keep(ended, first), "drop": box.Drop(ended, first.Purpose, first.Signature), "pending": err} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that ended: %v", name, err)
		}
	}
}

func TestSignGuard(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	first := own(1, 1)
	if err := j.PutOwn(first); err != nil {
		t.Fatal(err)
	}
	if err := j.PutOwn(first); err != nil {
		t.Errorf("the same again: %v", err)
	}
	late := first
	late.At++
	later := own(1, 1)
	later.Vote = []byte("{}")
	for range 2 {
		for name, c := range map[string]voting.Cast{"another commitment": own(1, 2), "another time": late, "another vote object": later} {
			if err := j.PutOwn(c); !errors.Is(err, ErrWouldEquivocate) {
				t.Errorf("%s: %v", name, err)
			}
			if err := j.Persist(c); !errors.Is(err, ErrWouldEquivocate) {
				t.Errorf("%s through Persist: %v", name, err)
			}
		}
		got, ok, err := j.Own(first.Task, first.Round, first.Judge)
		if err != nil || !ok || !reflect.DeepEqual(got, first) {
			t.Errorf("%+v, %v, %v", got, ok, err)
		}
		if _, ok, err := j.Own(first.Task, first.Round+1, first.Judge); ok || err != nil {
			t.Errorf("a vote of a round without one: %v", err)
		}
		shut(t, j)
		j = open(t, dir)
	}
	next := own(1, 3)
	next.Round++
	if err := j.PutOwn(next); err != nil {
		t.Errorf("the next round: %v", err)
	}
	shut(t, j)
}

func TestFreshUntilBorn(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // killed before the machine was told
		j := open(t, dir)
		if !j.Fresh() {
			t.Error("not fresh without a Born")
		}
		shut(t, j)
	}
	j := open(t, dir)
	if err := j.Persist(voting.Born{At: 1}); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	j = open(t, dir)
	if j.Fresh() {
		t.Error("fresh with a Born")
	}
	shut(t, j)
}

func TestOtherChain(t *testing.T) {
	dir := t.TempDir()
	shut(t, open(t, dir))
	for what, id := range map[string]Identity{"network": {digest("other"), home.Program}, "program": {home.Network, digest("other")}} {
		_, err := Open(testConfig(dir), id, nil, nil)
		if !errors.Is(err, errOtherChain) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), what) {
			t.Errorf("another %s: %v", what, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, databaseDir)); err != nil { // own votes remain, of that chain
			t.Fatal(err)
		}
	}
	if _, err := Open(testConfig(t.TempDir()), Identity{}, nil, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no identity: %v", err)
	}
	shut(t, open(t, dir))
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	_, err := Open(testConfig(dir), home, nil, nil)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("%v", err)
	}
	shut(t, j)
	shut(t, open(t, dir))
}

func TestForget(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	c := own(1, 1)
	heard := notices(1)
	mine := voting.Commit{Task: c.Task, Round: 1, Judge: digest("seat")}
	for _, err := range []error{j.PutOwn(c), j.PutOwn(own(2, 1)), j.PutNotices(append(heard, mine)...), j.Forget(c.Task), j.Forget(c.Task)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Forget(voting.Key{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no task: %v", err)
	}
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	records, err := j.Records()
	if err != nil || len(records) != 1 {
		t.Errorf("%v, %v", records, err)
	}
	if n, err := j.Notices(c.Task, 1, noVotes); err != nil || len(n) != 0 {
		t.Errorf("%d notices are left, %v", len(n), err)
	}
	if n, err := j.Notices(digest("round 1"), 1, noVotes); err != nil || len(n) != 28 {
		t.Errorf("%d notices of another case, %v", len(n), err)
	}
}

func TestDropEvents(t *testing.T) {
	j := open(t, t.TempDir())
	defer shut(t, j)
	w, err := casetest.Build(casetest.Scripts()[0])
	if err != nil {
		t.Fatal(err)
	}
	events, err := w.Store.List(w.Task)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Events().PutAll(events...), j.Events().Drop(w.Task)); err != nil {
		t.Fatal(err)
	}
	if left, err := j.Events().List(w.Task); err != nil || len(left) != 0 {
		t.Errorf("%d events are left, %v", len(left), err)
	}
}

func TestRefusals(t *testing.T) {
	j := open(t, t.TempDir())
	long := own(1, 1)
	long.Vote = make([]byte, voting.MaxVote+1)
	bad := outgoing(1)
	bad.Raw = make([]byte, transact.MaxTransaction+1)
	for name, err := range map[string]error{
		"long vote": j.PutOwn(long), "no record": j.Persist(nil), "long transaction": j.Outbox().Keep(t.Context(), bad),
		"long heard vote": j.PersistAll(own(2, 1), voting.HeardVote{Round: 1, Vote: long.Vote}),
		"round 0":         j.Persist(voting.HeardVote{Task: digest("t")}),
		"long notice":     j.PutNotices(voting.Vote{Raw: make([]byte, voting.MaxNotice)}),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var huge []voting.Notice
	for i := range 400 {
		huge = append(huge, voting.Vote{Task: digest("t"), Round: 1, Judge: digest("%d", i), Raw: append(make([]byte, 8_000), fmt.Sprint(i)...)})
	}
	if err := j.PutNotices(huge...); !errors.Is(err, ErrTooLarge) {
		t.Errorf("3 MiB in one write: %v", err)
	}
	if err := j.PutNotices(huge[:maxBatch]...); err != nil {
		t.Errorf("the notices of a round: %v", err)
	}
	shut(t, j)
	for name, err := range map[string]error{"put": j.PutOwn(own(1, 1)), "close": j.Close(), "cursor": j.SetCursor(ledger.Cursor{})} {
		if !errors.Is(err, errClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	if _, err := j.Records(); !errors.Is(err, errClosed) {
		t.Errorf("read after Close: %v", err)
	}
}

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if err := j.PutOwn(own(1, 1)); err != nil {
		t.Fatal(err)
	}
	j.cfg.MinFree = 1 << 60 // more than any disk has
	err := j.PutOwn(own(2, 1))
	if !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if _, ok, err := j.Own(own(2, 1).Task, own(2, 1).Round, own(2, 1).Judge); ok || err != nil {
		t.Errorf("refused, but there: %v", err)
	}
	j.cfg.MinFree = 1 << 20 // there is room again
	if err := j.PutOwn(own(2, 1)); err != nil {
		t.Errorf("with room again: %v", err)
	}
	shut(t, j)
	full := testConfig(dir)
	full.MinFree = 1 << 40
	if _, err := Open(full, home, nil, nil); !errors.Is(err, ErrDiskFull) {
		t.Errorf("opening on a full disk: %v", err)
	}
}

func TestAFailedWriteBreaksTheJournal(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, ownDir)); err != nil {
		t.Fatal(err)
	}
	if err := j.PutOwn(own(1, 1)); err == nil {
		t.Error("a vote is acknowledged that has no second copy")
	}
	if err := j.SetCursor(ledger.Cursor{}); !errors.Is(err, ErrBroken) {
		t.Errorf("after a failed write: %v", err)
	}
	shut(t, j)
	j = open(t, dir) // what was written is found and completed
	defer shut(t, j)
	if err := j.PutOwn(own(1, 2)); !errors.Is(err, ErrWouldEquivocate) {
		t.Errorf("%v", err)
	}
}

// TestDisk: the disk does as Config.Disk says. A write that it refuses was not made; after a sync
// that failed nothing more is written.
func TestDisk(t *testing.T) {
	full, broken := errors.New("full"), errors.New("input/output error")
	answers := map[bool]error{}
	cfg := testConfig(t.TempDir())
	cfg.Disk = func(synced bool) error { return answers[synced] }
	j, err := Open(cfg, home, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, j)
	answers[false] = full
	if err := j.PutOwn(own(1, 1)); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
	answers[false] = nil
	if err := j.PutOwn(own(1, 2)); err != nil {
		t.Errorf("what was refused is there: %v", err)
	}
	answers[true] = broken
	if err := j.SetCursor(ledger.Cursor{}); !errors.Is(err, broken) {
		t.Errorf("a sync that fails: %v", err)
	}
	answers[true] = nil
	if err := j.SetCursor(ledger.Cursor{}); !errors.Is(err, ErrBroken) {
		t.Errorf("after it: %v", err)
	}
}

func TestConcurrentWriters(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	var writers sync.WaitGroup
	failed := make(chan error, 1_000)
	wins := make(chan int, 100)
	for w := range 8 {
		writers.Go(func() {
			for n := range 10 {
				failed <- j.PutNotices(notices(w*10 + n)...)
				failed <- keep(j, w*10+n)
				failed <- j.SetCursor(ledger.Cursor{Slot: uint64(n)})
			}
			if err := j.PutOwn(own(0, w)); err == nil { // all vote in one round
				wins <- w
			} else if !errors.Is(err, ErrWouldEquivocate) {
				failed <- err
			}
		})
	}
	writers.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	if len(wins) != 1 {
		t.Errorf("%d different votes were taken for one round", len(wins))
	}
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	for r := range 80 {
		if n, err := j.Notices(digest("round %d", r), 1, noVotes); err != nil || len(n) != 28 {
			t.Errorf("round %d: %d notices, %v", r, len(n), err)
		}
	}
	if got, ok, err := j.Own(own(0, 0).Task, own(0, 0).Round, own(0, 0).Judge); !ok || err != nil || !reflect.DeepEqual(got, own(0, <-wins)) {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestNothingRunsAfterClose(t *testing.T) {
	before := goleak.IgnoreCurrent()
	reg := prometheus.NewRegistry()
	for range 2 { // the second registers its metrics where the first did
		j, err := Open(testConfig(t.TempDir()), home, nil, reg)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.PutOwn(own(1, 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(testConfig(t.TempDir()), home, nil, reg); err == nil {
			t.Error("two journals in one registry")
		}
		all, err := reg.Gather()
		if err != nil || len(all) < 5 {
			t.Errorf("%d metrics, %v", len(all), err)
		}
		j.collectOnce()
		shut(t, j)
		if left, err := reg.Gather(); err != nil || len(left) != 0 {
			t.Errorf("%d metrics are left, %v", len(left), err)
		}
	}
	goleak.VerifyNone(t, before)
}

func TestValidate(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"dir": func(c *Config) { c.Dir = "" }, "write_buffer_bytes": func(c *Config) { c.MemTable = 1 }, "cache_bytes": func(c *Config) { c.Cache = 1 },
		"min_free_bytes": func(c *Config) { c.MinFree = 1 << 50 }, "collect_interval": func(c *Config) { c.CollectEvery = 0 },
	} {
		c := testConfig("x")
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "journal: "+field+" is ") {
			t.Errorf("%s: %v", field, err)
		}
		if _, err := Open(c, home, nil, nil); err == nil {
			t.Errorf("%s: opened", field)
		}
	}
	if err := testConfig("x").Validate(); err != nil {
		t.Error(err)
	}
}

// TestRestored: a journal that came from a backup is fresh until its new Born is on the disk, also
// if the node is killed in between, and not afterwards.
func TestRestored(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if err := j.PersistAll(voting.Born{At: 1}, own(1, 1)); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	if err := MarkRestored(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		j = open(t, dir)
		if !j.Fresh() {
			t.Error("a restored journal is not fresh")
		}
		if err := j.Persist(own(2, 1)); err != nil {
			t.Error(err)
		}
		shut(t, j)
	}
	j = open(t, dir)
	if err := j.PersistAll(voting.Born{At: 9}, own(3, 1)); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	if j.Fresh() || !voted(t, j, 1) {
		t.Error("it is fresh with a new Born, or a vote is lost")
	}
}

// TestLater: the journal of a later version is refused before anything in it changes.
func TestLater(t *testing.T) {
	dir := t.TempDir()
	shut(t, open(t, dir))
	path := filepath.Join(dir, ownDir, identityName)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(raw, []byte("oju-journal/1"), []byte("oju-journal/2"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(filepath.Join(dir, databaseDir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Open(testConfig(dir), home, nil, nil); !errors.Is(err, errLater) || errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	after, err := os.ReadDir(filepath.Join(dir, databaseDir))
	if err != nil || len(after) != len(before) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
}
