package mind

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ojud/agent/host/manifest"
)

// TestAttackForks: a program starts others that work beside each other, in its group or in groups
// of their own, or that work when their parent is gone. Each had a limit of its own, so that
// together they used many times the limit. Control: with a higher limit all of them end.
func TestAttackForks(t *testing.T) {
	t.Parallel()
	const busy = `i=0; while [ $i -lt 250000 ]; do i=$((i+1)); done; touch "$1/done$n"`
	for name, script := range map[string]string{
		"forks":   `for n in 1 2 3 4; do (` + busy + `) & done; wait; echo 1`,
		"groups":  `set -m; for n in 1 2 3 4; do (` + busy + `) & done; wait; echo 1`,
		"orphans": `for n in 1 2 3 4; do ((` + busy + `) & ); done; read -r _ <"$1/never"; echo 1`,
	} {
		for _, k := range []struct {
			most  time.Duration
			ended int
		}{{300 * time.Millisecond, 0}, {time.Minute, 4}} {
			if name == "orphans" && k.ended > 0 {
				continue // they have nobody who waits for them
			}
			m, done, err := forks(t, script, k.most)
			if (err != nil) != (k.ended == 0) || done != k.ended || m.stopped() != (k.ended == 0) {
				t.Errorf("%s, %s: %d ended: %v", name, k.most, done, err)
			}
			if used := m.total(); used < 200*time.Millisecond || k.ended == 0 && m.left() > 0 {
				t.Errorf("%s, %s: they used %s", name, k.most, used)
			}
		}
	}
}

// TestAttackBrief: a program that ends at once leaves no work behind.
func TestAttackBrief(t *testing.T) {
	t.Parallel()
	m, done, err := forks(t, `set -m; (sleep 1; touch "$1/done") >/dev/null 2>&1 & echo 1`, time.Minute)
	if err != nil || done != 0 || m.stopped() {
		t.Errorf("%d ended: %v", done, err)
	}
}

// forks runs a script, and counts what ended after all that it started was gone.
func forks(t *testing.T, script string, most time.Duration) (m *meter, done int, err error) {
	t.Helper()
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	if err := errors.Join(syscall.Mkfifo(alive, 0o600), syscall.Mkfifo(filepath.Join(dir, "never"), 0o600)); err != nil {
		t.Fatal(err)
	}
	writers, err := os.OpenFile(alive, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &Worker{dir: dir, parts: Supplies{LookupEnv: os.LookupEnv, Log: slog.New(slog.DiscardHandler)}}
	w.m.Quota.CPU, w.m.Quota.Memory = time.Minute, 1<<30
	m = &meter{}
	m.begin(most)
	ctx := withMeter(t.Context(), m)
	_, err = w.run(ctx, manifest.Launch{Run: []string{"bash", "-c", `exec 9>"$1/alive"; ` + script, "bash", dir}}, nil, nil)
	if _, gone := io.ReadAll(writers); gone != nil {
		t.Error(gone)
	}
	all, globbed := filepath.Glob(filepath.Join(dir, "done*"))
	if err := errors.Join(globbed, writers.Close()); err != nil {
		t.Error(err)
	}
	if _, next := w.run(ctx, manifest.Launch{Run: []string{"/bin/echo", "1"}}, nil, nil); (next != nil) != (err != nil) {
		t.Errorf("the next program: %v", next)
	}
	return m, len(all), err
}

// TestSession: what a process used whose parent is gone stays in the sum when it ends.
func TestSession(t *testing.T) {
	t.Parallel()
	s := &session{}
	for _, live := range []time.Duration{1, 5, 2, 4, 4, 3} {
		s.look(live)
	}
	if s.live+s.lost != 7 {
		t.Errorf("%+v", s)
	}
}
