package process

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// laboratory is a court of real processes that a test disturbs. One process runs the chain and a
// judge. Each seat has a process of its own.
type laboratory struct {
	*processes
	rules   []string // arguments of the chain's command line
	host    string   // address of the chain; empty: loopback
	data    string   // directory of the chain; empty: in dir
	seats   []*seat
	names   map[string]*seat // by authority
	byCode  bool             // judges that are added judge by code
	parties bool             // the parties are registered
	signed  ballots
	closing atomic.Bool // no new cases: a failed command is not retried
	abandon func()      // ends the commands that still wait for the chain
	mu      sync.Mutex
	over    map[string]time.Time // by the key of the task, in hex
}

// seat is a judge with its process.
type seat struct {
	court  *laboratory
	name   string
	home   string
	judge  string // authority, base58
	key    voting.Key
	plan   plan
	env    []string
	cmd    *exec.Cmd
	at     place
	orders io.WriteCloser
	said   chan string // output of the process, closed when it ends
	since  time.Time   // start of the process
	mu     sync.Mutex
	up     time.Duration     // from the start of the process until its node is open; 0: not yet
	voted  time.Duration     // until its first vote
	kept   map[string][]byte // own votes on its disk at the last look
}

// place is a machine or network where processes run.
type place interface {
	start(cmd *exec.Cmd) error
	browser() *http.Client
}

// habits are the flags for a court of seconds, as in ojud devnet --fast.
var habits = []string{
	"voting.crank_step_seconds=1", "voting.catch_up_interval_seconds=1", "voting.retry_min_seconds=1", "voting.retry_max_seconds=4", "voting.opinion_margin_seconds=3", "voting.relay_margin_seconds=4",
	"voting.landed_timeout_seconds=5", "voting.slot_milliseconds=200", "voting.new_journal_margin_seconds=1", "ledger.watch.poll_interval=1s", "ledger.watch.sweep_interval=5s", "ledger.watch.rescan_interval=5s",
	"ledger.send.status_interval=200ms", "ledger.send.rebroadcast_interval=1s", "sync.interval=500ms", "sync.gossip_after=300ms", "sync.request_timeout=1500ms", "sync.twin_wait=1s",
	"p2p.registry.sync_interval=2s", "p2p.registry.save_interval=500ms",
}

// newLaboratory starts a court on loopback with so many seats besides the chain's.
func newLaboratory(t *testing.T, seats int, rules ...string) *laboratory {
	t.Helper()
	c := emptyLaboratory(t, rules...)
	c.connect()
	c.openChain()
	for i := range seats {
		c.addJudge(fmt.Sprint("j", i+1), "", nil)
	}
	c.gather()
	return c
}

// emptyLaboratory returns a court without processes.
func emptyLaboratory(t *testing.T, rules ...string) *laboratory {
	t.Helper()
	c := &laboratory{processes: &processes{t: t, dir: t.TempDir(), binary: built(t)}, rules: rules, names: map[string]*seat{}, signed: ballots{}, over: map[string]time.Time{}}
	c.quit, c.abandon = context.WithCancel(t.Context())
	t.Cleanup(func() {
		c.abandon()
		for _, s := range c.seats {
			s.end()
			if c.t.Failed() {
				c.t.Logf("%s:\n%s", s.name, s.tail())
			}
		}
		c.processes.kill(c.chain)
	})
	return c
}

// connect chooses ports on loopback.
func (c *laboratory) connect() {
	c.t.Helper()
	c.rpc, c.p2p = freePort(c.t), freePort(c.t)
	c.url = fmt.Sprintf("http://127.0.0.1:%d/network.json", c.rpc)
}

// openChain starts the chain. If it ran before, it continues.
func (c *laboratory) openChain() {
	c.t.Helper()
	if !c.opensChain(patience) {
		c.t.Fatal("the chain does not start")
	}
}

