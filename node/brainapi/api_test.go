package brainapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/brainview"
	"ojud/node/client"
	"ojud/node/megabrain"
)

const uuid = "3f1c9b1e-7c1a-4c55-9d0a-2f6f6f1d2a10"

// world is a server with one agent, whose key it holds.
type world struct {
	t       *testing.T
	server  *AgentAPI
	now     time.Time
	private ed25519.PrivateKey
	self    onchain.Address
	task    onchain.Address
	other   onchain.Address // a worker that revealed
	detail  brainview.Detail
	fault   error
	before  []brainview.Outline // newer tasks of strangers

	commits, scores int
	proof           []byte
	said            []megabrain.Score
	document        []byte
	given           map[[32]byte]bool
	alone           bool // there is no memory node
}

func (w *world) Tasks(context.Context) (brainview.List, error) {
	return brainview.List{Now: w.detail.Now, Tasks: append(w.before, w.detail.Outline)}, w.fault
}

func (w *world) Task(_ context.Context, at onchain.Address) (brainview.Detail, error) {
	if at != w.task {
		return brainview.Detail{}, brainview.ErrNone
	}
	return w.detail, w.fault
}

func (w *world) Members(context.Context) ([]brainview.Membership, error) {
	return []brainview.Membership{
		{Agent: w.self.String(), Role: "worker", Class: onchain.Address{8}.String(), ClassName: "facts", Reputation: 1_500, LastActive: 7},
		{Agent: w.self.String(), Role: "evaluator", Class: onchain.Address{8}.String(), ClassName: "facts", Reputation: 2_500, LastActive: 9},
	}, w.fault
}

func (w *world) Anew(ctx context.Context, at onchain.Address) (brainview.Detail, error) {
	return w.Task(ctx, at)
}

// Acting is as the reader of the chain says it.
func (w *world) Acting(context.Context) (map[string][]string, error) {
	var out []string
	for _, seat := range w.detail.Seats {
		if w.detail.Stage() == brain.Working && seat.State == "drawn" {
			out = append(out, seat.Worker)
		}
	}
	for _, e := range w.detail.Jury {
		if w.detail.Stage() == brain.Evaluating && e.State == "drawn" {
			out = append(out, e.Evaluator)
		}
	}
	return map[string][]string{w.detail.Task: out}, w.fault
}

func (w *world) Commit(_ context.Context, _ onchain.Address, result []byte, _ string, proof []byte) (megabrain.Spoken, error) {
	w.commits++
	w.proof = proof
	return megabrain.Spoken{Sent: client.Sent{Signature: "sig"}, Hash: fmt.Sprintf("%x", len(result))}, w.fault
}

func (w *world) Evaluate(_ context.Context, _ onchain.Address, scores []megabrain.Score, document []byte, _ string) (megabrain.Spoken, error) {
	w.scores++
	w.said, w.document = scores, document
	return megabrain.Spoken{Sent: client.Sent{Signature: "sig2"}}, w.fault
}

func (w *world) Find(context.Context, onchain.Address, megabrain.Gaps) (megabrain.Found, error) {
	return megabrain.Found{}, w.fault
}

func (w *world) Dispute(context.Context, megabrain.Found, string) (megabrain.Disputed, error) {
	return megabrain.Disputed{Dispute: "CASE", Stake: 5}, w.fault
}

func (w *world) File(_ context.Context, _ onchain.Address, hash [32]byte) ([]byte, finding.Attachment, error) {
	if hash != sha256.Sum256([]byte("notes")) {
		return nil, finding.Attachment{}, brainview.ErrNoFile
	}
	return []byte("notes"), finding.Attachment{Name: "no\"tes.txt", Type: "text/html", Bytes: 5}, w.fault
}

func (w *world) Give(_ context.Context, _ onchain.Address, content []byte) (nodes int, err error) {
	if w.alone {
		return 0, nil
	}
	w.given[hash(content)] = true
	return 1, nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Unix(1_000_000, 0), private: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, 32)), task: onchain.Address{7}, other: onchain.Address{9}, given: map[[32]byte]bool{}}
	copy(w.self[:], w.private.Public().(ed25519.PublicKey))
	w.at(brain.Working)
	w.server = New(Means{
		View: w, Hands: map[onchain.Address]Hand{w.self: w}, Folder: megabrain.Folder{Dir: t.TempDir()}, Secret: make([]byte, 32), Life: time.Hour,
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
		Appeal: func(_ context.Context, key onchain.Address, g megabrain.Grievance) (megabrain.Contested, error) {
			if key != w.self || g != (megabrain.Grievance{Task: w.task, Worker: 2, Reason: "It is right."}) {
				return megabrain.Contested{}, errors.New("megabrain: another appeal")
			}
			return megabrain.Contested{Dispute: "CASE", Stake: 5, Fee: 6, Opened: "wrong"}, nil
		},
	})
	return w
}

