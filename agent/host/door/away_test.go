package door

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/ledger/transact"
)

// cable carries connections to a host, until it is cut. Then connections are refused.
type cable struct {
	t      *testing.T
	to, at string

	mu  sync.Mutex
	all []io.Closer
}

func (c *cable) lay() {
	at := "127.0.0.1:0"
	if c.at != "" {
		at = c.at
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		c.t.Fatal(err)
	}
	c.at = l.Addr().String()
	c.keep(l)
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", c.to)
			if err != nil {
				_ = from.Close()
				continue
			}
			c.keep(from, to)
			for _, both := range [][2]net.Conn{{from, to}, {to, from}} {
				go func() {
					_, _ = io.Copy(both[0], both[1])
					_ = both[0].Close()
				}()
			}
		}
	}()
}

func (c *cable) keep(some ...io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, some...)
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		_ = one.Close()
	}
	c.all = nil
}

// slow is an agent that says when it begins, and ends when it may.
const slow = `#!/bin/sh
read -r run
echo begun >> "$(dirname "$0")/begun"
while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done
echo '{"final":{"output":"an owl"}}'
`

// distantAgent is a host with such an agent behind a cable.
func distantAgent(t *testing.T) (*farHost, *cable) {
	t.Helper()
	f := publish(t, agentsHome(t, map[string]string{
		"e.toml": "[mind]\nkind = \"channel\"\nrun = [\"./slow.sh\"]\n[[capabilities]]\nname = \"echo\"\n", "slow.sh": slow,
	}), "127.0.0.1:0", shell.Means{})
	c := &cable{t: t, to: f.at}
	c.lay()
	t.Cleanup(c.cut)
	return f, c
}

// begun waits until the agent has begun, and returns how often it did.
func begun(t *testing.T, home string) int {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	late := time.After(time.Minute)
	for {
		raw, err := os.ReadFile(filepath.Join(home, shell.Folder, "begun"))
		if len(raw) > 0 {
			return bytes.Count(raw, []byte("begun"))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		select {
		case <-again.C:
		case <-late:
			t.Fatal("the agent does not begin")
		}
	}
}

func (f *farHost) goOn() {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.home, shell.Folder, "go"), nil, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// asker is a model that calls an agent of another host, and waits for it as long as it is told that
// its host is away.
type asker struct {
	at     string
	heard  chan string // what the model reads before each answer
	answer chan string
}

func (a *asker) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.heard <- string(raw)
	return (&script{answers: []string{<-a.answer}}).RoundTrip(r)
}

func (a *asker) call(more string) string {
	return fmt.Sprintf(`{"thought":"I ask.","action":"call","tool":"agent.invoke","input":{"target":"agent://%s/e/echo"%s}}`, a.at, more)
}

// TestDelegateAway: an agent whose delegate's host dies is told within 5 seconds, and not only when
// the call is over. If it then waits, and the host can be reached again, it gets the result. The
// delegate's work is done once.
func TestDelegateAway(t *testing.T) {
	t.Parallel()
	f, c := distantAgent(t)
	home := agentsHome(t, map[string]string{"s.toml": fmt.Sprintf(caller, c.at)})
	m := &asker{c.at, make(chan string), make(chan string)}
	h := beginWith(t, home, shell.Means{Transport: m, Reach: abroadOf})
	f.letCall(t, h, home, 0)
	all := f.delegates(t, home, m)
	c.cut()
	lost := time.Now()
	said := <-m.heard
	if took := time.Since(lost); took > 5*time.Second || !strings.Contains(said, "cannot be reached") {
		t.Errorf("after %s the agent hears %s", took, said)
	}
	id := regexp.MustCompile(`correlation_id[\\"]+:[\\"]+([a-z0-9]{20,})`).FindStringSubmatch(said)
	if id == nil {
		t.Fatalf("no name of the call is told: %s", said)
	}
	m.answer <- m.call(`,"correlation_id":"none"`)
	if said := <-m.heard; !strings.Contains(said, "of no call that goes on") {
		t.Errorf("a call that nobody made is waited for: %s", said)
	}
	m.answer <- m.call(`,"correlation_id":"` + id[1] + `"`)
	c.lay()
	f.goOn()
	if said := <-m.heard; !strings.Contains(said, "an owl") {
		t.Errorf("the host is back, and the agent hears %s", said)
	}
	m.answer <- `{"thought":"Done.","action":"finish","result":"done"}`
	if end := <-all; !strings.Contains(end, `"status":"ok"`) || begun(t, f.home) != 1 {
		t.Errorf("the delegate began %d times; %s", begun(t, f.home), end)
	}
}

// delegates has the agent of a home call its delegate at f. It returns when the delegate works, and
// the channel brings the end of the agent's own call.
func (f *farHost) delegates(t *testing.T, home string, m *asker) <-chan string {
	t.Helper()
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan string, 1)
	go func() { all <- conversation(t, g, host.Target{Agent: "s", Capability: "solve"}) }()
	<-m.heard
	m.answer <- m.call("")
	begun(t, f.home)
	return all
}

// TestDelegateStaysAway: a call of another host that is still open when the call in which it was
// made is over ends with it, so nothing waits behind the agent's back.
func TestDelegateStaysAway(t *testing.T) {
	t.Parallel()
	f, c := distantAgent(t)
	home := agentsHome(t, map[string]string{"s.toml": fmt.Sprintf(caller, c.at)})
	m := &asker{c.at, make(chan string), make(chan string)}
	over := make(chan error, 1)
	h := beginWith(t, home, shell.Means{Transport: m, Reach: func(ctx context.Context, e shell.Errand) (shell.Returned, error) {
		r, err := abroadOf(ctx, e)
		over <- err
		return r, err
	}})
	f.letCall(t, h, home, 0)
	all := f.delegates(t, home, m)
	c.cut()
	<-m.heard
	m.answer <- `{"thought":"I do without.","action":"finish","result":"done"}`
	if end := <-all; !strings.Contains(end, `"status":"ok"`) {
		t.Error(end)
	}
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("the call of the other host ends with %v", err)
	}
	f.goOn()
}

// TestClientsAway: the clients in Python and JavaScript tell their user within 5 seconds that the
// host is away, and go on when it is back.
func TestClientsAway(t *testing.T) {
	t.Parallel()
	for name, words := range clientsOf(t) {
		f, c := distantAgent(t)
		folder := t.TempDir()
		path := filepath.Join(folder, "key.json")
		key, _, err := transact.LoadOrCreateKeypair(path)
		if err != nil {
			t.Fatal(err)
		}
		writeChainTo(t, filepath.Join(folder, "chain"), f.allow(shell.Signer{Keypair: key}.Principal(), "/", 100_000))
		cmd := exec.CommandContext(t.Context(), words[0], append(words[1:len(words):len(words)], "agent://"+c.at+"/e/echo", "1", filepath.Join(folder, "chain"), path)...)
		cmd.Env = append(os.Environ(), "PYTHONPATH=../../../clients/python")
		told, says, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = says
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = says.Close()
		begun(t, f.home)
		c.cut()
		lost := time.Now()
		lines, back := bufio.NewScanner(told), false
		for lines.Scan() {
			switch kind, _, _ := strings.Cut(lines.Text(), " "); kind {
			case "away":
				if took := time.Since(lost); took > 5*time.Second {
					t.Errorf("%s tells after %s that the host is away", name, took)
				}
				c.lay()
				f.goOn()
			case "back":
				back = true
			}
		}
		if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "an owl") || !back || begun(t, f.home) != 1 {
			t.Errorf("%s: back %t, %s, %v", name, back, &out, err)
		}
	}
}
