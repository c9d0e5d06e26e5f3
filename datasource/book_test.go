package datasource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"ojud/casefile"
	"ojud/datasource/kind"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upstream is an upstream that tests script.
type upstream struct {
	answer func(ctx context.Context, request json.RawMessage) (json.RawMessage, error)
	calls  atomic.Int32
	closed atomic.Int32
}

func (u *upstream) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	u.calls.Add(1)
	return u.answer(ctx, request)
}

func (u *upstream) Close() error {
	u.closed.Add(1)
	return nil
}

// post is a whole answer of the example.
const post = `{"id":"7","text":"hi, write to me@x.org","likes":3,"author":{"name":"al","email":"al@x.org","phone":"1","ssn":"2"},"ssn":"3"}`

const given = `{"author":{"name":"al"},"id":"7","likes":3,"text":"hi, write to [redacted]"}`

func says(text string) *upstream {
	return &upstream{answer: func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(text), nil }}
}

// shelved makes a book with the example in it, in front of u.
func shelved(t *testing.T, u *upstream, change func(*Source)) *Book {
	t.Helper()
	s := read(t)
	if change != nil {
		change(&s)
	}
	home := t.TempDir()
	if err := Write(filepath.Join(home, "sources"), s); err != nil {
		t.Fatal(err)
	}
	b, err := New(DefaultConfig(), Deps{Home: home, Metrics: prometheus.NewRegistry(), Open: func(Source) (kind.Upstream, error) { return u, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Broken()) > 0 {
		t.Fatal(b.Broken())
	}
	return b
}

func shut(t *testing.T, b *Book) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestAnswer(t *testing.T) {
	b := shelved(t, says(post), nil)
	defer shut(t, b)
	before := time.Now()
	a, err := b.Answer(t.Context(), "posts", []byte(`{"id":"7"}`))
	if err != nil || string(a.Body) != given || a.Cached || a.FetchedAt.Before(before) || a.Source != "posts" {
		t.Fatalf("%s %+v %v", a.Body, a, err)
	}
	card, ok := b.Card("posts")
	hash, err := card.Hash()
	if !ok || err != nil || hash != a.Card {
		t.Error(ok, err, hash, a.Card)
	}
	_, shape, err := ParseCard(mustEncode(t, card))
	if err != nil || shape.Answer(t.Context(), a.Body, false) != nil {
		t.Error(err, shape.Answer(t.Context(), a.Body, false))
	}
	for request, class := range map[string]error{`{"id":"x"}`: ErrRequest, `{}`: ErrRequest, `{`: ErrRequest, ``: ErrRequest} {
		if _, err := b.Answer(t.Context(), "posts", []byte(request)); !errors.Is(err, class) || Reason(err) != class.Error() {
			t.Errorf("%s: %v", request, err)
		}
	}
	if _, err := b.Answer(t.Context(), "none", nil); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func mustEncode(t *testing.T, c Card) []byte {
	t.Helper()
	raw, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestBadAnswers: a forbidden answer of an upstream gives an error of the right class.
func TestBadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		class error
	}{
		"schema": {`{"id":7}`, ErrSchema}, "nothing": {``, ErrSchema}, "half": {`{"id"`, ErrSchema}, "deep": {strings.Repeat("[", 100), ErrSchema},
		"large": {`"` + strings.Repeat("x", 2<<20) + `"`, ErrLarge}, "scalar": {`7`, ErrSchema}, "bytes": {"\"\xff\"", ErrSchema},
	} {
		t.Run(name, func(t *testing.T) {
			b := shelved(t, says(c.says), nil)
			defer shut(t, b)
			if a, err := b.Answer(t.Context(), "posts", []byte(`{"id":"7"}`)); !errors.Is(err, c.class) {
				t.Errorf("%s %v, want %v", a.Body, err, c.class)
			}
		})
	}
	wide := says(`{"items":"` + strings.Repeat("x", MaxAnswer) + `"}`)
	b := shelved(t, wide, func(s *Source) {
		s.OutputSchema, s.Limits.Bytes, s.Terms.Access, s.Redact = json.RawMessage(`{}`), 8<<20, nil, Redact{}
	})
	defer shut(t, b)
	if _, err := b.Answer(t.Context(), "posts", []byte(`{"id":"7"}`)); !errors.Is(err, ErrLarge) {
		t.Error(err)
	}
}

// TestFailing: a source whose last call failed is named until it answers. A wrong request is not
// its fault. A file that cannot be used is named, too.
func TestFailing(t *testing.T) {
	says, fault := json.RawMessage(post), error(nil)
	u := &upstream{answer: func(context.Context, json.RawMessage) (json.RawMessage, error) { return says, fault }}
	b := shelved(t, u, func(s *Source) { s.Terms.Promises.FreshnessSeconds = 0 })
	defer shut(t, b)
	for i, c := range []struct {
		request string
		fault   error
		want    map[string]string
	}{
		{`{"id":"7"}`, nil, map[string]string{}},
		{`{"id":"8"}`, kind.ErrRequest, map[string]string{}},
		{`{"id":"9"}`, errors.New("no route"), map[string]string{"posts": ErrDown.Error()}},
		{`{"wrong":1}`, nil, map[string]string{"posts": ErrDown.Error()}},
		{`{"id":"10"}`, nil, map[string]string{}},
	} {
		fault = c.fault
		if _, err := b.Answer(t.Context(), "posts", []byte(c.request)); (err == nil) != (c.fault == nil && i != 3) {
			t.Error(c.request, err)
		}
		if got := b.Failing(); !maps.Equal(got, c.want) {
			t.Errorf("after %s: %v, want %v", c.request, got, c.want)
		}
	}
	if err := os.WriteFile(Path(b.dir, "broken"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Reload(); err != nil || b.Failing()["broken"] == "" {
		t.Error(b.Failing(), err)
	}
}

// TestOneCall: 28 judges who need one answer cause one call of the upstream. A fresh answer is
// returned again, and an older one is not.
func TestOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		u := &upstream{answer: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			<-release
			return json.RawMessage(post), nil
		}}
		b := shelved(t, u, nil)
		defer shut(t, b)
		const judges = 28
		var wg sync.WaitGroup
		var good atomic.Int32
		impatient, leave := context.WithCancel(t.Context())
		wg.Go(func() {
			if _, err := b.Answer(impatient, "posts", []byte(`{"id":"7"}`)); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range judges {
			wg.Go(func() {
				a, err := b.Answer(t.Context(), "posts", []byte(` {"id" :"7"}`))
				if err != nil || string(a.Body) != given {
					t.Error(string(a.Body), err)
				}
				good.Add(1)
			})
		}
		synctest.Wait()
		leave() // the first asker leaves; the others still get the answer
		synctest.Wait()
		close(release)
		wg.Wait()
		if u.calls.Load() != 1 || good.Load() != judges {
			t.Errorf("%d calls, %d answers", u.calls.Load(), good.Load())
		}
		ask := func(id string) Answer {
			a, err := b.Answer(t.Context(), "posts", []byte(`{"id":"`+id+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		time.Sleep(29 * time.Second) // fake time
		if a := ask("7"); !a.Cached || u.calls.Load() != 1 {
			t.Error("fetched again while it is fresh")
		}
		if a := ask("8"); a.Cached || u.calls.Load() != 2 {
			t.Error("another request got the same answer")
		}
		time.Sleep(time.Second)
		if a := ask("7"); a.Cached || u.calls.Load() != 3 || time.Since(a.FetchedAt) != 0 {
			t.Error("given although it is as old as was promised")
		}
	})
}

// TestSlow: the limit of the source includes the wait for a turn.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var inTime atomic.Int32 // calls that were not made in the instant when the time was up
		u := &upstream{answer: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			if time.Since(start) < 10*time.Second {
				inTime.Add(1)
			}
			<-ctx.Done()
			return nil, fmt.Errorf("%w: %w", kind.ErrSlow, ctx.Err())
		}}
		b := shelved(t, u, func(s *Source) { s.Limits.Parallel = 1 })
		defer shut(t, b)
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				if _, err := b.Answer(t.Context(), "posts", []byte(fmt.Sprintf(`{"id":"%d"}`, i))); !errors.Is(err, ErrSlow) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 10*time.Second || inTime.Load() != 1 {
			t.Error(took, inTime.Load())
		}
		if _, err := b.Answer(t.Context(), "posts", []byte(`{"id":"1"}`)); !errors.Is(err, ErrSlow) {
			t.Error("an error is given again:", err)
		}
	})
}

// TestCloseEndsCalls: Close does not wait for an upstream that hangs.
func TestCloseEndsCalls(t *testing.T) {
	u := &upstream{}
	started := make(chan struct{})
	u.answer = func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	b := shelved(t, u, nil)
	failed := make(chan error, 1)
	go func() {
		_, err := b.Answer(context.Background(), "posts", []byte(`{"id":"7"}`))
		failed <- err
	}()
	<-started
	shut(t, b)
	if err := <-failed; Reason(err) != ErrDown.Error() {
		t.Error(err)
	}
	if u.closed.Load() != 1 {
		t.Error("closed", u.closed.Load())
	}
	if _, err := b.Answer(t.Context(), "posts", []byte(`{"id":"7"}`)); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// TestReload lets a book follow the folder by itself, on fake time.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		home := t.TempDir()
		dir := filepath.Join(home, "sources")
		var opened []*upstream
		b, err := New(DefaultConfig(), Deps{Home: home, Open: func(s Source) (kind.Upstream, error) {
			opened = append(opened, says(post))
			return opened[len(opened)-1], nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer shut(t, b)
		changed := func() bool {
			time.Sleep(b.cfg.PollInterval + time.Millisecond)
			synctest.Wait()
			select {
			case <-b.Changes():
				return true
			default:
				return false
			}
		}
		ask := func() error {
			_, err := b.Answer(t.Context(), "posts", []byte(`{"id":"7"}`))
			return err
		}
		if changed() || len(b.Cards()) != 0 || !errors.Is(ask(), ErrUnknown) {
			t.Fatal("an empty book has something in it")
		}
		s := read(t)
		if err := Write(dir, s); err != nil {
			t.Fatal(err)
		}
		if !changed() || len(b.Cards()) != 1 || ask() != nil || len(opened) != 1 {
			t.Fatal("the new source is not there")
		}
		if changed() {
			t.Error("told although nothing changed")
		}
		s.Terms.Price = 7777
		if err := Write(dir, s); err != nil {
			t.Fatal(err)
		}
		if card, _ := b.Card("posts"); !changed() || card.Terms.Price != 5000 {
			t.Error("the change is not told")
		}
		if card, _ := b.Card("posts"); card.Terms.Price != 7777 || opened[0].closed.Load() != 1 {
			t.Error("the change is not in force, or the old version is open")
		}
		if err := ask(); err != nil || len(opened) != 2 {
			t.Error("the answer of the old version is given:", err, len(opened))
		}
		if err := os.WriteFile(Path(dir, "posts"), []byte(`{"name":`), 0o600); err != nil {
			t.Fatal(err)
		}
		if changed() || len(b.Broken()) != 1 || ask() != nil {
			t.Error("the broken file is not reported, or took the source away", b.Broken())
		}
		if err := Remove(dir, "posts"); err != nil {
			t.Fatal(err)
		}
		if !changed() || len(b.Broken()) != 0 || !errors.Is(ask(), ErrUnknown) || opened[1].closed.Load() != 1 {
			t.Error("the source is still there", b.Broken())
		}
	})
}

// TestReloadDuringCall: a call that began with a version ends with it.
func TestReloadDuringCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		u := &upstream{answer: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			<-release
			return json.RawMessage(post), nil
		}}
		b := shelved(t, u, nil)
		defer shut(t, b)
		done := make(chan error, 1)
		go func() {
			_, err := b.Answer(context.Background(), "posts", []byte(`{"id":"7"}`))
			done <- err
		}()
		synctest.Wait()
		if err := Remove(b.dir, "posts"); err != nil {
			t.Fatal(err)
		}
		if err := b.Reload(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if u.calls.Load() != 1 || u.closed.Load() != 0 {
			t.Error("closed under way")
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if u.closed.Load() != 1 {
			t.Error("not closed")
		}
	})
}