// at puts the task to a stage.
func (w *world) at(s brain.Stage) {
	w.detail = brainview.Detail{
		Outline: brainview.At(s, brainview.Outline{Keys: brainview.TaskKeys{Task: w.task, Class: onchain.Address{8}}, Task: w.task.String(), Class: onchain.Address{8}.String(), ClassName: "facts", Requester: onchain.Address{2}.String(), Question: "When?",
			Budget: 1_000, WorkerStake: 50, ScorerStake: 30, Submission: 5_000, Until: 9_000, Over: s >= brain.Settled, Paid: 3}),
		Now: 4_000, Seats: []brainview.WorkPlace{{Worker: w.self.String(), State: "drawn"}, {Worker: w.other.String(), State: "revealed", Hash: "ab", Result: json.RawMessage(`{"year":1931}`)}},
		Jury: []brainview.ScoreSeat{{Evaluator: w.self.String(), State: "drawn", Says: []brainview.Remark{{Worker: 2, Score: 5}}}},
	}
	if s > brain.Revealing {
		w.detail.Seats[0].Worker = onchain.Address{10}.String()
	}
}

// send sends a request and returns the answer.
func (w *world) send(method, path, token string, header map[string]string, body io.Reader) (int, string) {
	w.t.Helper()
	r := httptest.NewRequest(method, "/api/v1"+path, body)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	out := httptest.NewRecorder()
	w.server.ServeHTTP(out, r)
	text := out.Body.String()
	if kind := out.Header().Get("Content-Type"); out.Code >= 400 && (kind != "application/problem+json" || !strings.Contains(text, `"detail"`) || !strings.Contains(text, `"status"`)) {
		w.t.Errorf("%s %s: %d is no problem of RFC 9457: %s %s", method, path, out.Code, kind, text)
	}
	return out.Code, text
}

// signed is the body of a registration.
func (w *world) signed(id string, at int64) map[string]any {
	return map[string]any{
		"agentId": id, "publicKey": fmt.Sprintf("0x%x", w.self[:]), "timestamp": at,
		"signature": fmt.Sprintf("0x%x", ed25519.Sign(w.private, fmt.Appendf(nil, "MBP_REGISTER:%s:%d", id, at))),
	}
}

func (w *world) post(path, token string, header map[string]string, body any) (int, string) {
	w.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	if header == nil {
		header = map[string]string{}
	}
	header["Content-Type"] = "application/json"
	return w.send(http.MethodPost, path, token, header, bytes.NewReader(raw))
}

// token registers the agent.
func (w *world) token() string {
	w.t.Helper()
	code, body := w.post("/auth/register", "", nil, w.signed(uuid, w.now.Unix()))
	var out struct{ Token string }
	if err := json.Unmarshal([]byte(body), &out); err != nil || code != http.StatusCreated || out.Token == "" {
		w.t.Fatal(code, body, err)
	}
	return out.Token
}

// part is a part of a form.
type part struct{ name, file, kind, content string }

// hand hands a form in.
func (w *world) hand(token string, header map[string]string, parts ...part) (int, string) {
	w.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name=%q`, p.name)}}
		if p.file != "" {
			h.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename=%q`, p.name, p.file))
		}
		if p.kind != "" {
			h.Set("Content-Type", p.kind)
		}
		out, err := m.CreatePart(h)
		if err == nil {
			_, err = io.WriteString(out, p.content)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		w.t.Fatal(err)
	}
	if header == nil {
		header = map[string]string{}
	}
	header["Content-Type"] = m.FormDataContentType()
	return w.send(http.MethodPost, "/tasks/"+id(w.task)+"/submit", token, header, &b)
}

func id(at onchain.Address) string { return fmt.Sprintf("0x%x", at[:]) }

// expect fails if an answer is another one.
func expect(t *testing.T, what string, code int, body string, want int, says string) {
	t.Helper()
	if code != want || !strings.Contains(body, says) {
		t.Errorf("%s: %d %s, want %d with %q", what, code, body, want, says)
	}
}

