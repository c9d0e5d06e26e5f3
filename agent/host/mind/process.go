package mind

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"ojud/agent/channel"
	"ojud/agent/host/manifest"
)

// process is a program that reads and prints lines while it works.
type process struct {
	in    chan<- []byte // lines for it, each with its end
	lines <-chan []byte // that it printed, none of them empty; closed when no more come

	ctx     context.Context
	stop    func() // kills it
	release func() // when it has ended
	work    sync.WaitGroup
	cut     error // why its lines could not be read to the end
	exited  error
	fault   func(exited error) error
}

// start starts a program. The caller ends it.
func (w *Worker) start(ctx context.Context, launch manifest.Launch, environ []string) (*process, error) {
	mine, stop := context.WithCancel(ctx)
	cmd, words, release, err := w.command(mine, launch, environ)
	if err != nil {
		stop()
		return nil, err
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		stop()
		release()
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		cmd.Stdout = theirs
		err = meterOf(ctx).start(cmd)
	}
	if err = errors.Join(err, theirs.Close()); err != nil {
		stop()
		release()
		return nil, errors.Join(err, out.Close())
	}
	posts, lines := make(chan []byte), make(chan []byte)
	p := &process{in: posts, lines: lines, ctx: mine, stop: stop, release: release}
	p.fault = func(exited error) error {
		if exited == nil || errors.Is(exited, exec.ErrWaitDelay) {
			return fmt.Errorf("%w %s ended without the message final", errProgram, launch.Run[0])
		}
		return w.fault(ctx, launch, cmd, words, exited)
	}
	p.work.Go(func() { p.post(in, posts) })
	p.work.Go(func() { p.listen(out, lines) })
	p.work.Go(func() {
		p.exited = meterOf(ctx).wait(cmd)
		// A process outside of the group may hold the other end.
		_ = out.SetReadDeadline(time.Now().Add(lateWait))
	})
	return p, nil
}

// end ends a program, which may end by itself for a second unless it is to be killed. It returns
// why the program ended without an end of the call.
func (p *process) end(kill bool) error {
	close(p.in)
	if !kill {
		defer time.AfterFunc(lateWait, p.stop).Stop()
	} else {
		p.stop()
	}
	p.work.Wait()
	p.stop()
	p.release()
	if p.cut != nil {
		return p.cut
	}
	return p.fault(p.exited)
}

// post writes lines to the program until there are no more. What it does not read when it ends is
// dropped.
func (p *process) post(in io.WriteCloser, posts <-chan []byte) {
	defer in.Close()
	ended := false
	for line := range posts {
		if !ended {
			_, err := in.Write(line)
			ended = err != nil
		}
	}
}

// listen reads the lines of the program.
func (p *process) listen(out *os.File, lines chan<- []byte) {
	defer close(lines)
	defer out.Close()
	in := bufio.NewScanner(out)
	in.Buffer(nil, channel.MaxFrame)
	for in.Scan() {
		line := bytes.Clone(bytes.TrimSpace(in.Bytes()))
		if len(line) == 0 {
			continue
		}
		select {
		case lines <- line:
		case <-p.ctx.Done():
			return
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		p.cut = fmt.Errorf("%w printed a line of more than %d bytes", errProgram, channel.MaxFrame)
	}
}
