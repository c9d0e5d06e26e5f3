package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/test/longtest"
)

// The answer of a holder takes almost two seconds over its link. A holder is cut off when it has
// sent a third of it. Before the request it sends less than a tenth of that; the test logs how
// much.
const (
	postBytes = 900 << 10
	linkKbit  = 4000
	midAnswer = 300 << 10
)

// TestHolderCutOff: a task names a source that three of seven judges hold, each a process in its
// own network namespace. Two of them are cut off in the middle of their answers: their links go
// silent, or their processes are killed. The other judges turn to the third holder within the round
// and vote on its answer, and the case file says who failed. The log shows how long they waited.
func TestHolderCutOff(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no holder was cut off")
		return
	}
	if !spaces(t) {
		return
	}
	t.Parallel()
	// A holder may also have been asked before it saw the draw, or dialled again after it was cut
	// off.
	common := []string{
		"did not answer in time", "was not waited for any longer", "was not connected within this node's time limit",
		"refused: the round is not live", "refused: the chain does not show that seat here yet",
	}
	binary := newProcesses(t).binary
	for i, c := range []struct {
		name      string
		killJudge func(*host) error
		reasons   []string
	}{
		{"silent link", func(h *host) error { return h.plug(false) }, common},
		{"killed process", func(h *host) error { return h.cmd.Process.Kill() }, append([]string{"ended the conversation", "cannot be reached"}, common...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newLANCourt(t, binary, i)
			p.brace()
			task := p.bring("post")
			p.mark()
			struck, at := p.killJudge(c.killJudge)
			p.replaced(at)
			p.until("the verdict", func() bool { return p.look(task).Status == "decided" })
			p.settled(task, struck)
			p.filed(task, struck, c.reasons)
		})
	}
}

// lanCourt is a court on a network. The hub has the chain and one judge. Each other judge has a
// machine of its own.
type lanCourt struct {
	*processes
	net     *lan
	holders []*host
	askers  []*host
}

// host is a judge's machine.
type host struct {
	*space
	self
	name   string
	home   string
	cmd    *exec.Cmd
	before int // bytes sent before the case was opened
}

func newLANCourt(t *testing.T, binary string, number int) *lanCourt {
	t.Helper()
	p := &lanCourt{net: newLAN(t, number)}
	p.processes = &processes{t: t, dir: t.TempDir(), binary: binary, url: "http://" + p.net.hub.ip + ":8899/network.json", begin: p.net.hub.start}
	chain := p.process("chain", "devnet", "--nodes", "1", "--commit", "30s", "--reveal", "10s", "--host", p.net.hub.ip, "--data", filepath.Join(p.dir, "court"))
	t.Cleanup(func() { p.kill(chain) })
	p.until("the chain", func() bool { return p.roster() == 1 })
	for i := range 3 {
		p.holders = append(p.holders, p.enter(fmt.Sprint("holder", i)))
		p.askers = append(p.askers, p.enter(fmt.Sprint("asker", i)))
	}
	for _, h := range p.holders {
		p.offer(h)
	}
	for _, h := range append(p.holders, p.askers...) {
		p.settle(h)
	}
	p.until("all have a weight", func() bool { return p.roster() == 7 })
	return p
}

// at returns the court as seen from a machine.
func (p *lanCourt) at(h *host) *processes {
	w := *p.processes
	w.begin = h.start
	return &w
}

// enter makes a machine, and a judge joins on it.
func (p *lanCourt) enter(name string) *host {
	p.t.Helper()
	h := &host{space: p.net.machine(), name: name, home: filepath.Join(p.dir, name)}
	h.cmd = p.at(h).process(name, "join", p.url, "--home", h.home, "--set", "voting.crank_step_seconds=1", "--log-level", "info")
	p.t.Cleanup(func() { p.kill(h.cmd) })
	return h
}