// opensChain starts the chain and reports whether it answers.
func (c *laboratory) opensChain(limit time.Duration) bool {
	c.t.Helper()
	c.chain = c.process("chain", append([]string{"devnet", "--fast", "--commit", "12s", "--reveal", "8s", "--nodes", "1", "--data", cmp.Or(c.data, filepath.Join(c.dir, "court")),
		"--rpc-port", fmt.Sprint(c.rpc), "--p2p-port", fmt.Sprint(c.p2p), "--host", cmp.Or(c.host, "127.0.0.1")}, c.rules...)...)
	return holds(limit, func() bool {
		_, err := c.run("judge", "list", "--network", c.url)
		return err == nil
	})
}

// addJudge makes a judge and starts its node at a place. A nil place is that of the court.
func (c *laboratory) addJudge(name, home string, at place, set ...string) *seat {
	c.t.Helper()
	if home == "" {
		home = filepath.Join(c.dir, name)
	}
	s := &seat{court: c, name: name, home: home, at: at, kept: map[string][]byte{}}
	s.plan = plan{Home: home, Code: c.byCode, Set: append(slices.Clone(habits), set...), Wire: filepath.Join(c.dir, name+".wire")}
	there := *c.processes
	if at != nil {
		there.begin = at.start
	}
	there.must("join", c.url, "--home", home, "--no-run", "--stake", "8sol")
	var self struct{ Judge string }
	c.show(&self, "judge", "status", "--home", home)
	s.judge, s.key = self.Judge, keyOf(c.t, self.Judge)
	c.seats, c.names[s.judge] = append(c.seats, s), s
	s.start()
	return s
}

// gather waits until every seat has a weight, and a link to all others.
func (c *laboratory) gather() {
	c.t.Helper()
	for _, s := range c.seats {
		c.until(s.name+" knows all others", func() bool { return s.links() >= len(c.seats) })
	}
	c.until("all have a weight", func() bool { return c.roster() > len(c.seats) })
}

// links returns the number of judges that the node is connected to, or −1 without an answer.
func (s *seat) links() int {
	var status struct{ Peers int }
	if raw, err := s.api("/v1/status"); err != nil || json.Unmarshal([]byte(raw), &status) != nil {
		return -1
	}
	return status.Peers
}

// api asks the node's HTTP API.
func (s *seat) api(path string) (string, error) {
	at, err := os.ReadFile(filepath.Join(s.home, "api"))
	if err != nil {
		return "", err
	}
	return s.court.fetch(s, "http://"+strings.TrimSpace(string(at))+path)
}

// start starts the node.
func (s *seat) start() {
	s.court.t.Helper()
	if err := s.launch(); err != nil {
		s.court.t.Fatalf("%s: %v", s.name, err)
	}
}

func (s *seat) launch() error {
	raw, err := json.Marshal(s.plan)
	if err != nil {
		return err
	}
	cmd := exec.Command(testBinary(s.court.t))
	cmd.Env = append(append(os.Environ(), role+"="+roleJudge, planVar+"="+string(raw)), s.env...)
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.since, s.said, s.orders, s.cmd = time.Now(), make(chan string, 64), in, cmd
	s.mu.Lock()
	s.up, s.voted = 0, 0
	s.mu.Unlock()
	begin := s.court.start
	if s.at != nil {
		begin = s.at.start
	}
	if err := errors.Join(begin(cmd), log.Close()); err != nil {
		s.cmd = nil
		return err
	}
	go s.hear(out, s.said, s.since)
	return nil
}

func (s *seat) log() string { return filepath.Join(s.court.dir, s.name+".log") }

// hear reads the output of the process.
func (s *seat) hear(out io.Reader, said chan<- string, since time.Time) {
	defer close(said)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		switch text := lines.Text(); text {
		case "up":
			s.mu.Lock()
			s.up = time.Since(since)
			s.mu.Unlock()
		case "votes":
			s.mu.Lock()
			s.voted = time.Since(since)
			s.mu.Unlock()
		default:
			said <- text
		}
	}
}

