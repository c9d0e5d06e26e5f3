package mind

import (
	"context"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// leastLook is the shortest time between two looks at what programs used.
const leastLook = 100 * time.Millisecond

// meter counts the processor time of the programs of one call, and kills them when they used more
// than the call may. What they started counts with them.
type meter struct {
	mu      sync.Mutex
	most    time.Duration
	ended   time.Duration // used by programs that ended
	running map[int]bool  // the ids of programs, each of which is that of its session, too
	over    bool          // it killed them
	next    *time.Timer
}

// metered is the key under which the context of a call has its meter.
type metered struct{}

func withMeter(ctx context.Context, m *meter) context.Context {
	return context.WithValue(ctx, metered{}, m)
}

func meterOf(ctx context.Context) *meter {
	m, _ := ctx.Value(metered{}).(*meter)
	return m
}

func (m *meter) begin(most time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.most, m.running = most, map[int]bool{}
}

func (m *meter) total() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return max(m.ended, m.most) // what it killed cannot be asked any more
	}
	return m.ended
}

// left returns what a further program may use.
func (m *meter) left() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return 0
	}
	return m.most - m.ended
}

// stopped reports whether the meter killed the programs.
func (m *meter) stopped() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// start starts a program, and counts it.
func (m *meter) start(cmd *exec.Cmd) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	m.running[cmd.Process.Pid] = true
	if len(m.running) == 1 { // otherwise a look is planned
		m.plan(m.most - m.ended)
	}
	return nil
}

// wait waits for a program that was started at a time, and kills what it left behind.
func (m *meter) wait(cmd *exec.Cmd, started time.Time) error {
	err := cmd.Wait()
	pid := cmd.Process.Pid
	var behind time.Duration
	if time.Since(started) > leastLook { // else it is not worth a look
		behind = sessionTimes(map[int]bool{pid: true})
	}
	killGroup(pid)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, pid)
	m.ended += behind
	if s := cmd.ProcessState; s != nil {
		m.ended += s.UserTime() + s.SystemTime()
	}
	if len(m.running) == 0 && m.next != nil {
		m.next.Stop()
	}
	return err
}

// look kills the programs if they used too much.
func (m *meter) look() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.running) == 0 {
		return
	}
	left := m.most - m.ended - sessionTimes(m.running)
	if left > 0 {
		m.plan(left)
		return
	}
	m.over = true
	for pid := range m.running {
		killGroup(pid)
	}
}

// plan looks again when the programs may have used so much: they cannot use more than all
// processors have. The caller holds mu.
func (m *meter) plan(left time.Duration) {
	if m.next != nil {
		m.next.Stop()
	}
	m.next = time.AfterFunc(max(leastLook, left/time.Duration(runtime.NumCPU())), m.look)
}
