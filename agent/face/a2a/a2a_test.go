package a2a

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
)

// echo is a clerk whose agent gives back what it gets. With the skill wait it says two things and
// waits for the end of hold, or until the order is withdrawn.
type echo struct {
	hold  chan struct{}
	begun atomic.Int32

	mu   sync.Mutex
	gone map[string]chan struct{}
}

func newEcho() *echo { return &echo{hold: make(chan struct{}), gone: map[string]chan struct{}{}} }

// Portray implements Clerk.
func (e *echo) Portray(context.Context) (Portrait, error) {
	return Portrait{Name: "echo", Description: "Says it again", Version: "1", Skills: []Skill{
		{ID: "say", Name: "say", Description: "Says it again", Input: json.RawMessage(`{"type":"string"}`)}, {ID: "wait", Name: "wait", Description: "Waits"},
	}}, nil
}

// Begin implements Clerk.
func (e *echo) Begin(ctx context.Context, o Errand, say Say) (func() Delivery, error) {
	switch string(o.Input) {
	case `"denied"`:
		return nil, fmt.Errorf("%w: no", ErrDenied)
	case `"broken"`:
		return nil, errors.New("it broke")
	}
	e.begun.Add(1)
	gone := make(chan struct{})
	e.mu.Lock()
	e.gone[o.Task] = gone
	e.mu.Unlock()
	return func() Delivery {
		if o.Skill == "wait" {
			say("one")
			say("two")
			select {
			case <-e.hold:
				say("three")
			case <-gone:
				return Delivery{Finish: Cancelled, Problem: "withdrawn", At: time.Now()}
			case <-ctx.Done():
				return Delivery{Finish: Failed, Problem: "the end", At: time.Now()}
			}
		}
		return Delivery{Result: o.Input, Proof: map[string]any{"by": "me"}, At: time.Now()}
	}, nil
}

// Withdraw implements Clerk.
func (e *echo) Withdraw(_ context.Context, o Errand) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.gone[o.Task])
	return nil
}

// place is a server with the face of one agent.
type place struct {
	*httptest.Server
	t    *testing.T
	face *Face
}

func serve(t *testing.T, c Clerk) *place {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	f := New(ctx, slog.New(slog.DiscardHandler))
	p := &place{t: t, face: f}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		owner := r.Header.Get("X-Owner")
		f.Serve(w, r, Visit{Owner: owner, URL: p.URL + "/agent", Path: strings.TrimPrefix(r.URL.Path, "/agent"), Clerk: c})
	}))
	t.Cleanup(func() { stop(); p.Close(); f.Wait() })
	return p
}

