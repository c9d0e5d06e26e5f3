package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ojud/ledger"
	"ojud/voting"
)

// A child is this test binary again: it writes to a journal, and reports acknowledged writes, until
// the test kills it.

const (
	childDir      = "OJUD_JOURNAL_CHILD"
	childFrom     = "OJUD_JOURNAL_FROM"
	childUnsynced = "OJUD_JOURNAL_UNSYNCED"
	childFill     = "OJUD_JOURNAL_FILL" // set: the child fills its disk instead
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		work := write
		if control := os.Getenv(childFill); control != "" {
			work = func(dir string) error { return fillDisk(dir, control == "true") }
		}
		if err := work(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// write writes step after step and reports each when it is acknowledged. Every step is an own vote,
// a transaction, the cursor, the records of a round in one batch, a payment, or the notices of one,
// in turn.
func write(dir string) error {
	cfg := testConfig(dir)
	cfg.unsynced = os.Getenv(childUnsynced) != ""
	j, err := Open(cfg, home, nil, nil)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(os.Getenv(childFrom))
	if err != nil {
		return err
	}
	for n := from; ; n++ {
		if err := step(j, n); err != nil {
			return err
		}
		if _, err := fmt.Println(n); err != nil {
			return nil // the parent is gone
		}
	}
}

func step(j *Journal, n int) error {
	switch n % 8 {
	case 0:
		return j.PutOwn(own(n, 1))
	case 1:
		return keep(j, n)
	case 2:
		return j.SetCursor(ledger.Cursor{Slot: uint64(n)})
	case 3:
		return j.PersistAll(heard(n)...)
	case 4:
		return j.Money().Put(paid(n))
	}
	return j.PutNotices(notices(n)...)
}

// paid is a bill with its promise, as package node/payment keeps them together.
func paid(n int) map[string][]byte {
	return map[string][]byte{fmt.Sprintf("bill %d", n): fmt.Appendf(nil, "due %d", n), fmt.Sprintf("promise %d", n): fmt.Appendf(nil, "up to %d", n)}
}

// heard is an own vote and those of 27 others, as the machine keeps them.
func heard(n int) []voting.Record {
	all := []voting.Record{own(n, 1)}
	for i := range 27 {
		all = append(all, voting.HeardVote{
			At: int64(n), Task: own(n, 1).Task, Round: 1, Judge: digest("seat %d", i), Opening: own(n, 1).Opening, Vote: []byte("{}"),
		})
	}
	return all
}

// child is a running writer.
type child struct {
	cmd   *exec.Cmd
	acked *bufio.Scanner
	said  *strings.Builder
}

func startChild(t testing.TB, dir string, from int, unsynced bool) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0]), said: &strings.Builder{}}
	c.cmd.Env = append(os.Environ(), childDir+"="+dir, childFrom+"="+strconv.Itoa(from))
	if unsynced {
		c.cmd.Env = append(c.cmd.Env, childUnsynced+"=1")
	}
	c.cmd.Stderr = c.said
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.acked = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// read waits for n acknowledgements and returns the number of the last, or −1.
func (c *child) read(t testing.TB, n int) int {
	t.Helper()
	last := -1
	for range n {
		if !c.acked.Scan() {
			t.Fatalf("the writer ended by itself: %v: %s", c.cmd.Wait(), c.said)
		}
		last = c.number(t)
	}
	return last
}

func (c *child) number(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(c.acked.Text())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// kill ends the writer at once and returns the last step that it said was acknowledged.
func (c *child) kill(t testing.TB, last int) int {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for c.acked.Scan() { // what it said before
		last = c.number(t)
	}
	var exit *exec.ExitError
	if err := c.cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the writer ended by itself: %v: %s", err, c.said)
	}
	return last
}