func TestCache(t *testing.T) {
	c := newCache(3 * (overhead + 2))
	at := time.Now()
	for i := range 4 {
		c.put(fmt.Sprint(i), Answer{Body: json.RawMessage("x"), FetchedAt: at}, time.Hour)
		if i == 2 {
			c.get("0") // used, so 1 goes first
		}
	}
	for key, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true} {
		if _, ok := c.get(key); ok != want {
			t.Error(key, ok)
		}
	}
	c.put("large", Answer{Body: make(json.RawMessage, 4*overhead), FetchedAt: at}, time.Hour)
	c.put("stale", Answer{FetchedAt: at}, 0)
	c.put("3", Answer{Body: json.RawMessage("y"), FetchedAt: at}, time.Hour)
	if a, ok := c.get("3"); !ok || string(a.Body) != "y" || c.bytes > c.most || c.order.Len() != len(c.byKey) || len(c.byKey) != 3 {
		t.Error(ok, c.bytes, len(c.byKey))
	}
}

// TestOverHTTP tests the whole way: a file, and a real server that echoes its headers. No secret
// is in answers, errors or the log.
func TestOverHTTP(t *testing.T) {
	const key = "the-key-of-the-site"
	t.Setenv("OJUD_TEST_SITE_KEY", key)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/posts/500" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		w.Write(fmt.Appendf(nil, `{"data":{"id":"7","text":%q,"author":{"name":%q}}}`, r.Header.Get("X-Api-Key"), r.URL.Path))
	}))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	s := read(t)
	h := s.Upstream.(*kind.HTTP)
	h.URL, h.Hosts, h.AllowPrivate = site.URL+"/v1/posts/{id}", []string{host}, true
	h.Headers = map[string]string{"X-Api-Key": "${env:OJUD_TEST_SITE_KEY}"}
	home := t.TempDir()
	if err := Write(filepath.Join(home, "sources"), s); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	b, err := New(DefaultConfig(), Deps{Home: home, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.Answer(t.Context(), "posts", []byte(`{"id":"7"}`))
	if want := `{"author":{"name":"/v1/posts/7"},"id":"7","text":"[secret]"}`; err != nil || string(a.Body) != want {
		t.Errorf("%s %v", a.Body, err)
	}
	_, err = b.Answer(t.Context(), "posts", []byte(`{"id":"500"}`))
	if !errors.Is(err, ErrDown) {
		t.Error(err)
	}
	if _, err := b.Describe(t.Context(), "posts"); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	shut(t, b)
	file, readErr := os.ReadFile(Path(filepath.Join(home, "sources"), "posts"))
	if readErr != nil || strings.Contains(log.String()+err.Error()+string(file), key) {
		t.Errorf("the key is in %s %v %s", log.String(), err, file)
	}
}

func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	for field, change := range map[string]func(*Config){
		"dir": func(c *Config) { c.Dir = "" }, "poll": func(c *Config) { c.PollInterval = 0 }, "cache_bytes": func(c *Config) { c.CacheBytes = -1 },
	} {
		c := DefaultConfig()
		change(&c)
		if _, err := New(c, Deps{}); err == nil || !strings.Contains(err.Error(), field) {
			t.Error(field, err)
		}
	}
	taken := prometheus.NewRegistry()
	b, err := New(DefaultConfig(), Deps{Home: t.TempDir(), Metrics: taken})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(DefaultConfig(), Deps{Home: t.TempDir(), Metrics: taken}); err == nil {
		t.Error("two books count for one registry")
	}
	shut(t, b)
	b, err = New(DefaultConfig(), Deps{Home: t.TempDir(), Metrics: taken})
	if err != nil {
		t.Fatal("a closed book still counts:", err)
	}
	shut(t, b)
}

