package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/casefile/casetest"
	"ojud/casefile/picture"
	"ojud/casefile/reading"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/node/market"
	"ojud/node/status"
	"ojud/test/longtest"
	"ojud/voting"
)

// stage is a Scenery for tests.
type stage struct {
	mu      sync.Mutex
	claims  map[string][]string
	court   Court
	cases   map[voting.Key]picture.Scene
	changed chan struct{}
	files   map[voting.Key][]byte // case files
	found   []status.Finding
	fault   error // of the chain

	followed map[voting.Key]picture.Scene // that Glance returns
	still    string
	market   market.Market
	thinking thinking
	requests []DataRequest
	agents   int
	card     *agentcard.Signed // of agent 17
	asked    int               // for the market
	read     int               // calls of Case
}

func newStage() *stage {
	return &stage{
		court: Court{State: status.Status{Network: "test", Seen: status.Seen{Time: 1_000}}, Chain: onchain.Hash{1}, Roster: &program.Roster{}},
		cases: map[voting.Key]picture.Scene{}, changed: make(chan struct{}),
	}
}

func (s *stage) Court() Court {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.court
	for task := range s.cases {
		c.Cases = append(c.Cases, task)
	}
	return c
}

func (s *stage) Case(task voting.Key) (picture.Scene, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read++
	if scene, ok := s.cases[task]; ok {
		return scene, nil
	}
	return picture.Scene{}, casefile.ErrNoCase
}

func (s *stage) Market(context.Context) (market.Market, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.market, s.fault
}

func (s *stage) Brain() Thoughts { return &s.thinking }

func (s *stage) Requests(context.Context) ([]DataRequest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.fault
}

func (s *stage) Agents(context.Context) (d agents.Directory, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.agents {
		d.Agents = append(d.Agents, agents.Profile{Agent: &program.Agent{Authority: onchain.Address{byte(i), byte(i >> 8), 4}, TasksPaid: uint32(i), CasesLost: 2, RegisteredAt: 1_000, CardHash: voting.Hash{byte(i)}}, NoCard: "no node has sent this card yet"})
	}
	if s.card != nil {
		d.Agents[17].Card, d.Agents[17].NoCard = s.card, ""
	}
	return d, s.fault
}

func (s *stage) Glance(task voting.Key) (picture.Scene, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scene, ok := s.followed[task]
	return scene, ok
}

func (s *stage) Claims() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claims
}

func (s *stage) Still() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.still
}

func (s *stage) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *stage) Export(_ context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if file, ok := s.files[task]; ok {
		return file, nil, nil
	}
	return nil, nil, casefile.ErrNoCase
}

func (s *stage) Findings(context.Context) ([]status.Finding, error) { return s.found, s.fault }

func (s *stage) Rules(context.Context) (*law.Rules, error) {
	return &law.Rules{Config: &program.Config{}, Now: &program.Rules{Number: 1, Params: program.DefaultParams()}}, s.fault
}

// put shows a case from now on.
func (s *stage) put(task voting.Key, scene picture.Scene) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cases[task] = scene
	close(s.changed)
	s.changed = make(chan struct{})
}

// played returns what a node knows of a case of casetest.
func played(t testing.TB, script casetest.Script) (voting.Key, picture.Scene) {
	t.Helper()
	w, err := casetest.Build(script)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reading.Log(w.Log, w.Store)
	if err != nil {
		t.Fatal(err)
	}
	content := func(hash casefile.Digest) ([]byte, error) { return w.Store.Blob(voting.Hash(hash)) }
	return w.Task, picture.Scene{Record: r, Content: content, Now: 1_000, Whose: "this node"}
}

// script returns the script with that name.
func script(t testing.TB, name string) casetest.Script {
	t.Helper()
	all := casetest.Scripts()
	i := slices.IndexFunc(all, func(s casetest.Script) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no script %s", name)
	}
	return all[i]
}

// serve returns a server of the pages of a source.
func serve(t testing.TB, source Scenery) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	New(source, slog.New(slog.DiscardHandler)).Routes(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server
}

// get returns the answer to a request that comes from an address for a host.
func get(t testing.TB, source Scenery, from, host, path string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	New(source, slog.New(slog.DiscardHandler)).Routes(mux)
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr, r.Host = from, host
	mux.ServeHTTP(w, r)
	return w
}

