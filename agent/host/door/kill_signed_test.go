package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/ledger/transact"
)

// running writes a line before it works and one after it.
const running = `#!/bin/sh
cat >/dev/null
echo begun >> runs
sleep 0.05
echo ended >> runs
echo '"done"'
`

const runner = `[mind]
kind = "executable"
run = ["./run.sh"]
[[capabilities]]
name = "do"
`

// TestAttackSignedCallKilled: a host is killed with kill -9 at different points after a signed call
// was sent, and started again. Whoever sends the same call again hears how it ended, or that the
// host does not know. The work is never begun twice, and the host serves the next call.
func TestAttackSignedCallKilled(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	home := agentsHome(t, map[string]string{"r.toml": runner, "run.sh": running})
	runs := func() (begun int) {
		raw, err := os.ReadFile(filepath.Join(home, shell.Folder, "work", "r", "runs"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Count(string(raw), "begun")
	}
	carol := freshKey(t)
	g, kill := process(ctx, t, home, "")
	defer func() { kill() }()
	owner, err := transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", "operator.json"))
	if err != nil {
		t.Fatal(err)
	}
	f := &farHost{hosted: &hosted{t: t}, operator: shell.Signer{Keypair: owner}}
	chain := f.allow(carol.Principal(), "/r/do", -1)
	var v host.Portrait
	if err := g.Use(ctx, "agent.status", map[string]string{"agent": "r"}, &v); err != nil {
		t.Fatal(err)
	}
	did, err := casefile.ParseDID(v.DID)
	if err != nil {
		t.Fatal(err)
	}
	heard := map[string]int{}
	send := func(visit warden.Visit) string {
		a, _, err := g.Visit(ctx, carol.Principal().String(), visit, 0, did)
		var refused *host.Refused
		switch {
		case err == nil:
			return a.Status
		case errors.As(err, &refused):
			return refused.Name + refused.Code
		}
		return "lost"
	}
	for n := range 12 {
		payload := []byte(fmt.Sprint(n))
		visit, err := warden.Sign(carol, chain, delegation.Principal(did), host.Target{Agent: "r", Capability: "do"}, json.RawMessage(payload), delegation.Amounts{}, lasts)
		if err != nil {
			t.Fatal(err)
		}
		before, sent := runs(), make(chan string, 1)
		go func() { sent <- send(visit) }()
		select {
		case <-time.After(time.Duration(n*8) * time.Millisecond):
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
		kill()
		heard["first "+<-sent]++
		g, kill = process(ctx, t, home, g.URL)
		again := send(visit)
		if heard["again "+again]++; again == "lost" {
			t.Errorf("call %d: the host is not there", n)
		}
		if third := send(visit); third != again {
			t.Errorf("call %d: %s, and then %s", n, again, third)
		}
		if begun := runs() - before; begun > 1 || begun == 0 && again == host.OK {
			t.Errorf("call %d, which ends as %s, was begun %d times", n, again, begun)
		}
	}
	t.Log(heard)
}