// TestRegister: an agent registers by its signature. Other forms, an old timestamp, a false
// signature, a second use and the name of another are refused.
func TestRegister(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	for what, c := range map[string]struct {
		change map[string]any
		code   int
		says   string
	}{
		"no UUID":        {map[string]any{"agentId": "bob"}, 422, "UUID of version 4"},
		"UUID version 1": {map[string]any{"agentId": "3f1c9b1e-7c1a-1c55-9d0a-2f6f6f1d2a10"}, 422, "UUID of version 4"},
		"another name":   {map[string]any{"agentId": "3f1c9b1e-7c1a-4c55-9d0a-2f6f6f1d2a11"}, 401, "signature is not that"},
		"short key":      {map[string]any{"publicKey": "0x12"}, 422, "0x and 64 hexadecimal digits"},
		"no 0x":          {map[string]any{"publicKey": strings.Repeat("ab", 32)}, 422, "0x and 64 hexadecimal digits"},
		"short":          {map[string]any{"signature": "0x"}, 422, "0x and 128 hexadecimal digits"},
		"false":          {map[string]any{"signature": "0x" + strings.Repeat("00", 64)}, 401, "signature is not that"},
		"old":            {map[string]any{"timestamp": w.now.Unix() - 301}, 401, "at most 300 s"},
		"early":          {map[string]any{"timestamp": w.now.Unix() + 301}, 401, "at most 300 s"},
		"further member": {map[string]any{"admin": true}, 422, "unexpected property"},
		"again":          {nil, 409, "sign a new timestamp"},
	} {
		body := w.signed(uuid, w.now.Unix())
		for name, value := range c.change {
			body[name] = value
		}
		code, text := w.post("/auth/register", "", nil, body)
		expect(t, what, code, text, c.code, c.says)
	}
	other := newWorld(t)
	other.private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{4}, 32))
	copy(other.self[:], other.private.Public().(ed25519.PublicKey))
	code, text := w.post("/auth/register", "", nil, other.signed(uuid, w.now.Unix()))
	expect(t, "a taken name", code, text, 409, "another key registered")
	code, text = w.post("/auth/register", "", nil, other.signed("3f1c9b1e-7c1a-4c55-9d0a-2f6f6f1d2a12", w.now.Unix()))
	expect(t, "a key that is not held", code, text, 201, `"acts":false`)

	for what, header := range map[string]string{"none": "", "basic": "Basic x", "damaged": "Bearer " + token[:len(token)-4] + "AAAA", "long": "Bearer " + strings.Repeat("a", 3_000),
		"without signature": "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJvanVkLWJyYWluIiwiZXhwIjo5OTk5OTk5OTk5fQ."} {
		code, text := w.send("GET", "/tasks/available?role=worker", "", map[string]string{"Authorization": header}, nil)
		expect(t, what, code, text, 401, "register")
	}
	w.now = w.now.Add(time.Hour)
	code, text = w.send("GET", "/tasks/available?role=worker", token, nil, nil)
	expect(t, "an hour later", code, text, 401, "expired")
}

// TestAvailable: an agent sees tasks in which it acts now or may be drawn, by role and class.
func TestAvailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	for _, c := range []struct {
		stage brain.Stage
		query string
		code  int
		has   string
	}{
		{brain.Working, "role=worker", 200, `"seat":"drawn"`}, {brain.Working, "role=worker&capabilities=facts,other", 200, `"stakeRequired":50`},
		{brain.Working, "role=worker&capabilities=" + id(onchain.Address{8}), 200, `"deadline":5000`}, {brain.Working, "role=worker&capabilities=other", 200, `{"tasks":[]}`},
		{brain.Working, "role=evaluator", 200, `"seat":"waiting"`}, {brain.DrawWorkers, "role=worker", 200, `"seat":"waiting"`}, {brain.Revealing, "role=worker", 200, `{"tasks":[]}`},
		{brain.Evaluating, "role=evaluator", 200, `"deadline":9000`}, {brain.Posted, "role=evaluator", 200, `{"tasks":[]}`},
		{brain.Working, "role=boss", 422, "role"}, {brain.Working, "", 422, "role"}, {brain.Working, "role=worker&capabilities=" + strings.Repeat("a,", 40), 422, "32"},
	} {
		w.at(c.stage)
		code, body := w.send("GET", "/tasks/available?"+c.query, token, nil, nil)
		expect(t, c.query, code, body, c.code, c.has)
		if c.code == 200 && !strings.HasPrefix(body, `{"tasks":[`) {
			t.Errorf("the answer is not as the specification writes it: %s", body)
		}
	}
	w.fault = ledger.ErrUnavailable
	code, body := w.send("GET", "/tasks/available?role=worker", token, nil, nil)
	expect(t, "no chain", code, body, 503, "the chain does not answer")
}

