package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	secretOne = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	secretTwo = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
	hookURL   = "https://hooks.example/T0KEN-IN-THE-PATH"
)

// receiver stands for the program of an operator. It answers as reply says and keeps what came.
type receiver struct {
	reply func(r *http.Request, n int) (*http.Response, error) // n counts from 1

	mu     sync.Mutex
	ids    []string
	bodies []string
	at     []time.Time
}

// answer makes an answer of a receiver.
func answer(status int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader("as you wish"))}
}

func always(status int) func(*http.Request, int) (*http.Response, error) {
	return func(*http.Request, int) (*http.Response, error) { return answer(status), nil }
}

func (r *receiver) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.ids, r.bodies, r.at = append(r.ids, q.Header.Get("webhook-id")), append(r.bodies, string(body)), append(r.at, time.Now())
	n := len(r.ids)
	r.mu.Unlock()
	return r.reply(q, n)
}

// got returns the IDs that came, in order.
func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ids)
}

func hooks(names ...string) Hooks {
	h := DefaultHooks()
	for _, name := range names {
		h.List = append(h.List, Hook{Name: name, URL: hookURL, Secret: "${env:SECRET}"})
	}
	return h
}

func lookup(name string) (string, bool) { return secretOne, name == "SECRET" }

// lockedLog keeps a log that is read while others write.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// open opens a sender whose receivers are one transport.
func open(t *testing.T, dir string, h Hooks, transport http.RoundTripper) (*Sender, *lockedLog) {
	t.Helper()
	if err := h.Validate(); err != nil {
		t.Fatal(err)
	}
	log := &lockedLog{}
	s, err := NewSender(h, Parts{
		Dir: dir, Court: "court", Judge: "judge", Transport: transport, LookupEnv: lookup, Log: slog.New(slog.NewTextHandler(log, nil)),
		Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// running runs a sender for a time.
func running(t *testing.T, s *Sender, d time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	time.Sleep(d)
	synctest.Wait()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func event(n int) Notification {
	return Notification{ID: IDOf(strconv.Itoa(n)), Kind: JudgeDrawn, Details: Details{Case: strconv.Itoa(n)}}
}

func events(s *Sender, most int) (ids []string) {
	for n := range most {
		s.Tell(event(n))
		ids = append(ids, event(n).ID)
	}
	return ids
}

// value returns the value of a counter or a gauge.
func value(c prometheus.Collector) (sum float64) {
	reg := prometheus.NewPedanticRegistry()
	if err := reg.Register(c); err != nil {
		panic(err)
	}
	all, err := reg.Gather()
	if err != nil {
		panic(err)
	}
	for _, m := range all[0].GetMetric() {
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return sum
}

// count returns a counter of the first receiver.
func count(s *Sender, end string) float64 {
	return value(s.ends.WithLabelValues(s.lines[0].hook.Name, end))
}

// TestSignature checks the example of the Standard Webhooks specification's libraries.
func TestSignature(t *testing.T) {
	const id, at, body = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, `{"test": 2432232314}`
	both, err := keys(secretOne + " " + secretTwo)
	if err != nil {
		t.Fatal(err)
	}
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := sign(both[:1], id, at, []byte(body)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := sign(both, id, at, []byte(body)); !strings.HasPrefix(got, want+" v1,") || len(got) != 2*len(want)+1 {
		t.Errorf("with two secrets: %s", got)
	}
	for _, wrong := range []string{"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_dG9vIHNob3J0", "whsec_%%%", secretOne + " " + secretOne + " " + secretOne} {
		if _, err := keys(wrong); err == nil || wrong != "" && wrong != secretPrefix && strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestDelivered: each receiver gets what it wants, in order, signed, and once.
func TestDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &receiver{reply: always(204)}
		h := hooks("all", "slashes")
		h.List[1].Events = []string{JudgeSlashed}
		s, log := open(t, t.TempDir(), h, to)
		want := events(s, 3)
		s.Tell(event(1)) // it was read twice
		running(t, s, time.Minute)
		if got := to.got(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		s.Tell(event(2)) // again, after its delivery
		s.Tell(Notification{Kind: JudgeSlashed, Details: Details{Lamports: 7, Text: strings.Repeat("ü", maxText)}})
		running(t, s, time.Minute)
		if got := to.got(); len(got) != 5 || got[3] != got[4] {
			t.Errorf("%q", got)
		}
		if b := to.bodies[3]; !strings.Contains(b, `"court":"court","judge":"judge","lamports":"7"`) || len(b) > maxFile {
			t.Errorf("%d bytes: %s", len(b), b)
		}
		if log.String() != "" || count(s, "delivered") != 4 || value(s.waiting) != 0 {
			t.Errorf("%s; %v delivered, %v wait", log, count(s, "delivered"), value(s.waiting))
		}
	})
}

// TestBadReceivers: whatever a receiver does, no notification is lost, the waits grow up to an hour
// and a fifth, the memory of an answer is bounded, and the log contains neither URL nor secret.
func TestBadReceivers(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(*http.Request, int) (*http.Response, error)
		says  string
	}{
		"never answers": {func(r *http.Request, _ int) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, "it did not answer in time"},
		"500": {always(500), "it answered 500"},
		"redirects": {func(*http.Request, int) (*http.Response, error) {
			return answer(302, "Location", "http://169.254.169.254/"), nil
		}, "redirects are not followed"},
		"401": {always(401), "check that it has the same secret"},
		"410": {always(410), "it answered 410"},
		"unreachable": {func(*http.Request, int) (*http.Response, error) {
			return nil, errors.New("connection refused")
		}, "connection refused"},
		"endless body": {func(*http.Request, int) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: io.NopCloser(endless{})}, nil
		}, "it answered 503"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to := &receiver{reply: c.reply}
				s, log := open(t, t.TempDir(), hooks("pager"), to)
				want := events(s, 3)
				running(t, s, 24*time.Hour)
				if text := log.String(); !strings.Contains(text, c.says) || strings.Contains(text, "T0KEN") || strings.Contains(text, "hooks.example") || strings.Contains(text, secretOne[6:]) {
					t.Errorf("%s", text)
				}
				tries := len(to.got())
				if tries < 20 || tries > 40 { // with waits of 5 s, 15 s, … 1 h
					t.Errorf("%d attempts in a day", tries)
				}
				for i, at := range to.at[1:] {
					if wait := at.Sub(to.at[i]); wait < firstWait*4/5 || wait > lastWait*6/5+10*time.Second {
						t.Errorf("attempt %d after %s", i+2, wait)
					}
				}
				if value(s.waiting) != 3 || count(s, "delivered")+count(s, "dropped") != 0 {
					t.Error("a notification was lost")
				}
				to.reply = always(200)
				running(t, s, 2*time.Hour)
				if got := to.got()[tries:]; !slices.Equal(got, want) {
					t.Errorf("afterwards %q, want %q", got, want)
				}
			})
		})
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestSlowReceiver: a receiver that is slow, but in time, gets everything and delays no other.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := &receiver{}, &receiver{reply: always(200)}
		slow.reply = func(*http.Request, int) (*http.Response, error) {
			time.Sleep(9 * time.Second)
			return answer(200), nil
		}
		s, _ := open(t, t.TempDir(), hooks("slow", "quick"), slow)
		s.lines[1].client.Transport = quick
		events(s, 5)
		running(t, s, time.Second)
		if len(quick.got()) != 5 || len(slow.got()) != 1 {
			t.Errorf("quick %d, slow %d", len(quick.got()), len(slow.got()))
		}
		running(t, s, time.Minute)
		if n := len(slow.got()); n < 5 || value(s.waiting) != 0 {
			t.Errorf("slow: %d", n) // the one that the stop interrupted came twice
		}
	})
}

