package mind

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of times in /proc.
const tick = 10 * time.Millisecond

// sessions returns the processor time of all processes in these sessions, and of the children of
// theirs that ended, and the ids of these processes.
func sessions(of map[int]*session) (times map[int]time.Duration, pids []int) {
	times = map[int]time.Duration{}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return times, nil // without /proc, each process has its own limit, and counts when it ends
	}
	for _, one := range all {
		if name := one.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("/proc", one.Name(), "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		// The name of the program, in parentheses, may have blanks. After it come the state, the
		// parent, the group and the session.
		f := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
		if len(f) < 15 {
			continue
		}
		at, err := strconv.Atoi(string(f[3]))
		if err != nil || of[at] == nil {
			continue
		}
		if pid, err := strconv.Atoi(one.Name()); err == nil {
			pids = append(pids, pid)
		}
		for _, text := range f[11:15] { // of itself in user and system mode, and of children that ended
			n, err := strconv.ParseInt(string(text), 10, 64)
			if err == nil {
				times[at] += time.Duration(n) * tick
			}
		}
	}
	return times, pids
}
