package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spacePrefix begins the names of the network namespaces of these tests. The process ID and a
// number follow.
const spacePrefix = "ojud-test-"

// lan is a local network of namespaces on one bridge. Each namespace is a machine with its own
// address. The network of the machine that runs the test does not change.
type lan struct {
	t    *testing.T
	name string
	hub  *space // with the bridge; its address is the bridge's
	last int
}

// space is a network namespace.
type space struct {
	net  *lan
	name string
	port string // port of the bridge; empty for the hub
	ip   string
	file *os.File
}

// noSpaces is the environment variable that forbids network namespaces.
const noSpaces = "OJUD_NO_NETNS"

// spaces reports whether namespaces can be made. If not, the log says why. In CI (environment
// variable CI is set), a machine with root must be able to make them.
func spaces(t *testing.T) bool {
	t.Helper()
	if os.Getenv(noSpaces) == "1" {
		t.Logf("NOT RUN: %s=1, nothing was tried in network namespaces", noSpaces)
		return false
	}
	err := missingSpaces()
	if err != nil && os.Getenv("CI") != "" && os.Geteuid() == 0 {
		t.Fatalf("there are no network namespaces, and CI must try them (or set %s=1): %v", noSpaces, err)
	}
	if err != nil {
		t.Logf("NOT RUN: NOTHING WAS TRIED IN NETWORK NAMESPACES: %v", err)
	}
	return err == nil
}

// newLAN makes a network with its hub.
func newLAN(t *testing.T, number int) *lan {
	t.Helper()
	n := &lan{t: t, name: fmt.Sprintf("%s%d-%d", spacePrefix, os.Getpid(), number)}
	n.hub = n.space("10.77.0.1")
	n.must(n.hub.ip4("link", "add", "br0", "address", "02:00:00:00:00:01", "type", "bridge"), n.hub.ip4("addr", "add", "10.77.0.1/24", "dev", "br0"), n.hub.ip4("link", "set", "br0", "up"))
	return n
}

// missingSpaces is spacesMissing, tried once, because tests run side by side.
var missingSpaces = sync.OnceValue(spacesMissing)

// spacesMissing returns an error that names what this machine lacks.
func spacesMissing() error {
	if os.Geteuid() != 0 {
		return errors.New("network namespaces need root")
	}
	for _, name := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w: apt-get install -y iproute2", err)
		}
	}
	if err := sweepSpaces(); err != nil {
		return err
	}
	probe := fmt.Sprintf("%s%d-probe", spacePrefix, os.Getpid())
	if err := command("ip", "netns", "add", probe); err != nil {
		return err
	}
	return command("ip", "netns", "del", probe)
}

// sweepSpaces removes the namespaces of tests that were killed, with the processes in them.
func sweepSpaces() error {
	names, err := filepath.Glob("/run/netns/" + spacePrefix + "*")
	if err != nil {
		return err
	}
	for _, path := range names {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), spacePrefix), "-")
		if exe, err := os.Readlink("/proc/" + owner + "/exe"); err == nil && strings.HasSuffix(exe, ".test") {
			continue // of a test that is running
		}
		if err := removeSpace(filepath.Base(path)); err != nil {
			return err
		}
	}
	return nil
}

// removeSpace removes a namespace and kills the processes in it.
func removeSpace(name string) error {
	out, err := exec.Command("ip", "netns", "pids", name).Output()
	if err != nil {
		return fmt.Errorf("ip netns pids %s: %w", name, err)
	}
	for _, field := range strings.Fields(string(out)) {
		pid, err := strconv.Atoi(field)
		if err == nil && pid != os.Getpid() {
			err = unix.Kill(pid, unix.SIGKILL)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("kill %s: %w", field, err)
		}
	}
	return command("ip", "netns", "del", name)
}

// command runs a program. The error has the output.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

func (n *lan) must(errs ...error) {
	n.t.Helper()
	if err := errors.Join(errs...); err != nil {
		n.t.Fatal(err)
	}
}