const here = "127.0.0.1:5000"

// pagePath is the path of a case's page.
func pagePath(task voting.Key) string { return "/case/" + casefile.Address(task).String() }

// inline finds what a strict policy forbids, or what would load something from elsewhere.
var inline = regexp.MustCompile(`(?i)<script>|<script [^>]*>[^<]|<[a-z][^<>]*\s(?:on\w+|style)\s*=|<style|<iframe|<object|<embed|<base|<[a-z][^<>]*(?:src|href)="(?:[a-z]+:|//)`)

// TestPages: every ending of a case has a page that says what it should, under a strict policy, and
// with nothing inline.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, s := range casetest.Scripts() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			source := newStage()
			task, scene := played(t, s)
			source.put(task, scene)
			for _, path := range append(everywhere()[:2], pagePath(task)) {
				w := get(t, source, here, here, path)
				body := w.Body.String()
				if w.Code != http.StatusOK || w.Header().Get("Content-Security-Policy") != policy {
					t.Fatalf("%s: %d %v", path, w.Code, w.Header())
				}
				if bad := inline.FindString(body); bad != "" {
					t.Errorf("%s has %q", path, bad)
				}
				if !strings.Contains(body, "its SOL is worth nothing on Solana") {
					t.Errorf("%s does not say what its money is", path)
				}
				if want := picture.StateOf(scene, picture.Benches(scene)).Word; path != "/judge" && !strings.Contains(body, ">"+want+"<") {
					t.Errorf("%s does not say %q", path, want)
				}
			}
		})
	}
}

// TestPolicy: the policy allows nothing but files of this server, and nothing inline.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, part := range strings.Split(policy, "; ") {
		name, value, _ := strings.Cut(part, " ")
		if value != "'none'" && value != "'self'" {
			t.Errorf("%s is %s", name, value)
		}
	}
	for _, need := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, need) {
			t.Errorf("no %s", need)
		}
	}
}

// TestWho: a page is only for this machine, and only under its own names.
func TestWho(t *testing.T) {
	t.Parallel()
	source := newStage()
	for _, c := range []struct {
		from, host, path string
		code             int
	}{
		{here, here, "/", http.StatusOK},
		{"[::1]:9", "[::1]:8080", "/", http.StatusOK},
		{here, "localhost:8080", "/", http.StatusOK},
		{"192.168.1.9:5000", here, "/", http.StatusForbidden},
		{"192.168.1.9:5000", "192.168.1.5:80", "/live/", http.StatusForbidden},
		{"192.168.1.9:5000", here, "/assets/style.css", http.StatusForbidden},
		{here, "judge.example", "/", http.StatusForbidden}, // a proxy, or another name of this machine
		{here, "127.0.0.1.example", "/", http.StatusForbidden},
		{here, here, "/case/nonsense", http.StatusNotFound},
		{here, here, "/judge/nonsense", http.StatusNotFound},
		{here, here, "/judge/" + casefile.Address{7}.String(), http.StatusNotFound},
		{here, here, "/case/" + casefile.Address{7}.String(), http.StatusNotFound},
		{here, here, "/live/case/" + casefile.Address{7}.String(), http.StatusNotFound},
		{here, here, "/assets/frame.html", http.StatusNotFound},
		{here, here, "/assets/..%2fconsole.go", http.StatusNotFound},
		{here, here, "/assets/live.js", http.StatusOK},
	} {
		if w := get(t, source, c.from, c.host, c.path); w.Code != c.code {
			t.Errorf("%s for %s%s: %d, want %d", c.from, c.host, c.path, w.Code, c.code)
		}
	}
}

// strange puts a text into everything that peers and the chain's node say.
func (s *stage) strange(text string) {
	s.court.State.Network, s.court.State.Problems = text, []string{text}
	s.court.State.Peer = "12D3"
	s.court.Links = []Link{{Peer: "12D3x", Judge: text, Family: text, Dimension: text, Version: text, Sources: []string{text, text}, Linked: true}, {
		Peer: "12D3y", Judge: casefile.Address{3}.String(), Family: text, Dimension: text, Version: text,
	}}
	s.found = []status.Finding{{Name: text, Detail: text, Next: text}}
	s.requests = []DataRequest{{Source: text, Result: text}}
	s.thinking = thoughtsWith(text)
	s.market.Offers = []market.Listing{{Task: voting.Key{7}, Subject: text, Sources: []string{text}, Terms: &program.Task{Status: program.Created}}}
}