// TestPoison: a notification that the receiver refuses does not hold up the others, and is given up
// in the end. A receiver that asks to be left alone is.
func TestPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := event(0).ID
		to := &receiver{}
		to.reply = func(r *http.Request, n int) (*http.Response, error) {
			switch {
			case r.Header.Get("webhook-id") == bad:
				return answer(422), nil
			case n == 2:
				return answer(429, "Retry-After", "600"), nil
			}
			return answer(200), nil
		}
		s, log := open(t, t.TempDir(), hooks("pager"), to)
		events(s, 3)
		running(t, s, 20*time.Minute)
		if wait := to.at[2].Sub(to.at[1]); wait != 600*time.Second {
			t.Errorf("after 429 it waited %s", wait)
		}
		if value(s.waiting) != 1 || count(s, "delivered") != 2 {
			t.Errorf("%v wait, %v delivered", value(s.waiting), count(s, "delivered"))
		}
		running(t, s, 80*time.Hour)
		if value(s.waiting) != 0 || count(s, "given_up") != 1 || !strings.Contains(log.String(), "was given up") {
			t.Errorf("it waits for ever: %s", log)
		}
	})
}

// TestRestart: what was promised is sent after an end at any moment, also if the end comes between
// an attempt and its answer; then it comes twice, with one ID.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		to := &receiver{}
		to.reply = func(r *http.Request, n int) (*http.Response, error) {
			if n == 2 {
				<-r.Context().Done() // the end comes while the answer is on its way
				return nil, r.Context().Err()
			}
			return answer(200), nil
		}
		s, _ := open(t, dir, hooks("pager"), to)
		want := events(s, 4)
		running(t, s, time.Second)
		if err := os.WriteFile(filepath.Join(dir, folder, "pager", fmt.Sprintf("%019d-%s.json.new", 1, want[0])), []byte(`{"ty`), 0o600); err != nil {
			t.Fatal(err) // a crash in the middle of a write leaves such a file
		}
		if n, err := Waiting(dir, "pager"); n != 3 || err != nil {
			t.Errorf("%d wait, %v", n, err)
		}
		s, _ = open(t, dir, hooks("pager"), to)
		s.Tell(event(2)) // the stream of events is read again from an older place
		running(t, s, time.Minute)
		if got := to.got(); !slices.Equal(got, []string{want[0], want[1], want[1], want[2], want[3]}) {
			t.Errorf("%q", got)
		}
	})
}