// order gives the process an order. It drops other output until the answer.
func (s *seat) order(what string) {
	s.court.t.Helper()
	if _, err := fmt.Fprintln(s.orders, what); err != nil {
		s.court.t.Fatalf("%s: %s: %v\n%s", s.name, what, err, s.tail())
	}
	for {
		select {
		case text, ok := <-s.said:
			if text == "done" {
				return
			}
			if !ok {
				s.court.t.Fatalf("%s: %s: it has ended\n%s", s.name, what, s.tail())
			}
		case <-time.After(patience):
			s.court.t.Fatalf("%s: %s: no answer\n%s", s.name, what, s.tail())
		}
	}
}

// reached waits until the process is at an armed point.
func (s *seat) reached(point string) {
	s.court.t.Helper()
	select {
	case text, ok := <-s.said:
		if !ok || text != "at "+point {
			s.court.t.Fatalf("%s says %q, want %q\n%s", s.name, text, "at "+point, s.tail())
		}
	case <-time.After(patience):
		s.court.t.Fatalf("%s: not in %s: at %s\n%s", s.name, patience, point, s.tail())
	}
}

func (s *seat) tail() string {
	raw, err := os.ReadFile(s.log())
	if err != nil {
		return err.Error()
	}
	return string(tail(raw))
}

// kill ends the node with SIGKILL and checks its disk.
func (s *seat) kill() {
	s.court.t.Helper()
	s.end()
	s.look()
}

// end ends the process, if it runs.
func (s *seat) end() {
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.court.t.Errorf("%s: %v", s.name, err)
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		s.court.t.Errorf("%s ended by itself: %v\n%s", s.name, err, s.tail())
	}
	s.cmd = nil
}

// fell ends a node that may have ended already.
func (s *seat) fell() {
	s.court.t.Helper()
	if err := fall(s.cmd); err != nil {
		s.court.t.Fatal(err)
	}
	s.cmd = nil
}

func fall(cmd *exec.Cmd) error {
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

// look checks that every own vote of earlier looks is still on the disk, and collects the
// statements that the node signed.
func (s *seat) look() {
	s.court.t.Helper()
	now := s.own()
	for name := range maps.Keys(s.kept) {
		if string(now[name]) != string(s.kept[name]) && !s.court.outlived(name) {
			s.court.t.Errorf("%s: the own vote %s was on the disk and is gone or another", s.name, name)
		}
	}
	s.kept = now
	s.court.collect(s)
}

// outlived reports whether a vote has no effect any more, because its case ended a minute ago and
// the evidence time is over.
func (c *laboratory) outlived(name string) bool {
	c.t.Helper()
	task := name[:2*len(voting.Key{})]
	end, over := c.sawOver(task)
	if !over { // the end was not seen yet
		key, err := hex.DecodeString(task)
		if err != nil {
			c.t.Fatal(err)
		}
		c.now(onchain.Address(key).String())
		end, over = c.sawOver(task)
	}
	return over && time.Since(end) > evidence-5*time.Second
}

// sawOver returns when the test saw a case end, by the key of its task in hex.
func (c *laboratory) sawOver(task string) (at time.Time, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, over = c.over[task]
	return at, over
}

// sawEnd notes when a case ended.
func (c *laboratory) sawEnd(task string, at int64) {
	key := keyOf(c.t, task)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over[hex.EncodeToString(key[:])] = time.Unix(at, 0)
}

// evidence is the time in which the chain of ojud devnet --fast takes evidence after a case. Then a
// node forgets its votes.
const evidence = 60 * time.Second

// own returns the second copies of own votes in the home.
func (s *seat) own() map[string][]byte {
	s.court.t.Helper()
	out := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(s.home, "journal", "own", "*.vote"))
	if err != nil {
		s.court.t.Fatal(err)
	}
	for _, p := range paths {
		if out[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			s.court.t.Fatal(err)
		}
	}
	return out
}