// everywhere are the pages that follow the court: those that there are once, and that of a judge
// which announces itself.
func everywhere() []string {
	return []string{"/", "/judge", "/judge/" + casefile.Address{3}.String(), "/network", "/doctor", "/rules"}
}

// attacked is a case in which everything that a stranger can write has that text.
func attacked(t testing.TB, text string) (voting.Key, picture.Scene) {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[casefile.Digest][]byte{}
	keep := func(format string, args ...any) casefile.Digest {
		raw := fmt.Appendf(nil, format, args...)
		hash := casefile.Digest(casefile.HashOf(raw))
		kept[hash] = raw
		return hash
	}
	terms := casefile.TaskTerms{
		Creator: casefile.Address{1}, Worker: casefile.Address{2}, Reward: 5, CreatorBond: 1,
		TaskHash:      keep(`{"instruction":[%s],"output_schema":{}}`, quoted),
		ResultHash:    keep(`{%s:%s,"list":[%s]}`, quoted, quoted, quoted),
		ObjectionHash: keep(`{"reason":%s,"evidence":[{"name":%s,"sha256":"%064x","bytes":1}]}`, quoted, quoted, 1),
		CounterHash:   keep(`{"what":%s}`, quoted),
	}
	task, scene := played(t, casetest.Script{Name: "attacked", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	scene.Record.Open, scene.Terms = nil, &terms
	scene.Content = func(hash casefile.Digest) ([]byte, error) {
		if raw, ok := kept[hash]; ok {
			return raw, nil
		}
		return nil, casefile.ErrNoBlob
	}
	scene.Whose = text
	return task, scene
}

// TestAttackText: whatever a party writes, a page has it as text: its markup is escaped, invisible
// characters are shown, and long texts are cut.
func TestAttackText(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for i, text := range casetest.Hostile() {
		source := newStage()
		source.strange(text)
		task, scene := attacked(t, text)
		source.put(task, scene)
		for _, path := range append(everywhere(), pagePath(task), pagePath(voting.Key{7})) {
			w := get(t, source, here, here, path)
			body := w.Body.String()
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
			if bad := inline.FindString(body); bad != "" {
				t.Errorf("text %d on %s: %q", i, path, bad)
			}
			for _, raw := range []string{"<img", "<h1 id=evil", "<svg onload", "\u202e", "\u200b", "\u2066", "\ufeff", "\u2028", "\x1b", "\a", `href="javascript`} {
				if strings.Contains(body, raw) {
					t.Errorf("text %d on %s: has %q", i, path, raw)
				}
			}
			if len(body) > 300_000 {
				t.Errorf("text %d on %s: %d bytes", i, path, len(body))
			}
		}
	}
}

// TestOpinionsWait: what a judge thinks is not shown before its vote is on the chain.
func TestOpinionsWait(t *testing.T) {
	t.Parallel()
	task, scene := played(t, script(t, "accept"))
	if p := picture.Show(task, scene); len(p.Reasons) == 0 {
		t.Fatal("a decided case shows no reason, so this test shows nothing")
	}
	scene.Look = voting.Case{Status: voting.Committing, Round: 1, DrawnSlot: 2, SeedSlot: 1}
	for _, s := range picture.Benches(scene)[0].Seats {
		scene.Look.Seats = append(scene.Look.Seats, voting.Seat{Judge: s.Judge, Peer: s.Peer, Weight: s.Weight, Committed: true})
	}
	scene.Record.Outcome, scene.Record.Rounds[0].Settle = nil, nil
	p := picture.Show(task, scene)
	if len(p.Reasons) != 0 || len(p.Checks) != 0 || p.State.Word != "votes sealed" {
		t.Errorf("%q shows %d reasons", p.State.Word, len(p.Reasons))
	}
	for _, s := range p.Rings[0].Seats {
		if s.Class != "sealed" {
			t.Errorf("seat %d is %s", s.Number, s.Class)
		}
	}
}

// TestMoney: what is put in is what is paid out.
func TestMoney(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"accept", "reject", "undecided", "reversed"} {
		task, scene := played(t, script(t, name))
		m := picture.Show(task, scene).Money
		width := func(all []picture.Share) (sum float64) {
			for _, s := range all {
				sum += s.Width
			}
			return sum
		}
		if len(m.In) == 0 || len(m.Out) == 0 || width(m.In) < 999 || width(m.In) > 1001 || width(m.Out) < 999 || width(m.Out) > 1001 {
			t.Errorf("%s: %+v", name, m)
		}
		if !strings.HasPrefix(m.Words, "The program paid all of the ") || len(m.Balance) < 3 {
			t.Errorf("%s: %s %+v", name, m.Words, m.Balance)
		}
	}
}

// TestLive: a viewer gets the page at once, and again when the case changes.
func TestLive(t *testing.T) {
	t.Parallel()
	source := newStage()
	task, scene := played(t, script(t, "accept"))
	source.put(task, picture.Scene{Look: voting.Case{Status: voting.AwaitingDraw, Round: 1}, Now: 1})
	server := serve(t, source)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/live"+pagePath(task), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%v", answer.Header)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	until := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("no %q: %v", want, lines.Err())
	}
	until("drawing judges")
	source.put(task, scene)
	until("worker wins")
}

