package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// tools builds and runs test binaries.
type tools interface {
	build(ctx context.Context, pkg string) (binary string, err error)
	run(ctx context.Context, dir, binary string, args []string) error
}

// runner measures groups one after the other.
type runner struct {
	tools tools
	rows  string // file to which the groups append their lines
	log   io.Writer
}

// all measures the groups and returns the figures of those that failed. It continues after a
// failure. It stops early only if ctx ends; then the remaining groups count as failed.
func (r runner) all(ctx context.Context, groups []group) (failed []string) {
	binaries := map[string]string{}
	for _, g := range groups {
		began := time.Now()
		if err := r.one(ctx, g, binaries); err != nil {
			_, _ = fmt.Fprintf(r.log, "bench: %s FAILED: %v\n", g.figures, err)
			failed = append(failed, g.figures)
			continue
		}
		_, _ = fmt.Fprintf(r.log, "bench: %s took %.0f s\n", g.figures, time.Since(began).Seconds())
	}
	return failed
}

// one measures a group. binaries keeps the test binary of each package for the next group.
func (r runner) one(ctx context.Context, g group, binaries map[string]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if binaries[g.pkg] == "" {
		binary, err := r.tools.build(ctx, g.pkg)
		if err != nil {
			return fmt.Errorf("building ./%s: %w", g.pkg, err)
		}
		binaries[g.pkg] = binary
	}
	args := append(append([]string{}, g.args...), g.rows, r.rows)
	return r.tools.run(ctx, filepath.FromSlash(g.pkg), binaries[g.pkg], args)
}

// goTools runs the go command and the binaries that it builds into dir.
type goTools struct {
	dir string
	log io.Writer
}

func (t goTools) build(ctx context.Context, pkg string) (string, error) {
	binary := filepath.Join(t.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	return binary, t.run(ctx, ".", "go", []string{"test", "-c", "-o", binary, "./" + pkg})
}

// run starts a process in dir. If ctx ends, the process gets SIGTERM, and SIGKILL 10 s later.
func (t goTools) run(ctx context.Context, dir, name string, args []string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, t.log, t.log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}
