package mind

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ojud/agent/host/manifest"
)

// TestAttackForks: a program starts four that work beside each other. Each had a limit of its own,
// so that together they used four times the limit. Control: with four times the limit they end.
func TestAttackForks(t *testing.T) {
	t.Parallel()
	const work = `for n in 1 2 3 4; do (i=0; while [ $i -lt 250000 ]; do i=$((i+1)); done; touch "$1/$n") & done; wait; echo 1`
	for _, k := range []struct {
		most  time.Duration
		ended int
	}{{300 * time.Millisecond, 0}, {time.Minute, 4}} {
		dir := t.TempDir()
		w := &Worker{dir: dir, parts: Supplies{LookupEnv: os.LookupEnv, Log: slog.New(slog.DiscardHandler)}}
		w.m.Quota.CPU, w.m.Quota.Memory = time.Minute, 1<<30
		m := &meter{}
		m.begin(k.most)
		ctx := withMeter(t.Context(), m)
		_, err := w.run(ctx, manifest.Launch{Run: []string{"/bin/sh", "-c", work, "sh", dir}}, nil, nil)
		done, globbed := filepath.Glob(filepath.Join(dir, "[1-4]"))
		if (err != nil) != (k.ended == 0) || globbed != nil || len(done) != k.ended {
			t.Errorf("%s: %d ended: %v, %v", k.most, len(done), err, globbed)
		}
		if used := m.total(); used < 200*time.Millisecond || k.ended == 0 && m.left() > 0 {
			t.Errorf("%s: they used %s", k.most, used)
		}
		_, err = w.run(ctx, manifest.Launch{Run: []string{"/bin/echo", "1"}}, nil, nil)
		if (err != nil) != (k.ended == 0) {
			t.Errorf("%s: the next program: %v", k.most, err)
		}
	}
}