// TestBounds: a queue that is full, and a disk that fails, promise nothing and say so. A file that
// something damaged is dropped, not posted.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		to := &receiver{reply: always(200)}
		h := hooks("pager")
		h.MaxWaiting = 2
		s, log := open(t, dir, h, to)
		events(s, 3)
		if !strings.Contains(log.String(), errFull.Error()) || count(s, "dropped") != 1 || count(s, "promised") != 2 {
			t.Errorf("%s", log)
		}
		files, err := filepath.Glob(filepath.Join(dir, folder, "pager", "*.json"))
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		if err := os.WriteFile(files[0], []byte(`{"half`), 0o600); err != nil {
			t.Fatal(err)
		}
		running(t, s, time.Minute)
		if got := to.got(); len(got) != 1 || count(s, "dropped") != 2 || value(s.waiting) != 0 {
			t.Errorf("%q\n%s", got, log)
		}
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
		s.Tell(event(9))
		if count(s, "dropped") != 3 {
			t.Errorf("a promise without a disk: %s", log)
		}
	})
}

// TestNobody: without receivers nothing is written.
func TestNobody(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, hooks(), nil)
	s.Tell(event(1))
	var none *Sender
	none.Tell(event(1))
	if found, err := os.ReadDir(dir); err != nil || len(found) != 0 {
		t.Error(found, err)
	}
}

// TestWatch tells of what begins to fail, once, and of the same part at most once an hour.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		failing := map[string]map[string]string{"model": {"local": "its last call failed"}}
		of := func(what string) func() map[string]string {
			return func() map[string]string {
				mu.Lock()
				defer mu.Unlock()
				return failing[what]
			}
		}
		w := Watch{Sources: of("source"), Models: of("model"), Tell: func(n Notification) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, n.Kind+" "+n.Details.Text)
		}}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- w.Run(ctx) }()
		later := func(d time.Duration, what string, names map[string]string) {
			time.Sleep(d)
			mu.Lock()
			defer mu.Unlock()
			failing[what] = names
		}
		time.Sleep(5 * time.Second) // between two looks
		later(30*time.Second, "source", map[string]string{"site.post": "the source is down"})
		later(30*time.Second, "model", nil)
		for range 2 * 360 { // for four hours it fails and works in turn
			later(10*time.Second, "model", map[string]string{"local": "its last call failed"})
			later(10*time.Second, "model", nil)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		down := "model.down The model local fails: its last call failed."
		if !slices.Equal(told, []string{down, "source.failing The source site.post fails: the source is down.", down, down, down, down}) {
			t.Errorf("%q", told)
		}
	})
}