// space makes a namespace. The end of the test removes it.
func (n *lan) space(ip string) *space {
	n.t.Helper()
	s := &space{net: n, name: fmt.Sprintf("%s-%d", n.name, n.last), ip: ip}
	n.last++
	n.must(command("ip", "netns", "add", s.name))
	n.t.Cleanup(func() {
		if err := removeSpace(s.name); err != nil {
			n.t.Error(err)
		}
	})
	file, err := os.Open("/run/netns/" + s.name)
	n.must(err, s.ip4("link", "set", "lo", "up"))
	n.t.Cleanup(func() { n.must(file.Close()) })
	s.file = file
	return s
}

// machine makes a namespace that is plugged into the bridge.
func (n *lan) machine() *space {
	n.t.Helper()
	s := n.space(fmt.Sprintf("10.77.0.%d", 10+n.last))
	s.port = fmt.Sprintf("port%d", n.last)
	n.must(n.hub.ip4("link", "add", s.port, "type", "veth", "peer", "name", "eth0", "netns", s.name),
		n.hub.ip4("link", "set", s.port, "master", "br0", "up"), s.ip4("addr", "add", s.ip+"/24", "dev", "eth0"), s.ip4("link", "set", "eth0", "up"))
	return s
}

// ip4 runs ip in the namespace.
func (s *space) ip4(args ...string) error {
	return command("ip", append([]string{"-n", s.name}, args...)...)
}

// slow limits how fast the machine can send, in kbit/s.
func (s *space) slow(kbit int) error {
	return command("tc", "-n", s.name, "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", fmt.Sprintf("%dkbit", kbit), "burst", "16kb", "latency", "400ms")
}

// fast removes the limit.
func (s *space) fast() error {
	return command("tc", "-n", s.name, "qdisc", "del", "dev", "eth0", "root")
}

// plug connects the machine or cuts it off. A cut loses packets without any notice.
func (s *space) plug(in bool) error {
	return s.net.hub.ip4("link", "set", s.port, map[bool]string{true: "up", false: "down"}[in])
}

// sent returns how many bytes the machine has sent.
func (s *space) sent() (n int, err error) {
	err = s.do(func() error {
		raw, err := os.ReadFile("/proc/thread-self/net/dev")
		if err != nil {
			return err
		}
		_, line, _ := strings.Cut(string(raw), "eth0:")
		n, err = strconv.Atoi(strings.Fields(line)[8])
		return err
	})
	return n, err
}

// do calls f on a thread in the namespace. Sockets and processes that f opens stay there. f must
// not end the test.
func (s *space) do(f func() error) error {
	done := make(chan error)
	go func() { done <- s.visit(f) }()
	return <-done
}

// visit is do on this goroutine. If the thread cannot leave the namespace, it stays locked and ends
// with its goroutine.
func (s *space) visit(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	if err := unix.Setns(int(s.file.Fd()), unix.CLONE_NEWNET); err != nil {
		return errors.Join(err, home.Close())
	}
	err = f()
	back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET)
	if back == nil {
		runtime.UnlockOSThread()
	}
	return errors.Join(err, back, home.Close())
}

// start starts a process in the namespace.
func (s *space) start(cmd *exec.Cmd) error { return s.do(cmd.Start) }

// listen opens a TCP port in the namespace.
func (s *space) listen(port int) (l net.Listener, err error) {
	err = s.do(func() (err error) {
		l, err = (&net.ListenConfig{}).Listen(s.net.t.Context(), "tcp4", net.JoinHostPort(s.ip, strconv.Itoa(port)))
		return err
	})
	return l, err
}

// get asks an HTTP server that only this machine can reach.
func (s *space) get(url string) (body string, err error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: s.dial}}
	ask, err := http.NewRequestWithContext(s.net.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	r, err := client.Do(ask)
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(r.Body)
	return string(raw), errors.Join(err, r.Body.Close())
}

func (s *space) dial(ctx context.Context, network, address string) (c net.Conn, err error) {
	err = s.do(func() (err error) {
		c, err = (&net.Dialer{}).DialContext(ctx, network, address)
		return err
	})
	return c, err
}
