//go:build unix

package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/attest"
)

// TestServiceDies: the program of a service is killed. The host starts it again before the next
// call. One that cannot start is shown as down, is tried again later and later, and comes back.
func TestServiceDies(t *testing.T) {
	t.Parallel()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	program, pids := filepath.Join(folder, "server.sh"), filepath.Join(t.TempDir(), "pids")
	good := strings.Replace(server, "#!/bin/sh\n", "#!/bin/sh\necho $$ >> "+pids+"\n", 1)
	if err := errors.Join(
		os.WriteFile(program, []byte(good), 0o700),
		os.WriteFile(filepath.Join(folder, "served.toml"), fmt.Appendf(nil, "service = true\n"+served, program), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "served/ask"}); err != nil {
		t.Fatal(err)
	}
	kill := func() (started int) {
		t.Helper()
		raw, err := os.ReadFile(pids)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Fields(string(raw)) {
			var pid int
			if _, err := fmt.Sscan(line, &pid); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
			started++
		}
		return started
	}
	check := func() (down bool) {
		t.Helper()
		h.mu.Lock()
		checkServices(h, now()+time.Hour.Milliseconds())
		h.mu.Unlock()
		h.work.Wait()
		v, err := h.Look(operator, "served")
		if err != nil || (v.Down > 0) != (v.Why != "") {
			t.Fatalf("%+v, %v", v, err)
		}
		return v.Down > 0
	}
	started := kill()
	check() // the first look may meet the end of the old one
	for from := time.Now(); check(); {
		if time.Since(from) > 20*time.Second {
			t.Fatal("it does not come back")
		}
	}
	if again := kill(); again <= started {
		t.Errorf("%d programs were started before it was killed, and %d then", started, again)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	check()
	if !check() {
		t.Error("a service that cannot start is shown as well")
	}
	if wait := h.ill["served"].next - now(); wait <= firstCheck.Milliseconds() {
		t.Errorf("it is tried again in %d ms", wait)
	}
	if err := os.WriteFile(program, []byte(good), 0o700); err != nil {
		t.Fatal(err)
	}
	for from := time.Now(); check(); { // a server that failed is left alone for a second or so
		if time.Since(from) > 20*time.Second {
			t.Fatalf("it came back, and is shown as down: %+v", h.ill["served"])
		}
	}
}

// TestServiceCannotBegin: the server of a service is not there when the host starts. The service is
// shown as down, and comes up by itself when the server can be started.
func TestServiceCannotBegin(t *testing.T) {
	t.Parallel()
	dir := home(t)
	folder := filepath.Join(dir, Folder)
	program := filepath.Join(folder, "server.sh")
	if err := errors.Join(
		os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o700),
		os.WriteFile(filepath.Join(folder, "served.toml"), fmt.Appendf(nil, "service = true\n"+served, program), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	later := now()
	look := func() host.Portrait {
		t.Helper()
		h.work.Wait()
		h.mu.Lock()
		later += lastCheck.Milliseconds()
		err := h.step(host.Ticked{Now: later})
		checkServices(h, later)
		h.mu.Unlock()
		h.work.Wait()
		v, lost := h.Look(operator, "served")
		if err := errors.Join(err, lost); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := look(); v.Down == 0 || v.Why == "" || v.Life != host.Dormant {
		t.Errorf("a service that could not be started is shown as %+v", v)
	}
	if err := os.WriteFile(program, []byte(server), 0o700); err != nil {
		t.Fatal(err)
	}
	for from := time.Now(); ; { // a server that failed is left alone for a second or so
		v := look()
		if v.Life == host.Running && v.Down == 0 {
			break
		}
		if time.Since(from) > 20*time.Second {
			t.Fatalf("it does not come up: %+v", v)
		}
	}
}