// TestSettings: each wrong setting is named with its fix, and no URL or secret is repeated.
func TestSettings(t *testing.T) {
	good := func() Hooks { return hooks("pager") }
	for want, change := range map[string]func(*Hooks){
		"timeout":                   func(h *Hooks) { h.Timeout = 0 },
		"max_waiting":               func(h *Hooks) { h.MaxWaiting = 0 },
		"give_up_after":             func(h *Hooks) { h.GiveUpAfter = time.Second },
		"at most 8":                 func(h *Hooks) { h.List = make([]Hook, 9) },
		"1 to 32 of a-z":            func(h *Hooks) { h.List[0].Name = "../x" },
		"two receivers":             func(h *Hooks) { h.List = append(h.List, h.List[0]) },
		"no http or https URL":      func(h *Hooks) { h.List[0].URL = "ftp://T0KEN" },
		"unencrypted":               func(h *Hooks) { h.List[0].URL = "http://T0KEN/" },
		"user name":                 func(h *Hooks) { h.List[0].URL = "https://T0KEN@x/" },
		"secret is no reference":    func(h *Hooks) { h.List[0].Secret = "T0KEN" },
		`did you mean "judge.paid"`: func(h *Hooks) { h.List[0].Events = []string{"judge.payd"} },
		"leave it out":              func(h *Hooks) { h.List[0].Events = []string{""} },
	} {
		h := good()
		change(&h)
		if err := h.Validate(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "T0KEN") {
			t.Errorf("%q: %v", want, err)
		}
	}
	h := good()
	h.List[0].URL = "${env:URL}"
	if err := h.Validate(); err != nil {
		t.Error(err)
	}
}

// TestNoWayIn: over real connections, a receiver on this machine is refused without allow_private,
// a redirect is not followed, and the answer is cut.
func TestNoWayIn(t *testing.T) {
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/secret", http.StatusTemporaryRedirect)
			return
		}
		w.Write(bytes.Repeat([]byte("x"), 1<<20))
	}))
	defer server.Close()
	p := Parts{LookupEnv: lookup, Log: slog.New(slog.DiscardHandler)}
	hook := Hook{Name: "here", URL: strings.Replace(server.URL, "http:", "https:", 1), Secret: "${env:SECRET}"}
	if _, _, err := Try(t.Context(), DefaultHooks(), hook, p); err == nil || !strings.Contains(err.Error(), "no public address") || !strings.Contains(err.Error(), "allow_private") {
		t.Errorf("a private address: %v", err)
	}
	hook.AllowPrivate, hook.URL = true, server.URL+"/away"
	if _, r, err := Try(t.Context(), DefaultHooks(), hook, p); err == nil || r.Status != 307 || asked["/secret"] != 0 {
		t.Errorf("a redirect: %+v, %v", r, err)
	}
	hook.URL = server.URL + "/long"
	if _, r, err := Try(t.Context(), DefaultHooks(), hook, p); err != nil || len(r.Text) != maxReply {
		t.Errorf("%d bytes of the answer, %v", len(r.Text), err)
	}
	hook.Secret = "${env:NONE}"
	if _, _, err := Try(t.Context(), DefaultHooks(), hook, p); err == nil || !strings.Contains(err.Error(), "${env:NONE}") {
		t.Errorf("a missing secret: %v", err)
	}
	if total := asked["/away"] + asked["/long"]; total != 2 {
		t.Errorf("asked %v", asked)
	}
}

// FuzzParseName: no name of a file makes an entry that is not of our form.
func FuzzParseName(f *testing.F) {
	f.Add("1790000000000000000-msg_00112233445566778899aabbccddeeff.json")
	f.Add("9999999999999999999-msg_00112233445566778899aabbccddeeff.json")
	f.Add("../1790000000000000000-msg_00112233445566778899aabbccddeeff.json")
	f.Fuzz(func(t *testing.T, name string) {
		if e, ok := parseName(name); ok && (filepath.Base(name) != name || e.file != name || !strings.HasPrefix(e.id, idPrefix)) {
			t.Errorf("%q: %+v", name, e)
		}
	})
}
