package keep

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"ojud/megabrain/memory"
)

// childDir and childEarly tell this test binary to be a node that the test kills.
const (
	childDir   = "MEMORY_KEEP_CHILD"
	childEarly = "MEMORY_KEEP_EARLY" // set: it acknowledges before it has written
	childFrom  = "MEMORY_KEEP_FROM"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Fprintln(os.Stderr, putAll(dir, os.Getenv(childFrom), os.Getenv(childEarly) != ""))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// putAll puts artifact after artifact, four at a time, and says each that is acknowledged.
func putAll(dir, from string, early bool) error {
	c := DefaultConditions()
	c.MinFree = 0
	n, err := Open(dir, newKey("node"), c, func() int64 { return 1000 }, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	failed := make(chan error)
	for worker := range 4 {
		go func() {
			for i := 0; ; i++ {
				artifact := fmt.Appendf(nil, "%s of %d, %d", from, worker, i)
				if early {
					fmt.Println(sum(artifact))
				}
				if _, err := n.Put(artifact, 1000); err != nil {
					failed <- err
				}
				if !early {
					fmt.Println(sum(artifact))
				}
			}
		}()
	}
	return <-failed
}

// killed runs a child, kills it after so many lines, and returns what it has acknowledged.
func killed(t *testing.T, dir, from, early string, lines int) (said []memory.Digest) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir, childFrom+"="+from, childEarly+"="+early)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(out); in.Scan(); {
		hash, err := memory.ParseDigest(in.Text())
		if err != nil {
			break // the last line, cut
		}
		if said = append(said, hash); len(said) == lines {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	return said
}

// lost counts what was acknowledged and is not there, and checks that the log of each earlier head
// goes on.
func lost(t *testing.T, dir string, said []memory.Digest, old memory.TreeHead) (int, memory.TreeHead) {
	t.Helper()
	n := open(t, dir, &clock{1000})
	missing := 0
	for _, hash := range said {
		in, err := n.Prove(hash)
		if _, gone := n.Get(hash); err != nil || gone != nil || in.Verify() != nil {
			missing++
		}
	}
	head := n.Head()
	if old.Size > 0 {
		root, proof, err := n.Prefix(old.Size, head.Size)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := (memory.Prefix{Head: head, Size: old.Size, Root: root, Proof: proof}).Continues(old); e != nil || err != nil {
			t.Errorf("the node exposed itself: %v, %v", e, err)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return missing, head
}

// TestKill kills a node again and again. Nothing that it acknowledged is missing, and its log goes
// on. A node that acknowledges before it has written loses something (the control).
func TestKill(t *testing.T) {
	for _, early := range []string{"", "early"} {
		dir, missing, acknowledged := t.TempDir(), 0, 0
		var head memory.TreeHead
		for n := range 6 {
			said := killed(t, dir, fmt.Sprint(n), early, 5+rand.IntN(40))
			var m int
			m, head = lost(t, dir, said, head)
			missing, acknowledged = missing+m, acknowledged+len(said)
		}
		if (missing == 0) != (early == "") || acknowledged < 30 {
			t.Errorf("%q: %d of %d acknowledged artifacts are missing", early, missing, acknowledged)
		}
	}
}