// TestAttackHiddenBySmallTasks: fifty newer tasks of strangers, which wait for evaluators, hid the
// one in which the agent has to score, so that it was silent and was slashed.
func TestAttackHiddenBySmallTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	for i := range maxAvailable {
		w.at(brain.Working)
		w.detail.Keys.Task, w.detail.Outline.Task = onchain.Address{20, byte(i)}, onchain.Address{20, byte(i)}.String()
		w.before = append(w.before, w.detail.Outline)
	}
	w.at(brain.Evaluating)
	code, body := w.send("GET", "/tasks/available?role=evaluator", token, nil, nil)
	expect(t, "fifty tasks of strangers", code, body, 200, `{"tasks":[{"taskId":"`+hexed(w.task))
	if n := strings.Count(body, `"seat":"waiting"`); n != maxAvailable-1 {
		t.Errorf("%d tasks wait", n)
	}
}

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// TestSubmit: a result is committed with its attachments, which go to the memory nodes when it is
// revealed. What is too long, mislabelled or in another form is refused, and commits nothing.
func TestSubmit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	result, summary := part{name: "result", content: `{"year": 1931}`}, part{name: "summary", content: strings.Repeat("a", 500)}
	file := func(name, kind, content string) part { return part{"attachments", name, kind, content} }
	for what, c := range map[string]struct {
		parts []part
		code  int
		says  string
	}{
		"501 characters": {[]part{result, {name: "summary", content: strings.Repeat("é", 501)}}, 422, "summary has 501 characters"},
		"701 bytes":      {[]part{result, {name: "summary", content: strings.Repeat("é", 350) + "a"}}, 422, "351 characters and 701 bytes"},
		"no summary":     {[]part{result}, 422, "no field summary"},
		"no result":      {[]part{summary}, 422, "no field result"},
		"two results":    {[]part{result, result, summary}, 422, "one result"},
		"no JSON":        {[]part{{name: "result", content: `{`}, summary}, 422, "result: "},
		"a large result": {[]part{{name: "result", content: `"` + strings.Repeat("a", 23<<10) + `"`}, summary}, 413, "at most 22528 bytes"},
		"another field":  {[]part{result, summary, {name: "admin", content: "1"}}, 422, "admin"},
		"another file":   {[]part{result, summary, {"more", "a.txt", "text/plain", "a"}}, 422, "files are attachments"},
		"a false image":  {[]part{result, summary, file("a.png", "image/png", "GIF89a....")}, 415, "it is image/gif"},
		"a page as text": {[]part{result, summary, file("a.txt", "text/plain", png)}, 415, "it is image/png"},
		"no JSON file":   {[]part{result, summary, file("a.json", "application/json", "{")}, 415, "no JSON"},
		"a program":      {[]part{result, summary, file("a.exe", "application/x-msdownload", "MZ")}, 415, "is not taken"},
		"no type":        {[]part{result, summary, file("a", "", "a")}, 415, "no Content-Type"},
		"a path":         {[]part{result, summary, file(`a\b`, "text/plain", "a")}, 422, "no path"},
		"five files":     {[]part{result, summary, file("a", "text/plain", "a"), file("b", "text/plain", "a"), file("c", "text/plain", "a"), file("d", "text/plain", "a"), file("e", "text/plain", "a")}, 422, "5 attachments"},
		"a large file":   {[]part{result, summary, file("a", "text/plain", strings.Repeat("a", maxAttachment+1))}, 413, "at most 262144"},
	} {
		code, body := w.hand(token, nil, c.parts...)
		expect(t, what, code, body, c.code, c.says)
	}
	if w.commits != 0 {
		t.Fatalf("%d commitments", w.commits)
	}
	if code, _ := w.hand(token, nil, result, summary, file("a", "text/plain", strings.Repeat("a", maxBody))); code < 400 || code >= 500 {
		t.Errorf("a body of more than %d bytes: %d", maxBody, code)
	}
	key := map[string]string{"Idempotency-Key": "one"}
	parts := []part{result, summary, file("a.png", "image/png", png), file("notes.txt", "text/plain", "notes")}
	code, body := w.hand(token, key, parts...)
	expect(t, "a result", code, body, 200, `"confirmations":1`)
	if w.commits != 1 || len(w.proof) != 32 || !strings.Contains(body, `"submissionId":"0x`) || !strings.Contains(body, `"resultHash":"0x`) || !strings.Contains(body, `"txHash":"sig"`) {
		t.Errorf("%d commitments, proof %x: %s", w.commits, w.proof, body)
	}
	again, same := w.hand(token, key, parts...)
	if again != code || same != body || w.commits != 1 {
		t.Errorf("the second answer is %d %s, %d commitments", again, same, w.commits)
	}
	code, body = w.hand(token, key, result, summary)
	expect(t, "a used key", code, body, 422, "another request")
	if err := w.server.Tend(t.Context()); err != nil || len(w.given) != 0 {
		t.Errorf("%v, %d were given before the result is revealed", err, len(w.given))
	}
	w.detail.Seats[0].State = "revealed"
	if err := w.server.Tend(t.Context()); err != nil || !w.given[hash([]byte(png))] || !w.given[hash([]byte("notes"))] || !w.given[[32]byte(w.proof)] {
		t.Errorf("%v: the attachments were not given: %v", err, len(w.given))
	}
	code, body = w.send("POST", "/tasks/0x12/submit", token, map[string]string{"Content-Type": "multipart/form-data; boundary=x"}, strings.NewReader("--x--"))
	expect(t, "a short task", code, body, 422, "0x and 64 hexadecimal digits")
	w.fault = brain.Denial(6_000)
	code, body = w.hand(token, nil, result, summary)
	expect(t, "the program refuses", code, body, 409, "refused")
	delete(w.server.n.Hands, w.self)
	code, body = w.hand(token, nil, result, summary)
	expect(t, "another's key", code, body, 403, "does not hold the key")
}

