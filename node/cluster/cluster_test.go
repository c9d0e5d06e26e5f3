package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ojud/casefile/verify"
	"ojud/ledger/law"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/cluster/hearing"
	"ojud/test/longtest"
	"ojud/test/parallel"
)

// TestMain checks that the tests leave no goroutine behind. Each starts a whole court.
func TestMain(m *testing.M) { goleak.VerifyTestMain(parallel.Tests{M: m, AtOnce: 8}) }

// testConfig returns a court of seven on free ports. Its clock is moved, so no test waits and no
// judge is too slow.
func testConfig(t *testing.T) Config {
	t.Helper()
	c := DefaultConfig().Sized(7).Warped()
	c.Dir = t.TempDir()
	c.Chain.RPC, c.Chain.WS = "127.0.0.1:0", "127.0.0.1:0"
	return c
}

// told collects the lines of a cluster.
type told struct {
	mu    sync.Mutex
	lines []Line
	next  func(Line) // gets each line, too, if it is not nil
}

func (l *told) tell(line Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	if l.next != nil {
		l.next(line)
	}
}

// after calls f after n more lines of an event.
func (l *told) after(n int, event string, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = func(line Line) {
		if line.Event != event {
			return
		}
		if n--; n == 0 {
			f()
		}
	}
}

// of returns the lines of one event.
func (l *told) of(event string) (out []Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if line.Event == event {
			out = append(out, line)
		}
	}
	return out
}

// begin starts a cluster. The end of the test stops it.
func begin(t *testing.T, cfg Config) (*Cluster, *told) {
	t.Helper()
	l := &told{}
	c, err := Start(t.Context(), cfg, Deps{Tell: l.tell})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c, l
}

// playOn plays the dispute, checks the rules that hold for every ending, and returns its report.
func playOn(t *testing.T, c *Cluster) Summary {
	t.Helper()
	r, err := c.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.LamportsBefore != r.LamportsAfter {
		t.Errorf("%d lamports before, %d after", r.LamportsBefore, r.LamportsAfter)
	}
	raw, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	if report := verify.File(raw); !report.OK() || !r.Verified || r.Checks != len(report.Checks) {
		t.Errorf("%+v\n%s", r, report.String())
	}
	if got := balance(r); got != 0 {
		t.Errorf("parties and judges have %d lamports more than before: %+v", got, r)
	}
	return r
}

// balance returns the gain of all parties and judges together. It is 0, because vaults and stakes
// pay no fees.
func balance(r Summary) int64 {
	sum := int64(r.Worker.After) - int64(r.Worker.Before) + int64(r.Creator.After) - int64(r.Creator.Before)
	for _, b := range r.Judges {
		sum += int64(b.Earned) - int64(b.Slashed)
	}
	return sum + int64(r.Golden)
}

func benchOf(r Summary, result string) hearing.Bench {
	for _, b := range r.Judges {
		if b.Result == result {
			return b
		}
	}
	return hearing.Bench{}
}

const testSOL = client.Lamports(1_000_000_000)

// TestHappy: all judges see that the objection is untrue, the worker is paid, and each judge gets
// half a seat's fee from the loser's bond. One of them is a judge from outside. A second start in
// the same directory continues, without that judge.
func TestHappy(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t).Fast()
	l := &told{}
	c, err := Start(t.Context(), cfg, Deps{Tell: l.tell})
	if err != nil {
		t.Fatal(err)
	}
	leave, live, seen := join(t, c), follow(t, c), gaze(t, c)
	r := playOn(t, c)
	seen()
	watched(t, c, r, live())
	leave()
	if r.Verdict != "accept" || r.Outcome != "paid" || r.Rounds != 1 || r.Worker.change() != "+0.995 SOL" || r.Creator.change() != "-1.2 SOL" || r.Golden != 201*testSOL/1_000 {
		t.Errorf("%+v", r)
	}
	if m := benchOf(r, "majority"); m.Seats != 8 || m.Earned != 8*testSOL/2_000 || len(r.Judges) != 1 {
		t.Errorf("%+v", r.Judges)
	}
	if n := len(l.of("Revealed")); n != 8 {
		t.Errorf("%d lines of reveals", n)
	}
	first := c.Chain().Genesis()
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if !longtest.Wanted() {
		t.Log("NOT RUN: a second start, half of this test's time; make test runs it")
		return
	}

	again, l := begin(t, cfg.Rounds(time.Minute, time.Minute))
	l.after(7, "Committed", func() { // without the missing judge
		if err := again.Chain().Server().Warp(time.Minute); err != nil {
			t.Error(err)
		}
	})
	if again.Chain().Genesis() != first || len(l.of("StakeMoved")) != 0 {
		t.Error("the second start made another chain or staked again")
	}
	if next := playOn(t, again); next.Case == r.Case || next.Verdict != "accept" || benchOf(next, "absent").Seats != 1 {
		t.Errorf("%+v", next)
	}
	if err := again.Stop(); err != nil {
		t.Fatal(err)
	}
}

