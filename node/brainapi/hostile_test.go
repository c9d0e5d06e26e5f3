package brainapi

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
	"ojud/node/megabrain"
)

// two lets the task have two results to score.
func (w *world) two() (third onchain.Address) {
	third = onchain.Address{11}
	w.at(brain.Evaluating)
	w.detail.Seats = append(w.detail.Seats, brainview.WorkPlace{Worker: third.String(), State: "revealed"})
	return third
}

// score scores a result.
func (w *world) score(token string, worker onchain.Address) (int, string) {
	w.t.Helper()
	return w.post("/tasks/"+id(w.task)+"/evaluate/"+id(worker), token, nil, map[string]any{"score": 1, "confidence": 1, "rationale": "a"})
}

// TestShortPhases: the server waits for further scores in a short phase and late in a long one, and
// commits to those that it has before the end.
func TestShortPhases(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ left, waits, commits int64 }{
		"a minute": {60, 31, 30}, "five minutes": {300, 61, 60}, "ten seconds": {10, 6, 5}, "two hours": {7_200, 601, 600}, "a month": {2_592_000, 601, 600}, "an hour": {3_600, 361, 360},
	} {
		w := newWorld(t)
		token := w.token()
		w.two()
		w.detail.Until = w.detail.Now + c.left
		end := w.detail.Until
		code, body := w.score(token, w.other)
		expect(t, what, code, body, 200, `"committed":false,"left":1`)
		for _, left := range []int64{c.left, c.waits} {
			w.detail.Now = end - left
			if err := w.server.Tend(t.Context()); err != nil || w.scores != 0 {
				t.Errorf("%s: %v, committed to one of two scores %d s before the end", what, err, left)
			}
		}
		w.detail.Now = end - c.commits
		if err := w.server.Tend(t.Context()); err != nil || w.scores != 1 {
			t.Errorf("%s: %v, %d commitments %d s before the end", what, err, w.scores, c.commits)
		}
	}
	w := newWorld(t)
	token := w.token()
	w.two()
	w.detail.Until = w.detail.Now + 500
	w.score(token, w.other)
	w.detail.Now = w.detail.Until - 55
	w.score(token, w.other)
	w.detail.Now += 20
	if err := w.server.Tend(t.Context()); err != nil || w.scores != 0 {
		t.Errorf("%v, committed 20 s after the last score", err)
	}
}

// TestStrangers: names of strangers displace names of strangers alone, and no registration of an
// agent that the server acts for counts twice.
func TestStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.token()
	var n names
	for i := range 2 * maxNames {
		if err := n.add(fmt.Sprint(i), onchain.Address{byte(i)}, 5, false, w.now); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.others.all) != maxNames || len(n.others.order) != maxNames {
		t.Errorf("%d and %d names of strangers", len(n.others.all), len(n.others.order))
	}
	n.own, w.server.names.others = w.server.names.own, n.others
	w.now = w.now.Add(1)
	code, body := w.post("/auth/register", "", nil, w.signed(uuid, w.now.Unix()))
	expect(t, "again", code, body, 409, "sign a new timestamp")
	w.now = w.now.Add(1e9)
	code, body = w.post("/auth/register", "", nil, w.signed(uuid, w.now.Unix()))
	expect(t, "a known agent", code, body, 201, `"acts":true`)
	code, body = w.post("/auth/register", "", nil, w.signed("3f1c9b1e-7c1a-4c55-9d0a-2f6f6f1d2a77", w.now.Unix()))
	expect(t, "a new name", code, body, 201, `"acts":true`)
	stranger := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{5}, 32))
	for name, want := range map[string]int{uuid: 409, "3f1c9b1e-7c1a-4c55-9d0a-2f6f6f1d2a78": 201} {
		code, body = w.post("/auth/register", "", nil, map[string]any{
			"agentId": name, "publicKey": fmt.Sprintf("0x%x", []byte(stranger.Public().(ed25519.PublicKey))), "timestamp": w.now.Unix(),
			"signature": fmt.Sprintf("0x%x", ed25519.Sign(stranger, fmt.Appendf(nil, "MBP_REGISTER:%s:%d", name, w.now.Unix()))),
		})
		expect(t, "a stranger", code, body, want, "")
	}
	at := w.now.Unix()
	code, body = w.post("/auth/register", "", nil, w.signed(uuid, w.server.start.Unix()-1))
	expect(t, "before the start", code, body, 401, "this server started")
	w.server.start = w.server.start.Add(-1e12)
	for i := int64(1); i <= maxUsed; i++ {
		code, body = w.post("/auth/register", "", nil, w.signed(uuid, at-i))
	}
	expect(t, "very often", code, body, 409, "its token is still valid")
}

