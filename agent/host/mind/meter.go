package mind

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// The shortest and the longest time between two looks at what programs used.
const (
	leastLook = 100 * time.Millisecond
	mostLook  = time.Second
)

// meter counts the processor time of the programs of one call, and kills them when they used more
// than the call may. What they started counts with them.
type meter struct {
	mu      sync.Mutex
	most    time.Duration
	ended   time.Duration // used by programs that ended
	running map[int]*session
	over    bool // it killed them
	next    *time.Timer
}

// session is what a program and all that it starts use. The id of the program is that of the
// session, too.
type session struct {
	live time.Duration // of processes that are there, and of their children that ended
	lost time.Duration // of processes that ended when their parents were gone, as of the last look
}

// look takes what the session uses now. It is less than before only if an orphan ended: the system
// adds the time of a process to its parent, and an orphan has none.
func (s *session) look(live time.Duration) {
	s.lost += max(0, s.live-live)
	s.live = live
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
	m.most, m.running = most, map[int]*session{}
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
	m.running[cmd.Process.Pid] = &session{}
	if len(m.running) == 1 { // otherwise a look is planned
		m.plan(m.most - m.ended)
	}
	return nil
}

// wait waits for a program, and kills what it left behind.
func (m *meter) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	pid := cmd.Process.Pid
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.running[pid]
	delete(m.running, pid)
	times, behind := sessions(map[int]*session{pid: s})
	kill(behind)
	m.ended += times[pid]
	killGroup(pid)
	m.ended += s.lost
	if state := cmd.ProcessState; state != nil {
		m.ended += state.UserTime() + state.SystemTime()
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
	times, all := sessions(m.running)
	left := m.most - m.ended
	for pid, s := range m.running {
		s.look(times[pid])
		left -= s.live + s.lost
	}
	if left > 0 {
		m.plan(left)
		return
	}
	m.over = true
	kill(all)
	for pid := range m.running {
		killGroup(pid)
	}
}

// kill kills processes.
func kill(pids []int) {
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
			_ = p.Release()
		}
	}
}

// plan looks again when the programs may have used so much: they cannot use more than all
// processors have. The caller holds mu.
func (m *meter) plan(left time.Duration) {
	if m.next != nil {
		m.next.Stop()
	}
	m.next = time.AfterFunc(min(max(leastLook, left/time.Duration(runtime.NumCPU())), mostLook), m.look)
}