// TestAttackCacheChoosesTheMoment: a party asks while the source says what suits it, and so does
// somebody in another case. Their answers are fresh for an hour. The judges of the case got the
// party's answer out of the cache; now they get what the source says when they ask, and all of
// them the same, by one call. The control is the party, to whom its own answer is repeated.
func TestAttackCacheChoosesTheMoment(t *testing.T) {
	u := says(post)
	b := shelved(t, u, func(s *Source) { s.Terms.Promises.FreshnessSeconds = 3600 })
	defer shut(t, b)
	s := &Steady{}
	ask := func(steady *Steady, task, asker byte) (string, bool) {
		a, err := steady.Answer(t.Context(), b, casefile.Address{task}, casefile.Address{asker}, "posts", []byte(`{"id":"7"}`))
		if err != nil {
			t.Fatal(err)
		}
		return string(a.Body), a.Cached
	}
	const party, elsewhere, first, second, none, other, task = 1, 2, 3, 4, 0, 5, 6
	early, _ := ask(s, none, party)
	ask(s, other, elsewhere)
	u.answer = says(strings.Replace(post, `"likes":3`, `"likes":999`, 1)).answer
	if again, cached := ask(s, none, party); again != early || !cached {
		t.Errorf("the party got %s, cached %t", again, cached)
	}
	late, cached := ask(s, task, first)
	if cached || !strings.Contains(late, "999") {
		t.Errorf("a judge of the case got %s, cached %t", late, cached)
	}
	for _, steady := range []*Steady{s, {}, nil} {
		if again, cached := ask(steady, task, second); again != late || !cached || u.calls.Load() != 3 {
			t.Errorf("the second judge got %s, cached %t, after %d calls", again, cached, u.calls.Load())
		}
	}
}