// slow is a body during which time goes on.
type slow struct {
	io.Reader
	late func()
}

func (s slow) Read(p []byte) (int, error) {
	s.late()
	return s.Reader.Read(p)
}

// TestLateToken: a token that expires in the middle of an upload commits nothing.
func TestLateToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	form := "--x\r\nContent-Disposition: form-data; name=\"result\"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name=\"summary\"\r\n\r\na\r\n--x--\r\n"
	kind := map[string]string{"Content-Type": "multipart/form-data; boundary=x"}
	code, body := w.send("POST", "/tasks/"+id(w.task)+"/submit", token, kind, slow{strings.NewReader(form), func() { w.now = w.now.Add(time.Hour) }})
	expect(t, "a late token", code, body, 401, "expired while the request came in")
	if w.commits != 0 {
		t.Error("it was committed")
	}
	token = w.token()
	code, body = w.send("POST", "/tasks/"+id(w.task)+"/submit", token, kind, strings.NewReader(form))
	expect(t, "in time", code, body, 200, "resultHash")
}

// TestEvaluate: scores are kept one by one and committed together, with the last one or when the
// time is nearly over.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	say := func(worker string, header map[string]string, body map[string]any) (int, string) {
		return w.post("/tasks/"+id(w.task)+"/evaluate/"+worker, token, header, body)
	}
	good := map[string]any{"score": 100, "confidence": 0, "rationale": "I looked", "corrections": []any{"a", map[string]int{"line": 3}}}
	w.at(brain.Evaluating)
	w.detail.Embedding = &finding.Embedding{Name: "small", Dimensions: 3, Near: 3000}
	third := onchain.Address{11}
	w.detail.Seats = append(w.detail.Seats, brainview.WorkPlace{Worker: third.String(), State: "revealed"})
	for what, c := range map[string]struct {
		worker string
		body   map[string]any
		code   int
		says   string
	}{
		"101 points":         {id(w.other), map[string]any{"score": 101, "confidence": 5, "rationale": ""}, 422, "100"},
		"less than none":     {id(w.other), map[string]any{"score": -1, "confidence": 5, "rationale": ""}, 422, "0"},
		"half a point":       {id(w.other), map[string]any{"score": 0.5, "confidence": 5, "rationale": ""}, 422, "integer"},
		"too sure":           {id(w.other), map[string]any{"score": 1, "confidence": 101, "rationale": ""}, 422, "100"},
		"a text":             {id(w.other), map[string]any{"score": "9", "confidence": 1, "rationale": ""}, 422, "integer"},
		"no score":           {id(w.other), map[string]any{"confidence": 1, "rationale": ""}, 422, "score"},
		"a long reason":      {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": strings.Repeat("a", 10_001)}, 422, "10000"},
		"the same as nobody": {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": "", "sameAs": []string{id(onchain.Address{10})}}, 422, "handed in nothing"},
		"the same as itself": {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": "", "sameAs": []string{id(w.other)}}, 422, "this worker"},
		"two numbers":        {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": "", "vector": []int{1, 2}}, 422, "has 2 numbers"},
		"no direction":       {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": "", "vector": []int{0, 0, 0}}, 422, "no direction"},
		"no whole number":    {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": "", "vector": []any{1.5, 0, 0}}, 422, "integer"},
		"a large number":     {id(w.other), map[string]any{"score": 1, "confidence": 1, "rationale": "", "vector": []int{32768, 0, 0}}, 422, "int16"},
		"no worker":          {id(onchain.Address{99}), good, 409, "no worker of this task"},
		"its own":            {id(w.self), good, 409, "its own work"},
		"nothing to look at": {id(onchain.Address{10}), good, 409, "handed in nothing"},
		"a name":             {"bob", good, 422, "0x and 64 hexadecimal digits"},
	} {
		code, body := say(c.worker, nil, c.body)
		expect(t, what, code, body, c.code, c.says)
	}
	code, body := say(id(w.other), map[string]string{"Idempotency-Key": "e"}, good)
	expect(t, "the first", code, body, 200, `"txHash":"","committed":false,"left":1`)
	if err := w.server.Tend(t.Context()); err != nil || w.scores != 0 {
		t.Errorf("%v, %d commitments before the last minutes", err, w.scores)
	}
	code, body = say(id(third), nil, map[string]any{"score": 3, "confidence": 50, "rationale": "", "sameAs": []string{id(w.other)}, "vector": []int{-7, 0, 32767}})
	expect(t, "the last", code, body, 200, `"txHash":"sig2","committed":true`)
	if w.scores != 1 || len(w.said) != 2 || w.said[0].Score != 100 || w.said[1].Score != 3 {
		t.Errorf("%d commitments: %+v", w.scores, w.said)
	}
	if remarks := finding.ReadRemarks(w.document); !slices.Equal(remarks[third.String()].SameAs, []string{w.other.String()}) {
		t.Errorf("it commits to %s", w.document)
	}
	if text := string(w.document); !strings.Contains(text, `"vectors":{"`+third.String()+`":[-7,0,32767]}`) || strings.Contains(text, `"vector":`) {
		t.Errorf("it commits to %s", text)
	}
	w.detail.Now = w.detail.Until - 500
	if err := w.server.Tend(t.Context()); err != nil || w.scores != 2 {
		t.Errorf("%v, %d commitments in the last minutes", err, w.scores)
	}
	w.detail.Jury[0].State = "committed"
	code, body = say(id(w.other), nil, good)
	expect(t, "after the commitment", code, body, 409, "a commitment stays")
	w.at(brain.Working)
	code, body = say(id(w.other), nil, good)
	expect(t, "too early", code, body, 409, "one evaluates while")
}

// TestSameBothWays: results of all workers that mean the same, named in both directions, are a
// document that a desk commits to.
func TestSameBothWays(t *testing.T) {
	t.Parallel()
	var workers []string
	for n := range brain.MaxSeats {
		workers = append(workers, onchain.Address{byte(n + 1)}.String())
	}
	var all []evaluation
	for _, w := range workers {
		others := slices.DeleteFunc(slices.Clone(workers), func(o string) bool { return o == w })
		all = append(all, evaluation{Worker: w, Score: 90, Confidence: 90, SameAs: others})
	}
	raw, err := document(all)
	if err != nil {
		t.Fatal(err)
	}
	var says finding.Says
	if err := json.Unmarshal(raw, &says); err != nil {
		t.Fatal(err)
	}
	if err := says.Check(finding.TaskClass{}, workers); err != nil || len(says.Same) != len(workers)*(len(workers)-1)/2 {
		t.Errorf("%d groups, %v", len(says.Same), err)
	}
}

// TestSecondRound: an evaluator that is asked about further workers scores those alone, and the
// server commits to that at once. Whoever was scored in the first round is refused.
func TestSecondRound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	w.at(brain.Evaluating)
	third, score := onchain.Address{11}, map[string]any{"score": 3, "confidence": 50, "rationale": ""}
	w.detail.Seats = append(w.detail.Seats, brainview.WorkPlace{Worker: onchain.Address{12}.String(), State: "revealed"})
	code, body := w.post("/tasks/"+id(w.task)+"/evaluate/"+id(w.other), token, nil, score)
	expect(t, "the first round", code, body, 200, `"committed":false,"left":1`)
	w.detail.Jury[0].Asked = len(w.detail.Seats)
	for i := range w.detail.Seats {
		w.detail.Jury[0].Final = append(w.detail.Jury[0].Final, i+1)
	}
	w.detail.Now = w.detail.Until - 1
	if err := w.server.Tend(t.Context()); err != nil || w.scores != 0 {
		t.Errorf("%v, scores of the first round were committed again", err)
	}
	w.detail.Now = w.detail.Until - 500
	w.detail.Seats = append(w.detail.Seats, brainview.WorkPlace{Worker: third.String(), State: "revealed"})
	code, body = w.post("/tasks/"+id(w.task)+"/evaluate/"+id(w.other), token, nil, score)
	expect(t, "a first result", code, body, 409, "was scored before further workers were called")
	if _, body = w.send("GET", "/tasks/"+id(w.task)+"/results", token, nil, nil); strings.Count(body, `"scored":true`) != len(w.detail.Seats)-1 {
		t.Errorf("which results take no more scores: %s", body)
	}
	code, body = w.post("/tasks/"+id(w.task)+"/evaluate/"+id(third), token, nil, score)
	expect(t, "the further one", code, body, 200, `"committed":true,"left":0`)
	if w.scores != 1 || len(w.said) != 1 || w.said[0].Worker != third.String() {
		t.Errorf("%d commitments: %+v", w.scores, w.said)
	}
}

// TestAttackShownLater: a result that was withheld in the first round takes scores in the second,
// and a further evaluator is asked about all. The server told neither of them so.
func TestAttackShownLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	w.at(brain.Evaluating)
	w.detail.Jury[0].Asked = len(w.detail.Seats)
	score := map[string]any{"score": 3, "confidence": 50, "rationale": ""}
	if _, body := w.send("GET", "/tasks/"+id(w.task)+"/results", token, nil, nil); strings.Contains(body, `"scored":true`) {
		t.Errorf("a result takes no more scores: %s", body)
	}
	code, body := w.post("/tasks/"+id(w.task)+"/evaluate/"+id(w.other), token, nil, score)
	expect(t, "a result that was shown later", code, body, 200, `"committed":true`)
}

// header asks for the header of an answer.
func (w *world) header(path, token string) http.Header {
	r := httptest.NewRequest(http.MethodGet, root+path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	out := httptest.NewRecorder()
	w.server.ServeHTTP(out, r)
	return out.Header()
}

// TestRead: states, results, reputations and disputes are there, for those who have a token.
func TestRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	w.detail.Dispute, w.detail.Opponent, w.detail.Verdict = "CASE", w.other.String(), brainview.Upheld
	task := "/tasks/" + id(w.task)
	for path, says := range map[string]string{
		task: `"status":"workers work","phase":"Open"`, task + "/results": `"result":{"year":1931}`, task + "/dispute": `"verdict":"upheld"`,
		"/agents/" + uuid + "/reputation": `"workerScore":1500,"evaluatorScore":2500,"lastActive":9`, "/agents/" + id(w.self) + "/reputation": `"className":"facts"`,
	} {
		code, body := w.send("GET", path, token, nil, nil)
		expect(t, path, code, body, 200, says)
		code, body = w.send("GET", path, "", nil, nil)
		expect(t, path, code, body, 401, "no token")
	}
	w.detail.Seats[1].Files = []finding.Attachment{{Name: "notes.txt", Type: "text/plain", Bytes: 5, SHA256: "ab"}}
	w.detail.Seats[1].Proof = "seen by a notary"
	w.detail.Jury[0].Says = []brainview.Remark{{Worker: 2, Score: 5, Confidence: 9, Remark: finding.Remark{Rationale: "wrong", Corrections: []json.RawMessage{[]byte(`"the year"`)}}}}
	for _, says := range []string{`"attachments":[{"name":"notes.txt","type":"text/plain","bytes":5,"sha256":"ab"}]`, `"proof":"seen by a notary"`, `"score":5,"confidence":9,"rationale":"wrong","corrections":["the year"]`} {
		code, body := w.send("GET", task+"/results", token, nil, nil)
		expect(t, "what stands beside", code, body, 200, says)
	}
	file := task + "/attachments/" + fmt.Sprintf("%x", sha256.Sum256([]byte("notes")))
	if head := w.header(file, token); head.Get("Content-Type") != "application/octet-stream" || head.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment; filename=") {
		t.Errorf("an attachment has the header %v", head)
	}
	code, body := w.send("GET", file, token, nil, nil)
	expect(t, "an attachment", code, body, 200, "notes")
	code, body = w.send("GET", file, "", nil, nil)
	expect(t, "an attachment without a token", code, body, 401, "")
	for path, want := range map[string]int{
		task + "/attachments/" + strings.Repeat("0", 64): 404, task + "/attachments/x": 422,
		"/tasks/" + id(onchain.Address{1}): 404, "/tasks/0x/results": 422, "/agents/nobody/reputation": 404, "/agents/" + strings.Repeat("a", 67) + "/reputation": 422, "/nothing": 404,
	} {
		code, body := w.send("GET", path, token, nil, nil)
		expect(t, path, code, body, want, "")
	}
	code, body = w.post(task+"/dispute", token, nil, map[string]any{"rationale": "worker 2 copied"})
	expect(t, "a dispute", code, body, 201, `"case":"CASE","stake":5`)
	code, body = w.post(task+"/dispute", token, nil, map[string]any{"rationale": ""})
	expect(t, "no reason", code, body, 422, "rationale")
	code, body = w.post(task+"/appeal", token, nil, map[string]any{"result": 2, "reason": "It is right."})
	expect(t, "an appeal", code, body, 201, `"case":"CASE","openedAs":"wrong","stake":5,"fee":6`)
	code, body = w.post(task+"/appeal", token, nil, map[string]any{"result": 9, "reason": "It is right."})
	expect(t, "no such result", code, body, 422, "result")
	code, body = w.post(task+"/appeal", token, nil, map[string]any{"result": 1, "reason": "Another."})
	expect(t, "an appeal that is refused", code, body, 409, "another appeal")
}

// TestEvents: a stream tells what was and what happens, each once.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token()
	w.at(brain.Settled)
	for query, has := range map[string][]string{
		"": {"event: TaskChanged", `"status":"settled"`}, "?taskId=" + id(w.task): {"event: ResultSubmitted", "event: EvaluationSubmitted", `"score":5`, "event: TaskSettled", `"totalPaid":3`},
		"?taskId=" + id(onchain.Address{1}): {"event: Failed", "no such task"},
	} {
		told := w.listen(token, query, has[len(has)-1])
		for _, want := range has {
			if !strings.Contains(told, want) {
				t.Errorf("%s: no %q in %s", query, want, told)
			}
		}
		if n := strings.Count(told, "TaskChanged"); n > 1 {
			t.Errorf("%s: told %d times", query, n)
		}
	}
	code, body := w.send("GET", "/events?taskId=bob", token, nil, nil)
	expect(t, "another form", code, body, 422, "taskId")
}

// listen follows events until a text was told.
func (w *world) listen(token, query, until string) string {
	w.t.Helper()
	server := httptest.NewServer(w.server)
	defer server.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/v1/events"+query, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := server.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	var told strings.Builder
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if told.WriteString(lines.Text() + "\n"); strings.Contains(lines.Text(), until) {
			break
		}
	}
	cancel()
	if err := answer.Body.Close(); err != nil {
		w.t.Error(err)
	}
	return told.String()
}