// join adds a judge from outside. It knows the court only by network.json and has only sockets. The
// returned function stops it.
func join(t *testing.T, c *Cluster) (leave func()) {
	t.Helper()
	d := descriptor(t, c)
	home, _, err := node.Init(t.TempDir(), d)
	if err != nil {
		t.Fatal(err)
	}
	m := &Member{Number: 8, Home: home}
	if err := c.treasury.seat(t.Context(), m, c.cfg.Stake, c.cfg.Purse); err != nil {
		t.Fatal(err)
	}
	cfg := c.cfg.Node
	cfg.P2P.Listen = []string{"/ip4/127.0.0.1/tcp/0"}
	if err := m.launch(t.Context(), cfg, node.Deps{}, c.log, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if err := c.Chain().Server().Warp(time.Duration(c.cfg.Params.SeasonSeconds) * time.Second); err != nil {
		t.Fatal(err)
	}
	err = c.poll(t.Context(), 50*time.Millisecond, func() (bool, error) { // the nodes begin the next season
		links, known := m.node.Peers()
		roster, _, err := c.treasury.client.Roster(t.Context())
		if err != nil {
			return false, err
		}
		i := roster.Find(home.Keys.Judge())
		return links >= c.cfg.Nodes && known >= c.cfg.Nodes && i >= 0 && roster.Entries[i].Weighs(), nil
	})
	if err != nil {
		t.Errorf("the node from outside did not find the others, or got no weight: %v", err)
	}
	return func() {
		if err := m.close(); err != nil {
			t.Error(err)
		}
	}
}

// descriptor reads network.json as a joining node does.
func descriptor(t *testing.T, c *Cluster) node.Descriptor {
	t.Helper()
	web := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := web.Get(c.Chain().RPC() + "/network.json")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	d, err := node.ParseDescriptor(raw)
	if err != nil || !d.Faucet || len(d.Bootstrap) == 0 || d.RPC != c.Chain().RPC() {
		t.Fatalf("%s: %v", raw, err)
	}
	return d
}

// TestAbsentAndContrary checks that a contrary judge earns what the others earn, that an absent one
// is slashed, and that they change nothing else.
func TestAbsentAndContrary(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t)
	cfg.Absent, cfg.Contrary = 1, 1
	c, l := begin(t, cfg)
	r := playOn(t, c)
	if r.Verdict != "accept" || r.Rounds != 1 || r.Seconds > 400 { // the clock was moved, because the time to commit is seven minutes
		t.Errorf("%+v", r)
	}
	if a, m := benchOf(r, "absent"), benchOf(r, "minority"); a.Seats != 1 || a.Slashed != testSOL/1_000 || m.Seats != 1 || m.Slashed != 0 || m.Earned != testSOL/2_000 {
		t.Errorf("%+v", r.Judges)
	}
	slashes := l.of(EventSeatSlashed)
	if len(slashes) != 1 {
		t.Fatalf("%+v", slashes)
	}
	if want := "Judge 07 was absent and loses 0.001 SOL of its stake."; slashes[0].Text != want {
		t.Error(slashes[0].Text)
	}
}

// TestNoQuorum: three of seven judges are absent, so no round has a quorum. The escrow is split,
// and half of each bond pays the last round's votes and the golden pot.
func TestNoQuorum(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t)
	cfg.Absent = 3
	c, l := begin(t, cfg)
	r := playOn(t, c)
	if r.Verdict != "undecided" || r.Outcome != "split" || r.Rounds != 2 || r.Worker.change() != "+0.4475 SOL" || r.Creator.change() != "-0.6 SOL" || r.Golden != 1_565*testSOL/10_000 {
		t.Errorf("%+v", r)
	}
	if a := benchOf(r, "absent"); a.Seats != 6 || a.Slashed != 6*testSOL/1_000 || benchOf(r, "voted").Seats != 8 || benchOf(r, "voted").Earned != 4*testSOL/2_000 {
		t.Errorf("%+v", r.Judges)
	}
	if n := len(l.of("RoundSettled")); n != 2 {
		t.Errorf("%d rounds told", n)
	}
}