// TestListsFollow: the market, the agents and the sources follow while they are open, each for what
// its reader looks for.
func TestListsFollow(t *testing.T) {
	t.Parallel()
	offer := market.Listing{Task: voting.Key{7}, Subject: "Draw a tiger", Terms: &program.Task{Status: program.Created}}
	for path, c := range map[string]struct {
		old, now string
		change   func(*stage)
	}{
		"/market?q=tiger": {"No task is open here now", "1 found", func(s *stage) { s.market.Offers = []market.Listing{offer} }},
		"/market?q=lion":  {"No task is open here now", "0 found", func(s *stage) { s.market.Offers = []market.Listing{offer} }},
		"/agents":         {"No agent is registered", "1 agent trades", func(s *stage) { s.agents = 1 }},
		"/sources":        {"Nobody has asked", "site.post", func(s *stage) { s.requests = []DataRequest{{Source: "site.post", Result: Answered}} }},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			source := newStage()
			page := get(t, source, here, here, path).Body.String()
			if !strings.Contains(page, c.old) || !strings.Contains(page, `data-live="/live`+path+`"`) {
				t.Fatalf("%s", page)
			}
			old, now := false, false
			for lines := listen(t, serve(t, source), "/live"+path); !now && lines.Scan(); {
				if now = old && strings.Contains(lines.Text(), c.now); !old && strings.Contains(lines.Text(), c.old) {
					old = true
					source.mu.Lock()
					c.change(source)
					source.mu.Unlock()
				}
			}
			if !now {
				t.Errorf("it does not follow")
			}
		})
	}
}

// TestShown: a stream leaves out the picture that its viewer has, whether the page or an earlier
// stream showed it, and sends the next one.
func TestShown(t *testing.T) {
	t.Parallel()
	source := newStage()
	task, scene := played(t, script(t, "accept"))
	source.put(task, picture.Scene{Look: voting.Case{Status: voting.AwaitingDraw, Round: 1}, Now: 1})
	server := serve(t, source)
	page := get(t, source, here, here, pagePath(task)).Body.String()
	_, rest, _ := strings.Cut(page, `data-version="`)
	has, _, _ := strings.Cut(rest, `"`)
	first := func(lines *bufio.Scanner) (id string) {
		t.Helper()
		for lines.Scan() {
			if after, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				return after
			}
		}
		t.Fatalf("no picture: %v", lines.Err())
		return ""
	}
	if id := first(listen(t, server, "/live"+pagePath(task))); id != has || len(has) != 16 {
		t.Errorf("the page has %q, the stream sends %q", has, id)
	}
	lines := listen(t, server, "/live"+pagePath(task)+"?v="+has)
	source.put(task, scene)
	next := first(lines)
	if next == has {
		t.Error("the stream sends what the page has")
	}
}