// TestMaxRate: in no span of its length is an upstream called more often than its owner says, by
// whomever it is asked, also after a rest, and after the source was edited. Further calls wait for
// their turn, and one whose turn would come too late fails.
func TestMaxRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := says(post)
		limits := func(s *Source) {
			s.Limits.MaxRate, s.Limits.Seconds, s.Limits.Parallel, s.Terms.Promises.FreshnessSeconds = Rate{10, 10}, 12, 2, 0
		}
		b := shelved(t, u, limits)
		defer shut(t, b)
		time.Sleep(time.Minute)
		began := time.Now()
		var all sync.WaitGroup
		var late atomic.Int32
		for i := range 30 {
			all.Go(func() {
				_, err := b.AnswerIn(t.Context(), casefile.Address{1}, read(t).Name, fmt.Appendf(nil, `{"id":"%d"}`, i))
				if errors.Is(err, ErrSlow) {
					late.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
			time.Sleep(300 * time.Millisecond)
			if calls := u.calls.Load(); calls > 10 {
				t.Fatalf("%d calls in %s", calls, time.Since(began))
			}
			if i == 15 {
				s := read(t)
				limits(&s)
				s.Description += " It was edited."
				e, err := newEntry(s, 99)
				if err != nil {
					t.Fatal(err)
				}
				b.swap(s.Name+suffix, e)
			}
		}
		all.Wait()
		if calls := u.calls.Load(); calls+late.Load() != 30 || calls < 20 || time.Since(began) > 30*time.Second {
			t.Errorf("%d calls and %d too late in %s", calls, late.Load(), time.Since(began))
		}
	})
	s := read(t)
	for field, wrong := range map[string]Rate{"requests": {0, 1}, "seconds": {1, 0}} {
		if s.Limits.MaxRate = wrong; s.Validate() == nil || !strings.Contains(s.Validate().Error(), "limits.max_rate."+field) {
			t.Errorf("%v: %v", wrong, s.Validate())
		}
	}
	s.Limits.MaxRate = Rate{10, 1}
	raw, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Parse(raw); err != nil || back.Limits.MaxRate != s.Limits.MaxRate {
		t.Errorf("%+v, %v", back.Limits, err)
	}
}

// TestAttackMaxRateSpent: askers outside of any case, who may be many, ask a source as often as
// they like, and wait for its rate. They use half of it, and hold no turn while they wait: a seat
// is answered at once. The control: one more of them is not.
func TestAttackMaxRateSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := shelved(t, says(post), func(s *Source) {
			s.Limits.MaxRate, s.Limits.Seconds, s.Limits.Parallel, s.Terms.Promises.FreshnessSeconds = Rate{10, 20}, 30, 1, 0
		})
		defer shut(t, b)
		var rivals sync.WaitGroup
		for i := range 9 {
			rivals.Go(func() {
				if _, err := b.Answer(t.Context(), read(t).Name, fmt.Appendf(nil, `{"id":"%d"}`, i)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		for i := range 5 {
			if _, err := b.AnswerIn(t.Context(), casefile.Address{1}, read(t).Name, fmt.Appendf(nil, `{"id":"%d"}`, i)); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the seat waited %s", took)
		}
		if _, err := b.Answer(t.Context(), read(t).Name, []byte(`{"id":"99"}`)); err != nil || time.Since(began) < 19*time.Second {
			t.Errorf("one more was answered after %s (%v), so this test shows nothing", time.Since(began), err)
		}
		rivals.Wait()
	})
}