// TestEquivocation checks that a judge that signs two statements loses its whole stake, which
// goes to the golden pot. The story tells it, not the log.
func TestEquivocation(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t)
	cfg.Equivocating = 1
	var log bytes.Buffer
	l := &told{}
	c, err := Start(t.Context(), cfg, Deps{Tell: l.tell, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	r := playOn(t, c)
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if len(l.of("Slashed")) != 1 || !strings.Contains(log.String(), "node=6") || strings.Contains(log.String(), "node=7") {
		t.Errorf("%+v\n%s", l.of("Slashed"), log.String())
	}
	if e := benchOf(r, "equivocated"); r.Verdict != "accept" || e.Seats != 1 || e.Slashed != 2*testSOL {
		t.Errorf("%+v", r)
	}
	if m := benchOf(r, "majority"); m.Seats != 6 || m.Earned != 6*testSOL/2_000 {
		t.Errorf("%+v", r.Judges)
	}
}

// TestAlone checks that a chain without nodes serves wallets and decides nothing.
func TestAlone(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Nodes = 0
	c, l := begin(t, cfg)
	if _, err := c.Play(t.Context()); err == nil {
		t.Error("a court without judges decided")
	}
	checkRules(t, c, cfg.Params)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if len(l.of(EventNote)) == 0 {
		t.Error("nothing was told")
	}
	cfg.Params.CommitSeconds++ // the existing chain gets other rules
	again, _ := begin(t, cfg)
	checkRules(t, again, cfg.Params)
}

func checkRules(t *testing.T, c *Cluster, want program.Params) {
	t.Helper()
	have, err := law.Read(t.Context(), c.treasury.client)
	if err != nil {
		t.Fatal(err)
	}
	if have.Now.Params != want || have.Next != nil {
		t.Errorf("%+v, want %+v", have.Now.Params, want)
	}
}

// TestFailures checks that every failure is reported, and that nothing keeps running.
func TestFailures(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	c, err := Start(t.Context(), cfg, Deps{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), cfg, Deps{}); err == nil {
		t.Error("two clusters in one directory")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Play(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("play: %v", err)
	}
	if err := c.Wait(ctx); err != nil {
		t.Errorf("wait: %v", err)
	}
	if err := c.chain.server.Bank().Close(); err != nil { // the chain fails under the nodes
		t.Fatal(err)
	}
	late, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := c.Wait(late); err == nil || !strings.Contains(err.Error(), "chain stopped") {
		t.Errorf("wait: %v", err)
	}
	if err := c.Stop(); err == nil {
		t.Error("a chain that failed was closed in order")
	}
}

func TestLineJSON(t *testing.T) {
	t.Parallel()
	e := &program.RoundSettled{Round: 2, Verdict: 1, Accept: 1 << 60, Seats: []program.SeatSettled{{Result: 4, Slashed: 7}}}
	raw, err := json.Marshal(Line{Event: e.EventName(), Data: fields(e)})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"accept":"1152921504606846976"`, `"verdict":"accept"`, `{"earned":"0","result":"absent","slashed":"7"}`, `"task":"11111111111111111111111111111111"`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("%s lacks %s", raw, part)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	good := testConfig(t)
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"dir":       func(c *Config) { c.Dir = "" },
		"nodes":     func(c *Config) { c.Nodes = maxNodes + 1 },
		"honest":    func(c *Config) { c.Absent, c.Contrary = 4, 3 },
		"negative":  func(c *Config) { c.Contrary = -1 },
		"stake":     func(c *Config) { c.Stake = 1 },
		"min_seats": func(c *Config) { c.Nodes = 3 },
		"p2p":       func(c *Config) { c.P2P = "localhost:1" },
		"parallel":  func(c *Config) { c.Parallel = 0 },
		"story":     func(c *Config) { c.Story = "romeo" },
		"holders":   func(c *Config) { c.Holders = 1 },
		"lying":     func(c *Config) { c.Story, c.Holders, c.Lying = StoryData, 4, 4 },
		"cooldown":  func(c *Config) { c.Params.CooldownSeconds = 1 },
	} {
		c := good
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