// offer makes a holder offer the posts of a site that only its machine can reach.
func (p *lanCourt) offer(h *host) {
	p.t.Helper()
	l, err := h.listen(8000)
	if err != nil {
		p.t.Fatal(err)
	}
	post, err := json.Marshal(map[string]string{"id": "1843", "author": "worker", "text": "Osiris is live.", "comments": strings.Repeat("Indeed. ", postBytes/8)})
	if err != nil {
		p.t.Fatal(err)
	}
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(post); err != nil {
			return // the holder was killed
		}
	})}
	go func() {
		if err := site.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			p.t.Errorf("the site ended: %v", err)
		}
	}()
	p.t.Cleanup(func() {
		if err := site.Close(); err != nil {
			p.t.Error(err)
		}
	})
	p.at(h).must("source", "add", "site.post", "--http", "http://"+l.Addr().String()+"/posts/{id}", "--allow-private", "--request", `{"id":"1843"}`, "--home", h.home)
}

// settle waits until a judge is on the roster and its node knows all others.
func (p *lanCourt) settle(h *host) {
	p.t.Helper()
	p.until(h.name+" is a judge", func() bool {
		p.show(&h.self, "judge", "status", "--home", h.home)
		return h.State == "active"
	})
	p.until(h.name+" knows all others", func() bool {
		var status struct{ Peers, Registered int }
		raw, err := h.api("/v1/status")
		return err == nil && json.Unmarshal([]byte(raw), &status) == nil && status.Peers >= 6 && status.Registered >= 6
	})
}

// api asks the node's API.
func (h *host) api(path string) (string, error) {
	at, err := os.ReadFile(filepath.Join(h.home, "api"))
	if err != nil {
		return "", err
	}
	return h.get("http://" + strings.TrimSpace(string(at)) + path)
}

// brace slows the holders' links down.
func (p *lanCourt) brace() {
	p.t.Helper()
	for _, h := range p.holders {
		if err := h.slow(linkKbit); err != nil {
			p.t.Fatal(err)
		}
	}
}

// mark notes how much the holders have sent so far.
func (p *lanCourt) mark() {
	p.t.Helper()
	for _, h := range p.holders {
		h.before += p.gave(h)
	}
}

// gave returns how many bytes a holder has sent since mark.
func (p *lanCourt) gave(h *host) int {
	p.t.Helper()
	n, err := h.sent()
	if err != nil {
		p.t.Fatal(err)
	}
	return n - h.before
}

