package process

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	court "ojud/node/client"
	"ojud/test/longtest"
)

const (
	marketSeats    = 4  // judges besides that of the chain
	marketOrders   = 11 // of the three creators of the demo
	marketPatience = 60 // seconds; longer than the cut, in which nobody can claim
	marketCut      = 20 * time.Second
)

// marketTrial is the market demo with its agents in a process of their own. The chain and a judge,
// each further judge, and the agents have machines of their own on one network.
type marketTrial struct {
	*laboratory
	links  *ethernetSwitch
	at     *space // of the agents
	plan   marketPlan
	cmd    *exec.Cmd
	said   chan marketLine
	log    io.Writer
	last   *marketLine // with the report
	random *rand.Rand
}

func newMarketTrial(t *testing.T, number int) *marketTrial {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c, e := newLANLaboratory(t, number, 0, []string{"--commit", "60s", "--reveal", "40s"})
	c.byCode = true
	m := &marketTrial{laboratory: c, links: e, random: rand.New(rand.NewPCG(seed, 0))}
	for i := range marketSeats {
		c.addJudge(fmt.Sprint("j", i+1), "", e.machine())
	}
	c.gather()
	m.at = e.machine()
	m.plan = marketPlan{Network: filepath.Join(c.dir, "network.json"), Dir: filepath.Join(c.dir, "market"), Judges: 1 + marketSeats, Patience: marketPatience}
	raw, err := read(e.ports[0].browser().Get(c.url))
	if err == nil {
		err = os.WriteFile(m.plan.Network, []byte(raw), 0o600)
	}
	log, err2 := os.Create(filepath.Join(c.dir, "market.log"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	m.log = log
	t.Cleanup(func() {
		if m.cmd != nil {
			c.processes.kill(m.cmd)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
		if raw, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the agents:\n%s", raw)
		}
	})
	return m
}

// open starts the agents.
func (m *marketTrial) open() {
	m.t.Helper()
	raw, err := json.Marshal(m.plan)
	if err != nil {
		m.t.Fatal(err)
	}
	m.cmd = exec.Command(testBinary(m.t))
	m.cmd.Env = append(os.Environ(), role+"="+roleMarket, planVar+"="+string(raw))
	m.cmd.Stderr = m.log
	out, err := m.cmd.StdoutPipe()
	if err == nil {
		err = m.at.start(m.cmd)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.said = make(chan marketLine)
	go func(said chan<- marketLine) {
		defer close(said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var l marketLine
			if json.Unmarshal(lines.Bytes(), &l) == nil { // a kill may cut the last one
				said <- l
			}
		}
	}(m.said)
}

// hear hears so many lines, or for so long. It reports whether the agents are still at work.
func (m *marketTrial) hear(lines int, limit time.Duration) (texts []string, works bool) {
	m.t.Helper()
	for end := time.After(limit); len(texts) < lines; {
		select {
		case l, ok := <-m.said:
			if !ok {
				return texts, false
			}
			if l.Report != nil {
				m.last = &l
			}
			texts = append(texts, l.Text)
			_, _ = fmt.Fprintln(m.log, time.Now().Format("15:04:05.0"), l.Text) // for people alone
		case <-end:
			return texts, true
		}
	}
	return texts, true
}

// strike kills the agents with -9 after so many lines and a moment, and starts them again.
func (m *marketTrial) strike(lines int, limit time.Duration) {
	m.t.Helper()
	texts, works := m.hear(lines, limit)
	if works {
		_, works = m.hear(1_000_000, time.Duration(m.random.Int64N(int64(700*time.Millisecond))))
	}
	if !works {
		m.t.Fatalf("the agents ended before they were killed, %d lines after the last fault", len(texts))
	}
	m.processes.kill(m.cmd)
	for range m.said { // what it said at last
	}
	_, _ = fmt.Fprintln(m.log, time.Now().Format("15:04:05.0"), "=== killed")
	m.t.Logf("killed %d lines after the last fault; tasks: %v", len(texts), m.statuses())
}

// cut cuts every link for 20 s, and may kill the agents meanwhile.
func (m *marketTrial) cut(kill bool) {
	m.t.Helper()
	m.t.Logf("cut; tasks: %v", m.statuses())
	m.links.everywhere(func(r *rule) { r.cut = true })
	_, _ = fmt.Fprintln(m.log, time.Now().Format("15:04:05.0"), "=== cut")
	end := time.Now().Add(marketCut)
	if kill {
		m.strike(1_000_000, time.Duration(m.random.Int64N(int64(marketCut/2))))
		m.open()
	}
	for _, at := range []*space{m.at, m.links.ports[1].space} {
		if body, err := at.get(m.url); err == nil {
			m.t.Errorf("%s reaches the chain in spite of the cut: %s", at.ip, body)
		}
	}
	if _, works := m.hear(1_000_000, time.Until(end)); !works {
		m.t.Fatal("the agents ended during the cut")
	}
	if err := m.links.heal(); err != nil {
		m.t.Fatal(err)
	}
	_, _ = fmt.Fprintln(m.log, time.Now().Format("15:04:05.0"), "=== healed")
}

// tasks returns all tasks of the court.
func (m *marketTrial) tasks() (all []court.TaskView) {
	m.t.Helper()
	out, err := m.run("task", "list", "--all", "--brief", "--json")
	if err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(out) {
		var v court.TaskView
		if strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				m.t.Fatal(err)
			}
			all = append(all, v)
		}
	}
	return all
}

func (m *marketTrial) statuses() map[string]int {
	m.t.Helper()
	out := map[string]int{}
	for _, v := range m.tasks() {
		out[v.Status]++
	}
	return out
}

// twice returns what agents did twice, or too often.
func (m *marketTrial) twice() (out []string) {
	m.t.Helper()
	all, orders := m.tasks(), map[string]int{}
	for _, v := range all {
		if orders[v.Creator+v.TaskHash]++; orders[v.Creator+v.TaskHash] > 1 {
			out = append(out, fmt.Sprintf("%s was posted again as %s", v.TaskHash, v.Task))
		}
	}
	if len(all) != marketOrders {
		out = append(out, fmt.Sprintf("%d tasks for %d orders", len(all), marketOrders))
	}
	for _, v := range all {
		did := m.landed(v.Task)
		one := map[bool]int{true: 1}
		for step, want := range map[string]int{"create_task": 1, "claim_task": one[v.Worker != ""], "submit_result": one[v.SubmittedAt != 0], "object": one[v.ObjectionHash != ""], "counter_object": one[v.CounterHash != ""]} {
			if did[step] != want {
				out = append(out, fmt.Sprintf("%s: %d times %s, want %d", v.Task, did[step], step, want))
			}
		}
		if did["accept"]+did["cancel_task"] > 1 || did["release_task"] > 0 {
			out = append(out, fmt.Sprintf("%s: %v", v.Task, did))
		}
	}
	return out
}

// landed counts the transactions of a task that succeeded, by instruction.
func (m *marketTrial) landed(task string) map[string]int {
	m.t.Helper()
	var all []struct {
		Signature string
		Err       json.RawMessage
	}
	m.rpcCall(&all, "getSignaturesForAddress", task, map[string]any{"commitment": "confirmed", "limit": 1000})
	out := map[string]int{}
	for _, s := range all {
		if len(s.Err) > 0 && string(s.Err) != "null" {
			continue
		}
		var tx struct{ Transaction []string }
		m.rpcCall(&tx, "getTransaction", s.Signature, map[string]any{"commitment": "confirmed", "encoding": "base64", "maxSupportedTransactionVersion": 1})
		raw, err := base64.StdEncoding.DecodeString(tx.Transaction[0])
		if err != nil {
			m.t.Fatal(err)
		}
		for _, step := range []string{"create_task", "claim_task", "release_task", "submit_result", "accept", "cancel_task", "object", "counter_object"} {
			if mark := sha256.Sum256([]byte("global:" + step)); bytes.Contains(raw, mark[:8]) {
				out[step]++
			}
		}
	}
	return out
}

// rpcCall asks the chain, from its own machine.
func (m *marketTrial) rpcCall(into any, method string, params ...any) {
	m.t.Helper()
	q, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://%s:%d", m.host, m.rpc), bytes.NewReader(q))
	if err != nil {
		m.t.Fatal(err)
	}
	ask.Header.Set("Content-Type", "application/json")
	text, err := read(m.links.ports[0].browser().Do(ask))
	var said struct{ Result, Error json.RawMessage }
	if err == nil {
		err = json.Unmarshal([]byte(text), &said)
	}
	if err == nil && said.Error == nil {
		err = json.Unmarshal(said.Result, into)
	}
	if err != nil || said.Error != nil {
		m.t.Fatalf("%s: %v: %s", method, err, text)
	}
}

// lamports returns the sum of all accounts.
func (m *marketTrial) lamports() uint64 {
	m.t.Helper()
	var supply struct{ Value struct{ Total uint64 } }
	m.rpcCall(&supply, "getSupply", map[string]any{"commitment": "processed"})
	return supply.Value.Total
}

// TestMarketCut kills the process in which the agents of the market demo live with -9, twice at
// random points, and cuts every link between agents, judges and chain for 20 s. In the end all
// orders are posted, done, and paid or disputed as in the demo; nothing was posted, claimed, handed
// in or paid twice; and no lamport is lost. make market plays it MARKETS (10) times.
func TestMarketCut(t *testing.T) {
	longtest.Only(t)
	if !spaces(t) {
		return
	}
	t.Parallel()
	m := newMarketTrial(t, 20)
	before, began := m.lamports(), time.Now()
	m.open()
	m.strike(m.random.IntN(35), patience)
	m.open()
	if texts, works := m.hear(5+m.random.IntN(20), patience); !works {
		t.Fatalf("the agents ended before the cut: %v", texts)
	}
	during := m.random.IntN(2) == 0
	m.cut(during)
	if !during {
		m.strike(m.random.IntN(15), patience)
		m.open()
	}
	for works := true; works; {
		_, works = m.hear(1, 2*patience)
	}
	if err := m.cmd.Wait(); err != nil || m.last == nil {
		t.Fatalf("the agents ended: %v", err)
	}
	m.cmd = nil
	if m.last.Fault != "" {
		t.Error(m.last.Fault)
	}
	for _, what := range m.twice() {
		t.Error(what)
	}
	if after := m.lamports(); before != after {
		t.Errorf("the chain had %d lamports before and %d after", before, after)
	}
	var table strings.Builder
	if _, err := m.last.Report.WriteTo(&table); err != nil {
		t.Error(err)
	}
	t.Logf("over after %s\n%s", time.Since(began).Round(time.Second), table.String())
}

// TestMarketCutControl kills agents whose folders are lost with them, except their keys. The trial
// must find that orders are posted again.
func TestMarketCutControl(t *testing.T) {
	longtest.Only(t)
	if !spaces(t) {
		return
	}
	t.Parallel()
	m := newMarketTrial(t, 21)
	m.open()
	for len(m.tasks()) == 0 {
		m.hear(5, time.Second)
	}
	m.strike(1, patience)
	lost, err := filepath.Glob(filepath.Join(m.plan.Dir, "agents", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lost {
		if filepath.Base(path) == "key.json" {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	m.open()
	for end := time.Now().Add(patience); len(m.twice()) == 0 || len(m.tasks()) < marketOrders; {
		if _, works := m.hear(1_000_000, time.Second); !works || time.Now().After(end) {
			t.Fatal("nothing was posted twice although the agents forgot all")
		}
	}
}
