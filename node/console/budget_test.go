package console

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/casetest"
	"ojud/casefile/picture"
	"ojud/casefile/reading"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/follow"
	"ojud/node/market"
	"ojud/test/longtest"
	"ojud/voting"
)

// budgets holds times to the budgets of docs/pages.md, too. That needs a quiet machine; without it
// a test allows loose times that only a fault exceeds.
var budgets = flag.Bool("budgets", false, "hold times to the budgets of docs/pages.md")

// budget returns the time to which a test holds a page.
func budget(d time.Duration) time.Duration {
	if *budgets {
		return d
	}
	return 100 * d
}

// The budgets.
const (
	pageBudget    = 100_000 // bytes of a page with its script and style, compressed
	paintBudget   = 200 * time.Millisecond
	pictureBudget = 50 * time.Millisecond // from an event to its picture, for 95 of 100
	idleBudget    = 4 << 20               // bytes of pages that nobody looks at
)

// full is a court with many cases and judges, and the path of one of its cases.
func full(t testing.TB) (*stage, string) {
	t.Helper()
	source := newStage()
	source.court.Roster = judgesFor(28)
	source.court.State.Peers, source.court.State.Registered = 20, 28
	for i, e := range source.court.Roster.Entries {
		source.court.Links = append(source.court.Links, Link{Peer: fmt.Sprint("12D3", i), Judge: e.Authority.String(), Family: "qwen", Dimension: "honesty",
			Version: "v0.1.0", Linked: i < 20, Own: i == 1, Staked: i%4 != 3, Sources: []string{"site.post", "rates"}[:i%3]})
	}
	source.court.Self = voting.Key(source.court.Roster.Entries[0].Authority)
	task, scene := played(t, script(t, "data"))
	scene.Archived = true
	source.put(task, scene)
	for i := range maxOverCases + 10 {
		source.put(voting.Key{byte(i), 2}, scene)
	}
	source.followed = map[voting.Key]picture.Scene{}
	for i := range maxOpenCases + 10 {
		key := voting.Key{byte(i), 3}
		source.put(key, scene)
		source.followed[key] = glance(scene, 19)
	}
	source.market, source.requests = manyTasks(), manyRequests()
	source.agents, source.card = 120, translator()
	return source, pagePath(task)
}

// manyRequests is a log with 200 requests for two sources.
func manyRequests() (out []DataRequest) {
	for i := range 200 {
		out = append(out, DataRequest{At: time.Unix(1_000+int64(i), 0), Source: []string{"site.post", "rates"}[i%2], Judge: voting.Key{byte(i), 5}, Case: voting.Key{byte(i), 6},
			Result: []string{Answered, Answered, "the source failed"}[i%3], Took: time.Duration(i) * time.Millisecond, Price: uint64(i%5) * 1_000_000})
	}
	return out
}

// manyTasks is a market with 120 tasks of all states.
func manyTasks() market.Market {
	m := market.Market{Now: 1_000, Left: 3}
	for i := range 120 {
		m.Offers = append(m.Offers, market.Listing{
			Task: voting.Key{byte(i), 9}, Price: uint64(i+1) * 10_000_000, Subject: fmt.Sprintf("Task %d: draw an eleptiger", i), Sources: []string{"site.post", "rates"}[:i%3],
			Terms: &program.Task{Status: stages()[i%6].status, Seats: 28, RewardMax: 2_000_000_000, ClaimBy: 2_000, Deadline: 3_000, Auction: voting.Auction(i % 2), Creator: onchain.Address{1, byte(i)}},
		})
		if t := m.Offers[i].Terms; t.Status == program.Judiciary {
			t.Deadline = 0
		}
	}
	return m
}

// glance is a case of a scene without its record.
func glance(of picture.Scene, sealed int) picture.Scene {
	now := voting28(of, sealed)
	now.Terms = &of.Record.Open.Value.Task
	now.Record = reading.Record{}
	return now
}

// voting28 is a case of a scene while so many of its judges have sealed their votes.
func voting28(of picture.Scene, sealed int) picture.Scene {
	now := of
	now.Archived, now.Record.Outcome, now.Record.Rounds[0].Settle = false, nil, nil
	now.Look = voting.Case{Status: voting.Committing, Round: 1, DrawnSlot: 2, SeedSlot: 1, CommitEnds: 1_300}
	for i, s := range picture.Benches(of)[0].Seats {
		now.Look.Seats = append(now.Look.Seats, voting.Seat{Judge: s.Judge, Peer: s.Peer, Weight: s.Weight, Committed: i < sealed})
	}
	return now
}