// image copies the home of a node that does not run. putBack replaces the home by the copy.
func (s *seat) image() string {
	s.court.t.Helper()
	to, err := os.MkdirTemp(s.court.dir, s.name+"-image-")
	if err == nil {
		err = os.Mkdir(filepath.Join(to, "home"), 0o700)
	}
	if err == nil {
		err = copyInto(filepath.Join(to, "home"), s.home)
	}
	if err != nil {
		s.court.t.Fatal(err)
	}
	return filepath.Join(to, "home")
}

func (s *seat) putBack(image string) {
	s.court.t.Helper()
	if err := emptyDir(s.home); err != nil {
		s.court.t.Fatal(err)
	}
	if err := copyInto(s.home, image); err != nil {
		s.court.t.Fatal(err)
	}
	s.kept = s.own()
}

// wipe removes the home except its keys and the name of the court, as if only the disk were lost.
func (s *seat) wipe() {
	s.court.t.Helper()
	for _, name := range []string{"journal", "blobs", "registry.json", "api"} {
		if err := os.RemoveAll(filepath.Join(s.home, name)); err != nil {
			s.court.t.Fatal(err)
		}
	}
	s.kept = map[string][]byte{}
}

// emptyDir removes the content of a folder but keeps the folder, because it may be a mounted disk.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// copyInto copies the content of a folder into another, with permissions, because a node refuses
// keys that others may read.
func copyInto(to, from string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Mkdir(filepath.Join(to, rel), info.Mode().Perm())
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), raw, info.Mode().Perm())
	})
}

// open brings a dispute before the court. It registers the creator and the worker the first time.
func (c *laboratory) open() (task string) {
	c.t.Helper()
	task, err := c.tryOpen()
	if err != nil {
		c.t.Fatal(err)
	}
	return task
}

// tryOpen is open, but returns an error. It retries for a while, because the chain may be down.
func (c *laboratory) tryOpen() (task string, err error) {
	creator, worker, files := filepath.Join(c.dir, "creator.json"), filepath.Join(c.dir, "worker.json"), "../../examples/eleptiger/"
	vaults := map[string]string{creator: "60sol", worker: "5sol"}
	for key, deposit := range vaults {
		if c.parties {
			break
		}
		err := errors.Join(c.insist("agent", "register", "--create-key", "--airdrop", "--deposit", deposit, "--key", key),
			c.insist("airdrop", "50sol", "--key", key)) // for the rent of hundreds of tasks and cases
		if err != nil {
			return "", err
		}
	}
	c.parties = true
	var made struct {
		Task struct {
			Task string `json:"task"`
		} `json:"task"`
	}
	for n := 0; made.Task.Task == ""; n++ {
		out, err := c.run("task", "create", files+"eleptiger.task.json", "--reward", "0.1sol", "--key", creator, "--json")
		if err == nil {
			err = json.Unmarshal([]byte(lastLine(out)), &made)
		}
		if err != nil && (n > 20 || c.closing.Load()) {
			return "", fmt.Errorf("task create: %w: %s", err, out)
		}
		if err != nil {
			<-time.After(300 * time.Millisecond) // wait for a killed chain to come back
		}
	}
	task = made.Task.Task
	return task, errors.Join(
		c.insist("task", "claim", task, "--start", "--yes", "--key", worker), c.insist("task", "submit", task, files+"good.result.json", "--key", worker),
		c.insist("task", "object", task, "--file", files+"untrue.objection.json", "--key", creator),
		c.insist("task", "counter-object", task, "--file", files+"counter.json", "--key", worker))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// insist retries a command that may be repeated.
func (c *laboratory) insist(args ...string) error {
	for n := 0; ; n++ {
		out, err := c.run(args...)
		if err == nil {
			return nil
		}
		if n > 20 || c.closing.Load() {
			return fmt.Errorf("ojud %s: %w: %s", strings.Join(args, " "), err, out)
		}
		<-time.After(300 * time.Millisecond)
	}
}
