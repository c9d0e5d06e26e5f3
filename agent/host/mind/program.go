package mind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ojud/agent/host/manifest"
)

// inherited lists the host's variables that a program gets. The others may hold secrets.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"}

const (
	wordsMost = 4 << 10     // bytes of standard error that are kept
	lateWait  = time.Second // for the pipes of a program that has ended
)

// errProgram is wrapped by errors about a program.
var errProgram = errors.New("the program")

// program returns the path of a program.
func (w *Worker) program(p manifest.Launch) (string, error) {
	name := p.Run[0]
	if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		name = filepath.Join(w.m.Dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w %s cannot be run: %w", errProgram, p.Run[0], err)
	}
	return filepath.Abs(path)
}

// The scripts set the limits and become the program. Limits of a shell hold for it and all that it
// starts. In the first one, the part in parentheses ends the group when the pipe at 3 is closed,
// which happens also if the host is killed.
const (
	setLimits = `ulimit -c 0 && ulimit -t "$1" && ulimit -d "$2" && shift 2 && `
	guarded   = `(read -r _; kill -9 0) <&3 >/dev/null 2>&1 & ` + setLimits + `exec "$@" 3<&-`
	plain     = setLimits + `exec "$@"`
)

// limited returns the command that runs a program with the limits of the agent, and what is left of
// its processor time.
func (w *Worker) limited(run []string, guard bool, cpu time.Duration) []string {
	script := plain
	if guard {
		script = guarded
	}
	return bounded(script, run, cpu, w.m.Quota.Memory)
}

func bounded(script string, run []string, cpu time.Duration, memory int64) []string {
	seconds := max(1, int64((cpu+time.Second-1)/time.Second))
	return append([]string{"/bin/sh", "-c", script, "ojud", strconv.FormatInt(seconds, 10), strconv.FormatInt(memory>>10, 10)}, run...)
}

// Limited returns the command that runs a program of another part of this software with limits of
// processor time and memory in bytes, which hold for each process that it starts. The error is that
// of a system without such limits.
func Limited(run []string, cpu time.Duration, memory int64) ([]string, error) {
	return bounded(plain, run, cpu, memory), canLimit()
}

// RunGroup runs a program of another part of this software, and kills its process group when it or
// the context of the command ends, but not on Windows, and not if this process is killed.
func RunGroup(cmd *exec.Cmd) error {
	ownGroup(cmd)
	err := cmd.Run()
	if cmd.Process != nil {
		killGroup(cmd.Process.Pid)
	}
	return err
}

// command prepares a program, and what keeps the end of its standard error. The caller calls
// release when the program has ended.
func (w *Worker) command(ctx context.Context, p manifest.Launch, environ []string) (cmd *exec.Cmd, words *tail, release func(), err error) {
	path, err := w.program(p)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := canLimit(); err != nil {
		return nil, nil, nil, fmt.Errorf("%w %s is not run: %w", errProgram, p.Run[0], err)
	}
	left := meterOf(ctx).left()
	if left <= 0 {
		return nil, nil, nil, fmt.Errorf("%w %s is not run: those before it in the call used %s of processor time (limits.cpu)", errProgram, p.Run[0], w.m.Quota.CPU)
	}
	life, hold, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	run := w.limited(append([]string{path}, p.Run[1:]...), true, left)
	cmd, words = exec.CommandContext(ctx, run[0], run[1:]...), &tail{most: wordsMost}
	cmd.Dir, cmd.ExtraFiles, cmd.WaitDelay = w.dir, []*os.File{life}, lateWait
	cmd.Env, cmd.Stderr = append(w.environ(p.Pass), environ...), words
	ownGroup(cmd)
	return cmd, words, func() { _, _ = hold.Close(), life.Close() }, nil // nobody writes into the pipe
}

// run runs a program with an input, and returns what it prints: one JSON value.
func (w *Worker) run(ctx context.Context, p manifest.Launch, input []byte, environ []string) (json.RawMessage, error) {
	cmd, words, release, err := w.command(ctx, p, environ)
	if err != nil {
		return nil, err
	}
	defer release()
	out := &head{most: MaxResult}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(input), out
	m := meterOf(ctx)
	if err = m.start(cmd); err == nil {
		err = m.wait(cmd)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, w.fault(ctx, p, cmd, words, err)
	}
	if out.cut {
		return nil, fmt.Errorf("%w %s printed more than %d bytes", errProgram, p.Run[0], MaxResult)
	}
	raw := bytes.TrimSpace(out.kept)
	if !json.Valid(raw) {
		return nil, fmt.Errorf("%w %s did not print one JSON value on standard output, but %.100q", errProgram, p.Run[0], raw)
	}
	return raw, nil
}

// fault says why a program failed.
func (w *Worker) fault(ctx context.Context, p manifest.Launch, cmd *exec.Cmd, words *tail, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The kernel ends a program by a sample of its time, which may be ahead of what it reports.
	killed := cmd.ProcessState != nil && !cmd.ProcessState.Exited()
	if killed && (meterOf(ctx).stopped() || cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() >= w.m.Quota.CPU/2) {
		return fmt.Errorf("%w %s was ended: the programs of the call used %s of processor time (limits.cpu)", errProgram, p.Run[0], w.m.Quota.CPU)
	}
	text := strings.ToValidUTF8(strings.TrimSpace(string(words.kept)), "?")
	if len(text) > 300 {
		text = "…" + strings.ToValidUTF8(text[len(text)-300:], "")
	}
	if text != "" {
		return fmt.Errorf("%w %s failed (%w): %s", errProgram, p.Run[0], err, text)
	}
	return fmt.Errorf("%w %s failed: %w", errProgram, p.Run[0], err)
}

func (w *Worker) environ(pass []string) (out []string) {
	for _, name := range append(inherited[:len(inherited):len(inherited)], pass...) {
		if value, ok := w.parts.LookupEnv(name); ok {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// tail keeps the end of what is written.
type tail struct {
	kept []byte
	most int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.most):]...)
	if cut := len(t.kept) - t.most; cut > 0 {
		t.kept = append(t.kept[:0], t.kept[cut:]...)
	}
	return len(p), nil
}

// head keeps the beginning of what is written, and takes the rest without keeping it.
type head struct {
	kept []byte
	most int
	cut  bool
}

var _ io.Writer = (*head)(nil)

func (h *head) Write(p []byte) (int, error) {
	fits := p[:min(len(p), h.most-len(h.kept))]
	h.cut = h.cut || len(fits) < len(p)
	h.kept = append(h.kept, fits...)
	return len(p), nil
}