// stuck is a body that does not come in before its end.
type stuck struct {
	reads func()
	end   <-chan struct{}
}

func (s stuck) Read([]byte) (int, error) {
	s.reads()
	<-s.end
	return 0, io.ErrUnexpectedEOF
}

// TestSlowStrangers: those who send slowly keep nobody out, and requests of strangers leave the
// places of the server's own agents alone.
func TestSlowStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	end := make(chan struct{})
	var all, began sync.WaitGroup
	for i := range 300 {
		began.Add(1)
		all.Go(func() {
			start := sync.OnceFunc(began.Done)
			defer start()
			path := []string{"/api/v1/auth/register", "/api/v1/tasks/" + id(w.task) + "/dispute"}[i%2]
			r := httptest.NewRequest(http.MethodPost, path, stuck{start, end})
			r.Header.Set("Content-Type", "application/json")
			w.server.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	began.Wait()
	w.now = w.now.Add(1e9)
	code, body := w.post("/auth/register", "", nil, w.signed(uuid, w.now.Unix()))
	expect(t, "a registration", code, body, 201, "token")
	code, body = w.send("GET", "/tasks/"+id(w.task), token, nil, nil)
	expect(t, "a task", code, body, 200, "status")
	close(end)
	all.Wait()

	for range maxOthers {
		w.server.others.all <- struct{}{}
	}
	code, body = w.send("GET", "/openapi.json", "", nil, nil)
	expect(t, "a stranger beside many", code, body, 503, "32 requests")
	code, body = w.send("GET", "/tasks/"+id(w.task), token, nil, nil)
	expect(t, "an agent beside many strangers", code, body, 200, "status")
	code, body = w.send("POST", "/auth/register", "", map[string]string{"Content-Type": "application/json"}, bytes.NewReader(make([]byte, maxRegister+1)))
	expect(t, "a long registration", code, body, 413, "4096 bytes")
}

// TestPages: no page of a browser asks, by its address or by another name for it.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	raw, err := json.Marshal(w.signed(uuid, w.now.Unix()))
	if err != nil {
		t.Fatal(err)
	}
	send := func(header map[string]string) (int, string) {
		return w.send("POST", "/auth/register", "", header, bytes.NewReader(raw))
	}
	for what, c := range map[string]struct {
		header map[string]string
		code   int
	}{
		"a page":               {map[string]string{"Content-Type": "application/json", "Origin": "https://evil.example"}, 403},
		"a page without CORS":  {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		"text":                 {map[string]string{"Content-Type": "text/plain"}, 415},
		"a form":               {map[string]string{"Content-Type": "multipart/form-data; boundary=x"}, 415},
		"nothing said":         {nil, 415},
		"the fetch of Node.js": {map[string]string{"Content-Type": "application/json; charset=utf-8", "Sec-Fetch-Mode": "cors"}, 201},
	} {
		code, body := send(c.header)
		expect(t, what, code, body, c.code, "")
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.server.n.Names = []string{"brain.example"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- w.server.Run(ctx, l) }()
	web := &http.Client{Timeout: time.Minute}
	for host, want := range map[string]int{"": 200, "localhost:1": 200, "brain.example": 200, "evil.example": 403, "10.0.0.1": 403} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+"/api/v1/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := web.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != want {
			t.Errorf("Host %q: %d, want %d", host, answer.StatusCode, want)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// strict checks documents as a desk does.
type strict struct{ *world }

func (s strict) Evaluate(ctx context.Context, at onchain.Address, scores []megabrain.Score, document []byte, metadata string) (megabrain.Spoken, error) {
	if _, err := canon.JSON(document, 256<<10); err != nil {
		return megabrain.Spoken{}, err
	}
	return s.world.Evaluate(ctx, at, scores, document, metadata)
}

// TestCorrections: what cannot be committed to is refused when it is said, and what an older
// version took does not keep the scores back.
func TestCorrections(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]string{
		"twice": `[{"a":1,"a":2}]`, "huge": `[1e400]`, "deep": strings.Repeat("[", 200) + strings.Repeat("]", 200), "surrogate": `["\ud800"]`, "long": `["` + strings.Repeat("a", 140<<10) + `"]`,
	} {
		w := newWorld(t)
		w.server.n.Hands[w.self] = strict{w}
		token := w.token()
		third := w.two()
		say := func(worker onchain.Address) (int, string) {
			return w.post("/tasks/"+id(w.task)+"/evaluate/"+id(worker), token, nil, json.RawMessage(`{"score":1,"confidence":1,"rationale":"a","corrections":`+c+`}`))
		}
		code, body := say(w.other)
		if what == "long" {
			expect(t, what, code, body, 200, `"left":1`)
			code, body = say(third)
		}
		if what == "huge" {
			expect(t, what, code, body, 400, "1e400")
		} else {
			expect(t, what, code, body, 422, "evaluations of this task together")
		}
		code, body = w.score(token, w.other)
		expect(t, what+", without it", code, body, 200, `"left":1`)

		old := draft{Evaluations: []evaluation{{Worker: w.other.String(), Score: 9, Corrections: []json.RawMessage{json.RawMessage(c), json.RawMessage(c)}}}}
		raw, err := json.Marshal(old)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.server.drafts.path(w.task, w.self), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		w.detail.Now = w.detail.Until - 100
		if err := w.server.Tend(t.Context()); err != nil || w.scores != 1 || w.said[0].Score != 9 {
			t.Errorf("%s: %v, %d commitments", what, err, w.scores)
		}
	}
}

// TestVanished: a task that the chain does not have once keeps its scores. They go if it is missing
// for a day, in many looks.
func TestVanished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	w.two()
	w.score(token, w.other)
	at := w.task
	look := func(times int) {
		t.Helper()
		for range times {
			if err := w.server.Tend(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := func() bool {
		_, err := os.Stat(w.server.drafts.path(at, w.self))
		return err == nil
	}
	w.task = onchain.Address{77}
	look(1)
	w.now = w.now.Add(goneTime)
	look(1)
	w.task = at
	look(1)
	w.task = onchain.Address{77}
	look(goneLooks)
	if !kept() {
		t.Fatal("the scores are lost")
	}
	w.now = w.now.Add(goneTime)
	look(1)
	if kept() {
		t.Error("the scores of a task that is gone are kept for ever")
	}
}

// TestNoMemory: without a memory node the list of attachments is kept until the task is over, so
// that a server with one gives them.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	w.alone = true
	code, body := w.hand(token, nil, part{name: "result", content: "1"}, part{name: "summary", content: "a"}, part{"attachments", "a.txt", "text/plain", "notes"})
	expect(t, "a result", code, body, 200, "attachments")
	w.detail.Seats[0].State = "revealed"
	for range 2 {
		if err := w.server.Tend(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.alone = false
	if err := w.server.Tend(t.Context()); err != nil || !w.given[hash([]byte("notes"))] {
		t.Error(err, "the attachment is given to nobody")
	}
}