// open sends a request, and returns the open answer.
func (p *place) open(method, path, body string, header ...string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.URL+"/agent"+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// call makes a request, and returns what the answer has.
func (p *place) call(method, params string, header ...string) string {
	p.t.Helper()
	answer := p.open(http.MethodPost, "/", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), header...)
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// message is a message with an id, a skill and one part.
func message(id, skill, part string) string {
	return fmt.Sprintf(`{"message":{"messageId":%q,"role":"ROLE_USER","contextId":"talk","parts":[%s],"metadata":{"skill":%q}}}`, id, part, skill)
}

// taskID returns the id of the task of an answer.
func (p *place) taskID(answer string) string {
	p.t.Helper()
	var a struct {
		Result struct{ Task struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil || a.Result.Task.ID == "" {
		p.t.Fatalf("no task in %.300s: %v", answer, err)
	}
	return a.Result.Task.ID
}

// TestOrders: a message becomes a task that ends with a result, by both bindings; the same message
// is done once. Tasks are shown, listed by pages, and only to their owner.
func TestOrders(t *testing.T) {
	t.Parallel()
	e := newEcho()
	p := serve(t, e)
	text := `{"text":"an owl"}`
	first := p.call("SendMessage", message("m1", "say", text))
	if !strings.Contains(first, `"TASK_STATE_COMPLETED"`) || !strings.Contains(first, `{"text":"an owl"}`) || !strings.Contains(first, `"by":"me"`) {
		t.Error(first)
	}
	id := p.taskID(first)
	if again := p.call("SendMessage", message("m1", "say", text)); p.taskID(again) != id || e.begun.Load() != 1 {
		t.Errorf("%s, begun %d times", again, e.begun.Load())
	}
	answer := p.open(http.MethodPost, "/rest/message:send", message("m2", "say", `{"data":{"n":[1,2]}}`))
	if raw, err := io.ReadAll(answer.Body); err != nil || !bytes.Contains(raw, []byte(`"data":{"n":[1,2]}`)) {
		t.Errorf("%s, %v", raw, err)
	}
	answer = p.open(http.MethodGet, "/rest/tasks/"+id+"?historyLength=0", "")
	if raw, err := io.ReadAll(answer.Body); err != nil || !bytes.Contains(raw, []byte(`"contextId":"talk"`)) || bytes.Contains(raw, []byte("history")) {
		t.Errorf("%s, %v", raw, err)
	}
	if one := p.call("GetTask", `{"id":"`+id+`"}`); !strings.Contains(one, `"skill":"say"`) {
		t.Error(one)
	}
	for _, other := range []string{p.call("GetTask", `{"id":"`+id+`"}`, "X-Owner", "eve"), p.call("CancelTask", `{"id":"`+id+`"}`, "X-Owner", "eve")} {
		if !strings.Contains(other, "-32001") {
			t.Errorf("another caller sees the task: %s", other)
		}
	}
	var page struct {
		Result struct {
			Tasks         []struct{ ID string }
			TotalSize     int
			NextPageToken string
		}
	}
	seen, token := map[string]bool{}, ""
	for range 2 {
		if err := json.Unmarshal([]byte(p.call("ListTasks", `{"pageSize":1,"pageToken":"`+token+`"}`)), &page); err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Result.Tasks {
			seen[one.ID] = true
		}
		token = page.Result.NextPageToken
	}
	if len(seen) != 2 || page.Result.TotalSize != 2 || token != "" {
		t.Errorf("%v, %+v", seen, page)
	}
	if list := p.call("ListTasks", `{"contextId":"other"}`); !strings.Contains(list, `"totalSize":0`) {
		t.Error(list)
	}
}

// until reads the data of a stream up to a text.
func (p *place) until(in *bufio.Scanner, text string) (all string) {
	p.t.Helper()
	for in.Scan() {
		if data, is := strings.CutPrefix(in.Text(), "data: "); is {
			all += data + "\n"
			if strings.Contains(data, text) {
				return all
			}
		}
	}
	p.t.Fatalf("no %q in %s: %v", text, all, in.Err())
	return ""
}

// TestSubscribe: a client that lost a stream subscribes again. It gets every step, and the order is
// done once.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	e := newEcho()
	p := serve(t, e)
	call := p.open(http.MethodPost, "/", `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":`+message("m", "wait", `{"text":"x"}`)+`}`)
	begin := p.until(bufio.NewScanner(call.Body), `"two"`)
	line, _, _ := strings.Cut(begin, "\n")
	id := p.taskID(line)
	if err := call.Body.Close(); err != nil { // the connection is lost
		t.Error(err)
	}
	again := p.open(http.MethodGet, "/rest/tasks/"+id+":subscribe", "")
	lines := bufio.NewScanner(again.Body)
	if now := p.until(lines, `"task"`); !strings.Contains(now, `"one"`) || !strings.Contains(now, `"two"`) || !strings.Contains(now, "WORKING") {
		t.Error(now)
	}
	close(e.hold)
	rest := p.until(lines, "COMPLETED")
	if !strings.Contains(rest, `"three"`) || strings.Contains(rest, `"one"`) || !strings.Contains(rest, "artifactUpdate") || e.begun.Load() != 1 {
		t.Error(rest)
	}
	for p.face.running(id) {
		p.call("GetTask", `{"id":"`+id+`"}`)
	}
	if over := p.call("SubscribeToTask", `{"id":"`+id+`"}`); !strings.Contains(over, "-32004") {
		t.Error(over)
	}
}

func (f *Face) running(id string) bool { return (*desk)(f).running(Visit{}, id) != nil }

// TestCancel: a task is cancelled once.
func TestCancel(t *testing.T) {
	t.Parallel()
	e := newEcho()
	p := serve(t, e)
	id := p.taskID(p.call("SendMessage", `{"configuration":{"returnImmediately":true},`+message("m", "wait", `{"text":"x"}`)[1:]))
	if end := p.call("CancelTask", `{"id":"`+id+`"}`); !strings.Contains(end, "TASK_STATE_CANCELED") || !strings.Contains(end, "withdrawn") {
		t.Error(end)
	}
	for p.face.running(id) {
		p.call("GetTask", `{"id":"`+id+`"}`)
	}
	if end := p.call("CancelTask", `{"id":"`+id+`"}`); !strings.Contains(end, "-32002") {
		t.Error(end)
	}
}

// TestAttackA2ARequests: what a client sends is refused with a reason if it cannot be used, and no
// address that it names is asked. The control is taken.
func TestAttackA2ARequests(t *testing.T) {
	t.Parallel()
	asked := false
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(trap.Close)
	p := serve(t, newEcho())
	text := `{"text":"x"}`
	long := strings.Repeat("x", maxMessage)
	for _, c := range []struct{ name, method, params, want string }{
		{"control", "SendMessage", message("ok", "say", text), "COMPLETED"},
		{"no skill", "SendMessage", message("a", "fly", text), "the agent has: say, wait"},
		{"no message", "SendMessage", `{}`, "-32602"},
		{"no id", "SendMessage", message("", "say", text), "messageId"},
		{"a long id", "SendMessage", message(long[:maxID+1], "say", text), "messageId"},
		{"a giant", "SendMessage", message("b", "say", `{"text":"`+long+`"}`), "-32700"},
		{"a deep one", "SendMessage", message("c", "say", `{"data":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`}`), "error"},
		{"another context", "SendMessage", strings.Replace(message("d", "say", text), `"talk"`, `"a~b"`, 1), "contextId"},
		{"the agent's role", "SendMessage", strings.Replace(message("e", "say", text), "ROLE_USER", "ROLE_AGENT", 1), "role"},
		{"a task", "SendMessage", strings.Replace(message("f", "say", text), `"role"`, `"taskId":"x","role"`, 1), "-32004"},
		{"a file", "SendMessage", message("g", "say", `{"url":"`+trap.URL+`"}`), "-32005"},
		{"bytes", "SendMessage", message("h", "say", `{"raw":"AAAA"}`), "-32005"},
		{"two data parts", "SendMessage", message("i", "say", `{"data":1},{"data":2}`), "one data part"},
		{"no parts", "SendMessage", message("j", "say", ""), "parts"},
		{"a context that is dropped", "SendMessage", strings.Replace(message("n", "say", text), `"skill"`, `"context":1,"skill"`, 1), "metadata.context would be dropped"},
		{"parameters that are dropped", "SendMessage", strings.Replace(message("o", "say", text), `"skill"`, `"params":{},"skill"`, 1), "metadata.params would be dropped"},
		{"push", "SendMessage", `{"configuration":{"taskPushNotificationConfig":{"url":"` + trap.URL + `"}},` + message("k", "say", text)[1:], "-32003"},
		{"push config", "CreateTaskPushNotificationConfig", `{"taskId":"x","url":"` + trap.URL + `"}`, "-32003"},
		{"the same id", "SendMessage", message("ok", "say", `{"text":"y"}`), "another message had this messageId"},
		{"denied", "SendMessage", message("l", "say", `{"text":"denied"}`), "-31403"},
		{"broken", "SendMessage", message("m", "say", `{"text":"broken"}`), "-32603"},
		{"no task", "GetTask", `{"id":"../../x"}`, "-32001"},
		{"a page", "ListTasks", `{"pageToken":"zz"}`, "pageToken"},
		{"a big page", "ListTasks", `{"pageSize":1000}`, "pageSize"},
		{"no method", "Fly", `{}`, "-32601"},
	} {
		if got := p.call(c.method, c.params); !strings.Contains(got, c.want) {
			t.Errorf("%s: %.300s", c.name, got)
		}
	}
	for _, v := range []string{"", "0.3", "2.0"} {
		if got := p.call("SendMessage", message("v", "say", text), "A2A-Version", v); !strings.Contains(got, "-32009") {
			t.Errorf("version %q: %s", v, got)
		}
	}
	if asked {
		t.Error("an address of a client was asked")
	}
}

// TestAttackA2ACard: a card has the addresses of its own server only.
func TestAttackA2ACard(t *testing.T) {
	t.Parallel()
	p := serve(t, newEcho())
	raw, err := io.ReadAll(p.open(http.MethodGet, "/.well-known/agent-card.json", "", "Host", "evil.example", "X-Forwarded-Host", "evil.example").Body)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
		Skills              []struct{ ID string }
	}
	if err := json.Unmarshal(raw, &c); err != nil || len(c.SupportedInterfaces) != 2 || len(c.Skills) != 2 {
		t.Errorf("%s, %v", raw, err)
	}
	for _, i := range c.SupportedInterfaces {
		if !strings.HasPrefix(i.URL, p.URL+"/agent/") || i.ProtocolVersion != "1.0" {
			t.Errorf("%+v", i)
		}
	}
}

// TestAttackA2ATasks: tasks beyond the bound are refused, and those under way go on.
func TestAttackA2ATasks(t *testing.T) {
	t.Parallel()
	e := newEcho()
	p := serve(t, e)
	for i := range maxTasks {
		d := (*desk)(p.face)
		o := Errand{Task: fmt.Sprint(i), Skill: "wait", Input: json.RawMessage(`"x"`)}
		if _, fresh, err := d.enter(key{"", o.Task}, o); err != nil || !fresh {
			t.Fatal(i, err)
		}
	}
	if got := p.call("SendMessage", message("m", "say", `{"text":"x"}`)); !strings.Contains(got, "-32000") {
		t.Error(got)
	}
	for range maxTasks {
		p.face.orders.Done()
	}
}

// TestAttackA2AUnread: a client that never reads its stream is cut off.
func TestAttackA2AUnread(t *testing.T) {
	t.Parallel()
	e := newEcho()
	ctx, stop := context.WithCancel(context.Background())
	f := New(ctx, slog.New(slog.DiscardHandler))
	f.patience = 50 * time.Millisecond
	left := make(chan struct{}, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.Serve(w, r, Visit{Path: r.URL.Path, Clerk: e})
		left <- struct{}{}
	}))
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(4 << 10); err != nil {
			t.Error(err)
		}
		return ctx
	}
	s.Start()
	t.Cleanup(func() { stop(); s.Close(); f.Wait() })
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := message("m", "say", `{"text":"`+strings.Repeat("x", maxMessage/2)+`"}`)
	_, err = fmt.Fprintf(c, "POST /rest/message:stream HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if err := errors.Join(err, c.(*net.TCPConn).SetReadBuffer(4<<10)); err != nil {
		t.Fatal(err)
	}
	<-left // nothing was read
}

// TestBounds: a task keeps only so many steps, and the shelf only so many tasks.
func TestBounds(t *testing.T) {
	t.Parallel()
	one := newTask(Errand{Task: "t"})
	for range 2 * maxSteps {
		one.say(strings.Repeat("x", maxStep))
	}
	if one.bytes > maxStepped || len(one.events) != len(one.said) || len(one.said) == 0 {
		t.Errorf("%d bytes, %d events", one.bytes, len(one.events))
	}
	s := shelf{at: map[key]int{}}
	for i := range 3 * maxShelved {
		s.put(key{"o", fmt.Sprint(i)}, Filed{Errand: Errand{Task: fmt.Sprint(i)}})
	}
	s.put(key{"o", "big"}, Filed{Errand: Errand{Task: "big"}, Delivery: Delivery{Result: make([]byte, maxShelf-1000)}})
	if len(s.all) > maxShelved || s.bytes > maxShelf || len(s.at) != len(s.all) {
		t.Errorf("%d tasks, %d bytes, %d names", len(s.all), s.bytes, len(s.at))
	}
	if r, found := s.get(key{"o", "big"}); !found || r.Task != "big" {
		t.Error("the latest is gone")
	}
	if _, found := s.get(key{"o", "0"}); found {
		t.Error("the oldest is there")
	}
}

// FuzzOrder: whatever a message has is an order within the bounds, or refused; and what clients see
// of it can be written.
func FuzzOrder(f *testing.F) {
	for _, part := range []string{`{"text":"x"}`, `{"data":{"a":[1,null]}}`, `{"data":null}`, `{"url":"x"}`, `{"text":"a"},{"text":"b"}`} {
		f.Add([]byte(message("m", "say", part)))
	}
	p, err := newEcho().Portray(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var req sdk.SendMessageRequest
		if json.Unmarshal(raw, &req) != nil {
			return
		}
		o, err := order(Visit{Owner: "o"}, p, &req)
		if err != nil {
			return
		}
		if !json.Valid(o.Input) || len(o.Task) > maxContext+maxID || contextOf(o.Task) == "" {
			t.Errorf("%+v", o)
		}
		if _, err := json.Marshal(Filed{o, Delivery{Result: o.Input}}.task()); err != nil {
			t.Error(err)
		}
	})
}