// TestOpenAPI: the description has all calls, is of version 3.1, and names no form that the server
// does not hold to.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code, body := w.send("GET", "/openapi.json", "", nil, nil)
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil || code != 200 || !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Fatal(code, err, doc.OpenAPI)
	}
	n := 0
	for _, calls := range doc.Paths {
		n += len(calls)
	}
	for _, path := range []string{"/auth/register", "/tasks/available", "/tasks/{taskId}/submit", "/tasks/{taskId}/evaluate/{workerId}", "/tasks/{taskId}/appeal", "/events"} {
		if doc.Paths["/api/v1"+path] == nil {
			t.Errorf("no %s", path)
		}
	}
	if n != 12 {
		t.Errorf("%d calls", n)
	}
}

func hash(content []byte) [32]byte { return sha256.Sum256(content) }

// FuzzToken: no header that a stranger wrote is a token.
func FuzzToken(f *testing.F) {
	for _, text := range []string{"", "Bearer x.y.z", "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJvanVkLWJyYWluIiwiZXhwIjo5OTk5OTk5OTk5fQ."} {
		f.Add(text)
	}
	s := New(Means{Secret: []byte("0123456789abcdef0123456789abcdef"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, header string) {
		if a, err := s.read(header); err == nil {
			t.Errorf("%q is the token of %s", header, a.id)
		}
	})
}