// TestRulesPage: the page has the figures of docs/rules.md.
func TestRulesPage(t *testing.T) {
	t.Parallel()
	source := newStage()
	body := get(t, source, here, here, "/rules").Body.String()
	for _, want := range []string{
		"version 1 is in force", ">0.02 SOL<", ">0.2 SOL<", ">0.1 SOL<", ">&#43;0.0005 SOL<", ">−0.001 SOL<", ">−0.02 SOL<", ">7m<", ">3m<", "the least stake to join with",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, p := range program.DefaultParams().List() {
		if law.Meaning(p.Name) == "" || !strings.Contains(body, "<code>"+p.Name+"</code>") {
			t.Errorf("%s is not explained", p.Name)
		}
	}
	source.fault = errors.New("no answer")
	for _, path := range []string{"/rules", "/doctor"} {
		if w := get(t, source, here, here, path); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "no answer") || strings.Contains(w.Body.String(), "can judge.") {
			t.Errorf("%s: %d does not say that the chain does not answer", path, w.Code)
		}
	}
}

// TestJudgePage: the page of a judge has its seats and what they brought.
func TestJudgePage(t *testing.T) {
	t.Parallel()
	source := newStage()
	task, scene := played(t, script(t, "minority"))
	source.put(task, scene)
	silent := picture.Benches(scene)[0].Seats[2]
	source.court.Self = silent.Judge
	source.court.Roster = &program.Roster{Weight: 10, Entries: []program.RosterEntry{{
		Authority: onchain.Address(silent.Judge), State: program.EntryActive, Stake: 5, Weight: 5, Owned: 1, Rewards: 3 * onchain.LamportsPerSOL,
		Seated: 4, Majority: 3, Absent: 1,
	}}}
	body := get(t, source, here, here, "/judge").Body.String()
	for _, want := range []string{"50.0 %", "4 settled rounds", ">absent<", "−" + onchain.SOL(silent.Slashed), "ojud judge claim", `href="` + pagePath(task)} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "Its models") || strings.Contains(body, "Nothing. The node votes by itself") {
		t.Error("models or peace out of nothing")
	}

	// Another judge took a side, and says why.
	loud := picture.Benches(scene)[0].Seats[0]
	source.court.Roster.Entries = append(source.court.Roster.Entries, program.RosterEntry{Authority: onchain.Address(loud.Judge), State: program.EntryActive, Stake: 5, Weight: 5, Owned: 1})
	body = get(t, source, here, here, "/judge/"+casefile.Address(loud.Judge).String()).Body.String()
	for _, want := range []string{"In 1 case it earned " + onchain.SOL(loud.Earned), html.EscapeString(picture.Line(loud.Said.Opinion.Summary)), `class="spot accept"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
	if strings.Contains(body, "What you should do now") {
		t.Error("the page of a stranger's judge tells this owner what to do")
	}

	// Models, and a judge whose time of leaving is over.
	source.court.Models = []Model{{Name: "fast", Family: "f", Median: 1500 * time.Millisecond, Last: "answered", Cases: 4, Answered: 9, Failed: 1, Tokens: 8_000, Cost: 20_000}, {Name: "<b>slow</b>", Failing: true, Resting: true, Last: "down", Failed: 3}}
	source.court.State.Problems = []string{"funds: the authority has nothing; send 0.1 SOL"}
	source.court.Roster.Entries[0].State, source.court.Roster.Entries[0].ExitAt = program.EntryExiting, 900
	if body = get(t, source, here, here, "/judge").Body.String(); strings.Contains(body, "ojud judge withdraw") {
		t.Error("the stake stays while a season has the judge's weight")
	}
	source.court.Roster.Entries[0].Owned = 0
	body = get(t, source, here, here, "/judge").Body.String()
	for _, want := range []string{
		"1.5 s", "10, 1 without an answer", "2000", "0.0050 US$", "&lt;b&gt;slow&lt;/b&gt;", "rests after a fault: down", "<code class=\"text\">ojud doctor</code>",
		"funds: the authority has nothing", "<code class=\"text\">send 0.1 SOL</code>", "ojud judge withdraw",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	source.court.State.Problems, source.court.Models, source.court.Roster.Entries[0].Rewards, source.court.Roster.Entries[0].State = nil, nil, 1, program.EntryActive
	if body = get(t, source, here, here, "/judge").Body.String(); !strings.Contains(body, "Nothing. The node votes by itself") {
		t.Error("no peace")
	}
}

// TestEarnings: the line of a judge's earnings is the sum of what each case brought, in the order
// of their ends, and stays in its box.
func TestEarnings(t *testing.T) {
	t.Parallel()
	judge := voting.Key{9}
	row := func(at int64, earned, slashed uint64) picture.Row {
		return picture.Row{At: at, Short: fmt.Sprint(at), Seats: map[voting.Key]picture.SeatRow{judge: {Earned: earned, Slashed: slashed}, {8}: {Earned: 1 << 60}}}
	}
	const sol = onchain.LamportsPerSOL
	c := earnings([]picture.Row{row(30, 0, 4*sol), row(10, sol, 0), row(20, sol, 0), row(40, 0, 0), {At: 50}}, judge)
	if c == nil || len(c.Points) != 3 || c.Most != "+2 SOL" || c.Least != "−2 SOL" || c.Words != "In 3 cases it earned 2 SOL and lost 4 SOL." {
		t.Fatalf("%+v", c)
	}
	want := []struct {
		y     float64
		class string
		sum   string
	}{{chartEdge + (chartHeight-2*chartEdge)/4, "accept", "in sum +1 SOL"}, {chartEdge, "accept", "in sum +2 SOL"}, {chartHeight - chartEdge, "reject", "−4 SOL, in sum −2 SOL"}}
	for i, p := range c.Points {
		if p.Y != want[i].y || p.Class != want[i].class || !strings.HasSuffix(p.Words, want[i].sum) || p.X < 0 || p.X > chartWidth {
			t.Errorf("%d: %+v", i, p)
		}
	}
	if earnings([]picture.Row{row(1, 0, 0)}, judge) != nil || earnings(nil, judge) != nil {
		t.Error("a chart of nothing")
	}
	for _, huge := range []uint64{1, 1 << 63, math.MaxUint64} {
		c := earnings([]picture.Row{row(math.MaxInt64, huge, 0), row(math.MinInt64, 0, huge)}, judge)
		for _, p := range c.Points {
			if !(p.Y >= 0 && p.Y <= chartHeight) {
				t.Errorf("%d: %+v", huge, p)
			}
		}
	}
}

// TestKept: the chain is asked once for all viewers.
func TestKept(t *testing.T) {
	t.Parallel()
	asked := 0
	k := kept[int]{}
	for range 5 {
		if n, err := k.get(keptFor, func(context.Context) (int, error) { asked++; return asked, nil }); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
}

// TestBusyPages: a node answers a limited number of requests for pages at once.
func TestBusyPages(t *testing.T) {
	t.Parallel()
	c := New(newStage(), slog.New(slog.DiscardHandler))
	for range maxAtOnce {
		c.room <- struct{}{}
	}
	mux := http.NewServeMux()
	c.Routes(mux)
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr, r.Host = here, here
	if mux.ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d", w.Code)
	}
	<-c.room
	if mux.ServeHTTP(w, r); len(c.room) != maxAtOnce-1 {
		t.Errorf("%d requests are still counted", len(c.room))
	}
}

// TestArchiveOnce: a case that nothing will change is read once, and few are read for one page.
func TestArchiveOnce(t *testing.T) {
	t.Parallel()
	source := newStage()
	task, scene := played(t, script(t, "accept"))
	scene.Archived = true
	source.put(task, scene)
	c := New(source, slog.New(slog.DiscardHandler))
	for range 3 {
		if _, err := c.render(view{name: "case", key: task}); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.scenes) != 1 {
		t.Errorf("%d cases are kept", len(c.scenes))
	}
	for i := range maxFresh + 8 {
		source.put(voting.Key{byte(i + 1), 77}, scene)
	}
	if rows, left := c.rows(source.Court().Cases, voting.Key{}, 9); len(rows) != maxFresh || left != 9 {
		t.Errorf("%d cases at once, %d left", len(rows), left)
	}
	if rows, left := c.rows(source.Court().Cases, voting.Key{}, 9); len(rows) != maxFresh+9 || left != 0 {
		t.Errorf("%d cases then, %d left", len(rows), left)
	}
}
