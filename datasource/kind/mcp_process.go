package kind

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ojud/datasource/exact"
)

const (
	politeWait = 2 * time.Second  // for a server whose stdin was closed, and again after the signal to end
	writeWait  = 10 * time.Second // for a server to read its input
	wordsWait  = time.Second / 4  // for the last output of a server that has ended
	lineMost   = 2 << 10          // bytes of a line on stderr that are logged
	wordsMost  = 64 << 10         // bytes of stderr that are logged in the life of a process
)

// inherited lists the node's variables that a server gets. The others may hold the node's secrets.
var inherited = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "PATHEXT", "TEMP", "USERPROFILE"}

// process is a running server.
type process struct {
	in    *stdin
	out   *stdout
	large atomic.Bool // it sent a message that is too large

	kill   context.CancelFunc
	exited chan struct{}
	logged chan struct{}
	stderr *os.File
	once   sync.Once

	mu   sync.Mutex
	last string
}

// launch starts the program of settings.
func launch(s *server) (*process, error) {
	environ, err := environment(s)
	if err != nil {
		return nil, err
	}
	life, kill := context.WithCancel(context.WithoutCancel(s.life))
	cmd := exec.CommandContext(life, s.Command, s.Args...)
	cmd.Env, cmd.Dir = environ, s.env.Work
	if s.Dir != "" {
		cmd.Dir = inside(s.env.Dir, s.Dir)
	}
	ownGroup(cmd)
	pipes, err := connectPipes(cmd)
	if err != nil {
		kill()
		return nil, fmt.Errorf("%w: %w", ErrDown, err)
	}
	err = cmd.Start()
	pipes.closeTheirs()
	if err != nil {
		kill()
		pipes.closeOurs()
		return nil, fmt.Errorf("%w: %s cannot be started: %w", ErrSetup, s.Command, err)
	}
	p := &process{kill: kill, exited: make(chan struct{}), logged: make(chan struct{}), stderr: pipes.err}
	p.in = &stdin{pipes.in}
	p.out = &stdout{exact.NewReader(pipes.out, s.frame(), ErrLarge), pipes.out, &p.large}
	go func() {
		defer close(p.exited)
		err := cmd.Wait()
		killGroup(cmd.Process.Pid)
		s.env.Log.Debug("mcp server exited", "tool", s.Tool, "err", err)
	}()
	go p.listen(s)
	return p, nil
}

// environment returns the server's environment: some of the node's variables and the owner's.
func environment(s *server) ([]string, error) {
	var out []string
	for _, name := range inherited {
		if value, ok := s.env.LookupEnv(name); ok {
			out = append(out, name+"="+value)
		}
	}
	for _, name := range sorted(s.MCP.Env) {
		value, err := s.secrets.resolve(s.MCP.Env[name])
		if err != nil {
			return nil, err
		}
		out = append(out, name+"="+value)
	}
	return out, nil
}

// pipes are the ends of a server's three pipes: ours and the server's.
type pipes struct {
	in, out, err *os.File
	theirs       []*os.File
}

func connectPipes(cmd *exec.Cmd) (*pipes, error) {
	theirIn, in, noIn := os.Pipe()
	out, theirOut, noOut := os.Pipe()
	words, theirWords, noWords := os.Pipe()
	p := &pipes{in, out, words, []*os.File{theirIn, theirOut, theirWords}}
	if err := errors.Join(noIn, noOut, noWords); err != nil {
		p.closeTheirs()
		p.closeOurs()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, theirWords
	return p, nil
}

func (p *pipes) closeTheirs() { closeAll(p.theirs...) }
func (p *pipes) closeOurs()   { closeAll(p.in, p.out, p.err) }

// closeAll closes pipes. One may be closed already if both sides hang up at once.
func closeAll(files ...*os.File) {
	for _, f := range slices.DeleteFunc(files, func(f *os.File) bool { return f == nil }) {
		_ = f.Close() // a pipe has nothing to write back
	}
}

// stop ends the process and its children, and waits. It first closes stdin, as the protocol
// requires, and then sends signals.
func (p *process) stop() {
	p.once.Do(func() {
		closeAll(p.in.File)
		if !ended(p.exited, politeWait) {
			p.kill() // tells the group to end, see ownGroup
			<-p.exited
		}
		p.kill()
		ended(p.logged, wordsWait)
		closeAll(p.out.file, p.stderr) // a child that left the group may hold the other ends; do not wait for it
		<-p.logged
	})
}

func ended(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// listen logs the server's stderr, up to a bound, and reads on so that the server never blocks.
func (p *process) listen(s *server) {
	defer close(p.logged)
	lines := bufio.NewReaderSize(p.stderr, lineMost)
	for left := wordsMost; ; {
		line, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		text := s.secrets.mask(strings.ToValidUTF8(strings.TrimSpace(string(line)), "?"))
		p.mu.Lock()
		if text != "" {
			p.last = text
		}
		p.mu.Unlock()
		if left > 0 && text != "" {
			s.env.Log.Info("mcp server says", "tool", s.Tool, "text", text, "cut", more)
		}
		if left -= len(line); left <= 0 && left+len(line) > 0 {
			s.env.Log.Info("mcp server says more, which is not logged", "tool", s.Tool)
		}
	}
}

func (p *process) lastWords() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == "" {
		return "nothing"
	}
	return bounded(p.last, 300)
}

// stdin is the server's input. A server that does not read blocks its writer only for a while.
type stdin struct{ *os.File }

func (w *stdin) Write(p []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(writeWait)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return 0, err
	}
	return w.File.Write(p)
}

// stdout is the server's output, line by line. Its numbers are kept exact.
type stdout struct {
	exact io.Reader
	file  *os.File
	large *atomic.Bool
}

func (r *stdout) Read(p []byte) (int, error) {
	n, err := r.exact.Read(p)
	if errors.Is(err, ErrLarge) {
		r.large.Store(true)
	}
	return n, err
}

func (r *stdout) Close() error { return r.file.Close() }