// lost counts the acknowledged steps 0..last that are torn or lack a part, and own votes that are
// lost or can be cast again differently. Steps after it, up to begun, may be there or not, but none
// in part.
func lost(t testing.TB, j *Journal, last, begun int) (steps, votes int) {
	t.Helper()
	pending, err := j.Outbox().Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there := map[ledger.Purpose]bool{}
	for _, o := range pending {
		there[o.Purpose] = true
	}
	cursor, err := j.Cursor()
	if err != nil {
		t.Fatal(err)
	}
	all, err := j.Records()
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]bool{}
	for _, r := range all {
		records[string(r.Key())] = true
	}
	for n := 0; n <= begun; n++ {
		gone := false
		switch n % 8 {
		case 0:
			gone = !voted(t, j, n)
			if gone && n <= last {
				votes++
			}
		case 1:
			gone = !there[outgoing(n).Purpose]
		case 2:
			gone = cursor.Slot < uint64(n)
		case 3:
			kept := 0
			for _, r := range heard(n)[1:] {
				if records[string(r.Key())] {
					kept++
				}
			}
			if gone = kept != 27; gone && kept != 0 {
				t.Errorf("step %d: %d of the 27 votes of one batch", n, kept)
			}
			if !voted(t, j, n) && n <= last { // its second copy has it even if the disk forgot the batch
				votes++
			}
		case 4:
			kept := 0
			for k, v := range paid(n) {
				got, err := j.Money().Get([]byte(k))
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(got, v) {
					kept++
				}
			}
			if gone = kept != 2; gone && kept != 0 {
				t.Errorf("step %d: a bill without its promise", n)
			}
		default:
			kept := batch(t, j, n)
			if gone = kept != 28; gone && kept != 0 {
				t.Errorf("step %d: %d of the 28 notices of one batch", n, kept)
			}
		}
		if gone && n <= last {
			steps++
		}
	}
	return steps, votes
}

// voted says whether the own vote of a step is there, and guarded.
func voted(t testing.TB, j *Journal, n int) bool {
	t.Helper()
	want := own(n, 1)
	got, ok, err := j.Own(want.Task, want.Round, want.Judge)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return false
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("step %d: another vote than was put", n)
	}
	if err := j.PutOwn(own(n, 2)); !errors.Is(err, ErrWouldEquivocate) {
		t.Errorf("step %d: a second vote: %v", n, err)
	}
	return true
}

func batch(t testing.TB, j *Journal, n int) int {
	t.Helper()
	all, err := j.Notices(digest("round %d", n), 1, noVotes)
	if err != nil {
		t.Fatal(err)
	}
	for _, notice := range all {
		if _, _, judge := notice.Seat(); judge == (voting.Key{}) {
			t.Errorf("step %d: a notice of nobody", n)
		}
	}
	return len(all)
}

// filled is the number of steps before the disk is full.
const filled = 64

func fillConfig(dir string) Config {
	cfg := testConfig(filepath.Join(dir, "journal"))
	cfg.MinFree = 16 << 20
	return cfg
}

// fillDisk is the child of TestDiskReallyFull. With control it closes Badger on the full disk.
func fillDisk(dir string, control bool) error {
	j, err := Open(fillConfig(dir), home, nil, nil)
	if err != nil {
		return err
	}
	for n := range filled {
		if err := step(j, n); err != nil {
			return err
		}
	}
	big, err := os.Create(filepath.Join(dir, "big"))
	if err != nil {
		return err
	}
	for chunk := make([]byte, 4<<10); err == nil; {
		_, err = big.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	for n := range 8 {
		if err := step(j, filled+n); !errors.Is(err, ErrDiskFull) {
			return fmt.Errorf("step %d on a full disk: %w", n, err)
		}
	}
	if control {
		return j.db.Close()
	}
	if err := errors.Join(j.CheckSpace(), j.Close()); !errors.Is(err, ErrDiskFull) {
		return fmt.Errorf("closed on a full disk: %w", err)
	}
	if _, err := Open(fillConfig(dir), home, nil, nil); !errors.Is(err, ErrDiskFull) {
		return fmt.Errorf("opened on a full disk: %w", err)
	}
	return nil
}