// squeezed returns the compressed size of a text.
func squeezed(t testing.TB, text []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// TestPageBytes: a page of a full court with its script, style and picture is small.
func TestPageBytes(t *testing.T) {
	t.Parallel()
	source, casePath := full(t)
	besides := 0
	for _, file := range []string{"style.css", "live.js", "icon.svg"} {
		besides += squeezed(t, get(t, source, here, here, "/assets/"+file).Body.Bytes())
	}
	for _, path := range append([]string{casePath}, everywhere()...) {
		if strings.HasPrefix(path, "/judge/") {
			path = "/judge/" + source.court.Roster.Entries[3].Authority.String()
		}
		body := get(t, source, here, here, path).Body.Bytes()
		size := squeezed(t, body) + besides
		t.Logf("%-60s %6d bytes, %6d compressed, of them %d script and style", path, len(body), size, besides)
		if size > pageBudget || len(body) < 1_000 {
			t.Errorf("%s: %d bytes compressed, at most %d", path, size, pageBudget)
		}
	}
}

// TestNoViewers: pages that nobody looks at ask the node nothing, run nothing and take no memory,
// also if somebody looked at a court with a long archive before.
func TestNoViewers(t *testing.T) {
	longtest.Only(t)
	synctest.Test(t, func(t *testing.T) {
		source, _ := full(t)
		scene, err := source.Case(voting.Key{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		for i := range maxPast {
			source.put(voting.Key{byte(i), byte(i >> 8), 4}, scene)
		}
		c := New(source, slog.New(slog.DiscardHandler))
		before := heap()
		viewer, ok := c.live.Join(view{name: "court"})
		if !ok {
			t.Fatal("no room")
		}
		time.Sleep(150 * time.Second) // the archive is read in parts
		synctest.Wait()
		seen := heap()
		if len(c.past) < maxPast {
			t.Errorf("%d cases of the archive are read", len(c.past))
		}
		viewer.Leave()
		time.Sleep(2 * keepTime)
		synctest.Wait()
		source.mu.Lock()
		read := source.read
		source.mu.Unlock()
		time.Sleep(24 * time.Hour)
		if source.read != read || len(c.past)+len(c.scenes)+len(c.subjects) != 0 {
			t.Errorf("%d cases were read for nobody, %d are kept", source.read-read, len(c.past))
		}
		after := heap()
		t.Logf("a viewer of %d cases: %.1f MiB; nobody afterwards: %.2f MiB", maxPast, mib(seen-before), mib(after-before))
		if after-before > idleBudget {
			t.Errorf("%.1f MiB, at most %d", mib(after-before), idleBudget>>20)
		}
		runtime.KeepAlive(c)
	}) // the bubble fails if a goroutine is left
}

// heap returns the bytes in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// TestManyOpen: the list of 500 cases in flight reads no record of a case, so it is drawn at once.
func TestManyOpen(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	scene := source.followed[voting.Key{1, 3}]
	for i := range 500 {
		key := voting.Key{byte(i), byte(i >> 8), 5}
		source.put(key, scene)
		source.followed[key] = scene
	}
	c := New(source, slog.New(slog.DiscardHandler))
	var took []time.Duration
	for i := range 10 {
		start := time.Now()
		if _, err := c.render(view{name: "court"}); err != nil {
			t.Fatal(err)
		}
		if took = append(took, time.Since(start)); i == 2 {
			source.read = 0 // the archive is read by then
		}
	}
	slices.Sort(took)
	t.Logf("the first page with %d cases in flight: %s", len(source.followed), took[len(took)/2])
	if source.read > 0 || took[len(took)/2] > budget(paintBudget/2) {
		t.Errorf("%d records were read; it took %s", source.read, took)
	}
}

// logged is a Scenery whose cases are read from the log of their events each time, as a node does.
type logged struct {
	*stage
	w *casetest.World
}

func (l logged) Case(task voting.Key) (picture.Scene, error) {
	s, err := l.stage.Case(task)
	if err != nil {
		return s, err
	}
	r, err := reading.Log(l.w.Log, l.w.Store)
	if err != nil {
		return s, err
	}
	s.Record = r
	s.Record.Outcome, s.Record.Rounds[0].Settle = nil, nil
	return s, nil
}

// seal shows a look at the case.
func (l logged) seal(s picture.Scene) {
	l.mu.Lock()
	l.followed = map[voting.Key]picture.Scene{l.w.Task: s}
	l.mu.Unlock()
	l.put(l.w.Task, s)
}

// TestEventToPicture: 20 viewers of a case with 28 judges see each of 28 votes soon after it is
// sealed, however the votes come.
func TestEventToPicture(t *testing.T) {
	const viewers, votes = 20, 28
	w, err := casetest.Build(script(t, "data"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := reading.Log(w.Log, w.Store)
	if err != nil {
		t.Fatal(err)
	}
	whole := picture.Scene{Record: r, Now: 1_000, Content: func(hash casefile.Digest) ([]byte, error) { return w.Store.Blob(voting.Hash(hash)) }}
	source := logged{newStage(), w}
	var looks []picture.Scene
	for k := range votes + 1 {
		looks = append(looks, glance(whole, k))
	}
	source.seal(looks[0])
	server := serve(t, source)
	var mu sync.Mutex
	var at [votes + 1]time.Time     // when a vote was sealed
	seen := make([]int, viewers)    // by viewer: votes in its last picture
	var waits []time.Duration       // of each viewer for each vote
	all := make(chan bool, viewers) // a viewer has seen all
	ready := make(chan bool, viewers)
	for i := range viewers {
		lines := listen(t, server, "/live"+pagePath(w.Task))
		go func() {
			first := true
			for lines.Scan() {
				if first && strings.HasPrefix(lines.Text(), "event: page") {
					ready <- true
					first = false
				}
				now := time.Now()
				before, _, found := strings.Cut(lines.Text(), " of 28 judges have sealed")
				if !found {
					continue
				}
				n, err := strconv.Atoi(before[strings.LastIndexByte(before, '>')+1:])
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for k := seen[i] + 1; k <= n; k++ {
					waits = append(waits, now.Sub(at[k]))
				}
				seen[i] = max(seen[i], n)
				mu.Unlock()
				if n == votes {
					all <- true
					return
				}
			}
		}()
	}
	for range viewers {
		<-ready
	}
	for k := 1; k <= votes; k++ {
		// Some alone, some in bursts.
		time.Sleep(time.Duration([]int{120, 5, 0, 35, 60, 1, 15}[k%7]) * time.Millisecond)
		mu.Lock()
		at[k] = time.Now()
		mu.Unlock()
		source.seal(looks[k])
	}
	for i := range viewers {
		select {
		case <-all:
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d viewers saw all votes", i, viewers)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(waits)
	p95 := waits[len(waits)*95/100]
	t.Logf("%d pictures at %d viewers: median %s, 95 of 100 %s, slowest %s", len(waits), viewers, waits[len(waits)/2], p95, waits[len(waits)-1])
	if len(waits) != viewers*votes || p95 > budget(pictureBudget) {
		t.Errorf("%d pictures, 95 of 100 in %s, at most %s", len(waits), p95, pictureBudget)
	}
}

// listen opens a stream.
func listen(t *testing.T, server *httptest.Server, path string) *bufio.Scanner {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	})
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 4<<20)
	return lines
}

// pipes is a listener whose connections have no buffer, so that a viewer that does not read stops
// the writer at once.
type pipes struct{ conns chan net.Conn }

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p.conns; ok {
		return loopbackConn{c}, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// loopbackConn says that it is from this machine.
type loopbackConn struct{ net.Conn }

func (loopbackConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5000}
}

// TestStuckViewer: a viewer that never reads is dropped after ten seconds. Others do not wait for
// it, and a viewer that reads stays.
func TestStuckViewer(t *testing.T) {
	longtest.Only(t)
	synctest.Test(t, func(t *testing.T) {
		source := newStage()
		task, scene := played(t, script(t, "accept"))
		source.put(task, glance(scene, 0))
		c := New(source, slog.New(slog.DiscardHandler))
		mux := http.NewServeMux()
		c.Routes(mux)
		listener := pipes{make(chan net.Conn)}
		// The write timeout of a node's server would end every stream: streams set their own.
		server := &http.Server{Handler: mux, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, ReadHeaderTimeout: 30 * time.Second}
		served := make(chan error)
		go func() { served <- server.Serve(listener) }()
		dial := func() net.Conn {
			here, there := net.Pipe()
			listener.conns <- there
			if _, err := fmt.Fprintf(here, "GET /live%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", pagePath(task)); err != nil {
				t.Fatal(err)
			}
			return here
		}
		good, stuck := dial(), dial()
		var pictures int
		var mu sync.Mutex
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for lines := bufio.NewScanner(good); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "event: page") {
					mu.Lock()
					pictures++
					mu.Unlock()
				}
			}
		}()
		for k := range 20 {
			source.put(task, glance(scene, k))
			time.Sleep(time.Second)
		}
		synctest.Wait()
		left := c.live.Viewers()
		mu.Lock()
		got := pictures
		mu.Unlock()
		if left != 1 || got < 20 {
			t.Errorf("%d viewers are left, and the one that reads got %d pictures", left, got)
		}
		time.Sleep(time.Hour) // a page that is left open
		source.put(task, glance(scene, 28))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		mu.Lock()
		if pictures <= got {
			t.Error("after an hour the page does not change any more")
		}
		mu.Unlock()
		for _, conn := range []net.Conn{good, stuck} {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}
		close(listener.conns)
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-served
		<-ended
		time.Sleep(2 * keepTime)
	})
}

// TestThousand: of 1,000 connections that want to follow a case, 64 do. The others get an answer, a
// reader of a page still gets it, and memory stays bounded.
func TestThousand(t *testing.T) {
	const connections = 1000
	source, casePath := full(t)
	server := serve(t, source)
	before := heap()
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	codes := map[int]int{}
	var held, answered sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{}}
	for range connections {
		answered.Add(1)
		held.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/live"+casePath, nil)
			if err != nil {
				t.Error(err)
			}
			a, err := client.Do(r)
			if err != nil {
				answered.Done()
				t.Error(err)
				return
			}
			mu.Lock()
			codes[a.StatusCode]++
			mu.Unlock()
			answered.Done()
			_, err = io.Copy(io.Discard, a.Body) // until the end
			if err := a.Body.Close(); err != nil {
				t.Error(err)
			}
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	answered.Wait()
	grown := heap() - before
	start := time.Now()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+casePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Body.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d connections: %v; a page in %s; %.1f MiB for both sides", connections, codes, time.Since(start), mib(grown))
	if codes[200] == 0 || codes[200] > follow.MaxViewers || codes[200]+codes[503] != connections || page.StatusCode != http.StatusOK || grown > 64<<20 {
		t.Errorf("%v, the page %d, %.1f MiB", codes, page.StatusCode, mib(grown))
	}
	stop()
	held.Wait()
}

// TestStill: if the chain stands still, each page says so and why, and stops saying so when it goes
// on.
func TestStill(t *testing.T) {
	t.Parallel()
	source, casePath := full(t)
	for _, still := range []string{"The chain stands still: no block was seen for 40s. <b>Because</b>\u202e.", ""} {
		source.still = still
		for _, path := range []string{"/", casePath, "/judge", "/network", "/market", "/agents", "/sources", "/doctor", "/rules"} {
			body := get(t, source, here, here, path).Body.String()
			if says := strings.Contains(body, "no block was seen for 40s. &lt;b&gt;Because&lt;/b&gt;&lt;U&#43;202E&gt;."); says != (still != "") {
				t.Errorf("%s with %q: %v", path, still, says)
			}
		}
	}
}

// TestLongFile: a case file with 10,000 events, which somebody forged, is opened and played in a
// bounded time, and says that it is not verified.
func TestLongFile(t *testing.T) {
	t.Parallel()
	file, err := casetest.File(script(t, "accept"))
	if err != nil {
		t.Fatal(err)
	}
	var bundle map[string]json.RawMessage
	var events []map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(file, &bundle), json.Unmarshal(bundle["events"], &events)); err != nil {
		t.Fatal(err)
	}
	least := slices.MinFunc(events, func(a, b map[string]json.RawMessage) int { return len(a["body"]) - len(b["body"]) })
	for i := 0; len(events) < 10_000; i++ {
		again := maps.Clone(least) // a file has at most 262,144 values
		again["seq"] = fmt.Append(nil, 20+i%230)
		events = append(events, again)
	}
	if bundle["events"], err = json.Marshal(events); err != nil {
		t.Fatal(err)
	}
	if file, err = json.Marshal(bundle); err != nil {
		t.Fatal(err)
	}
	if file, err = canon.JSON(file, casefile.MaxBundle); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	p, err := Play(file, "long.case.json", nil, slog.New(slog.DiscardHandler))
	opened := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/?step=40", nil)
	r.RemoteAddr, r.Host = here, here
	p.Handler().ServeHTTP(rec, r)
	took := time.Since(start)
	t.Logf("%d events, %.1f MB: opened and verified in %s, a step in %s, %d bytes compressed", len(events), float64(len(file))/1e6,
		opened, took, squeezed(t, rec.Body.Bytes()))
	if rec.Code != http.StatusOK || squeezed(t, rec.Body.Bytes()) > pageBudget || took > budget(paintBudget) || opened > budget(10*time.Second) {
		t.Errorf("%d, opened in %s, a step in %s", rec.Code, opened, took)
	}
	if !strings.Contains(rec.Body.String(), "NOT VERIFIED") {
		t.Error("a forged file is not called so")
	}
}
