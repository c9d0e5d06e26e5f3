package shell

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/attest"
)

// busy works for a while. The payload "die" has it say who it is then, and go on until it is
// killed.
const busy = `#!/bin/sh
in=$(cat)
i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done
case "$in" in *'"payload":"die"'*) echo $$ >"$AGENT_PIDS"; while :; do :; done ;; esac
echo 1
`

const member = `autonomy = 2
calls = ["*"]
[mind]
kind = "executable"
run = ["%s"]
pass = ["AGENT_PIDS"]
[[capabilities]]
name = "do"
[limits]
cpu = "1s"
inner_cpu = %q
`

// tree has a root call 50 delegates, of which each fifth is killed while it works. It returns what
// the programs of all used together.
func tree(t *testing.T, most time.Duration) (used time.Duration, refused, killed int) {
	t.Helper()
	dir := t.TempDir()
	folder, pids := filepath.Join(dir, Folder), filepath.Join(dir, "pids")
	err := errors.Join(os.MkdirAll(folder, 0o700), syscall.Mkfifo(pids, 0o600),
		os.WriteFile(filepath.Join(folder, "busy.sh"), []byte(busy), 0o700),
		os.WriteFile(filepath.Join(folder, "rest.sh"), []byte("#!/bin/sh\nexec sleep 50\n"), 0o700),
		os.WriteFile(filepath.Join(folder, "root.toml"), fmt.Appendf(nil, member, "./rest.sh", most), 0o600))
	for n := range 50 {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, fmt.Sprintf("d%d.toml", n)), fmt.Appendf(nil, member, "./busy.sh", "1h"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.OpenFile(pids, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(dir, Means{LookupEnv: func(name string) (string, bool) {
		return map[string]string{"PATH": os.Getenv("PATH"), "AGENT_PIDS": pids}[name], true
	}})
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for lines := bufio.NewScanner(said); lines.Scan(); {
			pid, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Error(err)
				continue
			}
			_ = syscall.Kill(pid, syscall.SIGKILL) // its limit may have been first
		}
	})
	work.Go(func() { _, _ = h.Invoke(t.Context(), operator, attest.Commission{Target: "root/do"}) }) // the end of the host ends it
	by, began := Caller{ID: "root"}, time.Now()
	for by.Call == "" {
		h.mu.Lock()
		if open := h.core.Of("root"); len(open) == 1 {
			by.Call = open[0].ID
		}
		h.mu.Unlock()
		if time.Since(began) > time.Minute {
			t.Fatal("the root does not begin")
		}
		runtime.Gosched()
	}
	var mu sync.Mutex
	var calls sync.WaitGroup
	for at := range 2 { // at once
		calls.Go(func() {
			for n := at; n < 50; n += 2 {
				o := attest.Commission{Target: fmt.Sprintf("d%d/do", n), Payload: json.RawMessage(`"work"`)}
				if n%5 == 0 {
					o.Payload = json.RawMessage(`"die"`)
				}
				c, err := h.Invoke(t.Context(), by, o)
				var no *host.Refused
				mu.Lock()
				switch used += time.Duration(c.CPU) * time.Millisecond; {
				case errors.As(err, &no) && strings.Contains(no.Words, "limits.inner_cpu"):
					refused++
				case err != nil || (c.Status == host.OK) != (n%5 > 0):
					t.Errorf("%s: %s %s, %v", o.Target, c.Status, c.Problem, err)
				case n%5 == 0:
					killed++
				}
				mu.Unlock()
			}
		})
	}
	calls.Wait()
	err = h.Close()
	if err = errors.Join(err, said.Close()); err != nil {
		t.Error(err)
	}
	work.Wait()
	return used, refused, killed
}

// TestTree: the programs of 50 delegates, of which some are killed, use no more processor time than
// their root may have them use. Control: without that limit they use more.
func TestTree(t *testing.T) {
	t.Parallel()
	all, refused, killed := tree(t, 0)
	if refused != 0 || killed != 10 {
		t.Errorf("control: %s, %d refused, %d killed", all, refused, killed)
	}
	const most = 2 * time.Second
	used, refused, killed := tree(t, most)
	t.Logf("without the limit %s; of %s they used %s, %d refused, %d killed", all, most, used, refused, killed)
	if used > most || used == 0 || used >= all || refused == 0 || killed == 0 {
		t.Errorf("%s of %s, %d refused, %d killed", used, most, refused, killed)
	}
}