// killJudge waits until two holders have sent a part of their answers, and then strikes both.
func (p *lanCourt) killJudge(how func(*host) error) (struck []*host, at time.Time) {
	p.t.Helper()
	p.until("two holders in the middle of an answer", func() bool {
		struck = slices.DeleteFunc(slices.Clone(p.holders), func(h *host) bool { return p.gave(h) < midAnswer })
		return len(struck) >= 2
	})
	struck = struck[:2]
	at = time.Now()
	for _, h := range struck {
		if err := how(h); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, h := range p.holders {
		if slices.Contains(struck, h) {
			p.t.Logf("%s was struck when it had sent %d of the %d bytes of an answer", h.name, p.gave(h), postBytes)
		} else if err := h.fast(); err != nil {
			p.t.Fatal(err)
		}
	}
	return struck, at
}

// replaced waits until every asker has an answer, and logs how long that took.
func (p *lanCourt) replaced(since time.Time) {
	p.t.Helper()
	answered := regexp.MustCompile(`ojud_exchange_asked_holders_total\{result="answered"\} [1-9]`)
	for _, h := range p.askers {
		p.until(h.name+" has an answer", func() bool {
			metrics, err := h.api("/metrics")
			return err == nil && answered.MatchString(metrics)
		})
		p.t.Logf("%s had the answer of another holder %.1f s after the strike", h.name, time.Since(since).Seconds())
	}
}

// settled checks that all judges that were not struck decided the case in its first round.
func (p *lanCourt) settled(task string, struck []*host) {
	p.t.Helper()
	var c struct {
		Round   int    `json:"round"`
		Verdict string `json:"verdict"`
		Seats   []struct {
			Judge   string `json:"judge"`
			Result  string `json:"result"`
			Slashed uint64 `json:"slashed,string"`
		} `json:"seats"`
	}
	p.show(&c, "case", "show", task)
	if c.Round != 1 || c.Verdict != "accept" || len(c.Seats) != 7 {
		p.t.Errorf("verdict %s in round %d of %d seats, want accept in round 1 of 7", c.Verdict, c.Round, len(c.Seats))
	}
	for _, s := range c.Seats {
		want := "majority"
		if slices.ContainsFunc(struck, func(h *host) bool { return h.Judge == s.Judge }) {
			want = "absent"
		}
		if s.Result != want || (s.Slashed > 0) != (want == "absent") {
			p.t.Errorf("judge %s: %s, slashed by %d lamports; want %s", s.Judge, s.Result, s.Slashed, want)
		}
	}
}

// filed checks the case file of an asker: it verifies, all votes rest on answers of holders that
// were not struck, and it gives the reason for each missing answer.
func (p *lanCourt) filed(task string, struck []*host, reasons []string) {
	p.t.Helper()
	file, from := filepath.Join(p.dir, "x.case.json"), p.askers[0]
	p.at(from).must("case", "export", task, "--home", from.home, "--output", file)
	p.must("case", "verify", file, "--chain")
	raw, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	var bundle struct {
		Events []casefile.Event `json:"events"`
	}
	if err := json.Unmarshal(raw, &bundle); err != nil {
		p.t.Fatal(err)
	}
	votes, failures := 0, 0
	for _, e := range bundle.Events {
		switch e.Kind {
		case casefile.KindVote:
			votes++
			p.rests(e, struck)
		case casefile.KindData:
			failures += p.failed(e, struck, reasons)
		}
	}
	if votes != 5 || failures == 0 {
		p.t.Errorf("the case file has %d votes, want 5, and says %d times that somebody who was cut off gave nothing", votes, failures)
	}
}

// find returns the host with this DID, or nil.
func find(hosts []*host, did casefile.DID) *host {
	for _, h := range hosts {
		if h.NodeID == did.String() {
			return h
		}
	}
	return nil
}

// rests checks the answers that a vote rests on.
func (p *lanCourt) rests(e casefile.Event, struck []*host) {
	p.t.Helper()
	var b casefile.VoteBody
	if err := json.Unmarshal(e.Body, &b); err != nil {
		p.t.Fatal(err)
	}
	if len(b.Vote.DataAccessed) == 0 {
		p.t.Errorf("the vote of %s rests on no data", e.Actor)
	}
	for _, a := range b.Vote.DataAccessed {
		if a.AgentID != nil && find(struck, *a.AgentID) != nil {
			p.t.Errorf("the vote of %s rests on %s, who was cut off", e.Actor, a.AgentID)
		}
	}
}

// failed counts the entries in which a judge reports no answer from a struck holder, and checks the
// reasons.
func (p *lanCourt) failed(e casefile.Event, struck []*host, reasons []string) (n int) {
	p.t.Helper()
	var b casefile.DataBody
	if err := json.Unmarshal(e.Body, &b); err != nil {
		p.t.Fatal(err)
	}
	for _, f := range b.Failures {
		if f.Holder == nil || find(struck, *f.Holder) == nil {
			continue
		}
		n++
		p.t.Logf("%s says that %s %s, and has %d answers", e.Actor, find(struck, *f.Holder).name, f.Reason, len(b.Receipts))
		if !slices.Contains(reasons, f.Reason) {
			p.t.Errorf("%s says of %s: %s; want one of %q", e.Actor, f.Holder, f.Reason, reasons)
		}
	}
	return n
}
