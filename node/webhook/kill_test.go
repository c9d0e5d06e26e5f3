package webhook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// childHome, in the environment, makes a test binary a child of TestKill: a sender on that home
// whose receiver is childURL.
const childHome, childURL = "WEBHOOK_CHILD_HOME", "WEBHOOK_CHILD_URL"

func TestMain(m *testing.M) {
	if os.Getenv(childHome) == "" {
		os.Exit(m.Run())
	}
	if err := child(os.Getenv(childHome), os.Getenv(childURL)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child promises one notification after the other, prints the ID of each that is promised, and
// posts them, until it is killed.
func child(home, url string) error {
	h := hooks("pager")
	h.List[0].URL, h.List[0].AllowPrivate, h.MaxWaiting = url, true, 10_000
	s, err := NewSender(h, Parts{Dir: home, LookupEnv: lookup, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	if err != nil {
		return err
	}
	go func() {
		for {
			n := Notification{ID: newID(), Kind: JudgeDrawn}
			s.Tell(n)
			fmt.Println(n.ID)
		}
	}()
	return s.Run(context.Background())
}

// TestKill kills a sender with kill -9 again and again, at any moment. Everything that it promised
// arrives in the end.
func TestKill(t *testing.T) {
	const kills = 12
	var mu sync.Mutex
	came := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		came[r.Header.Get("webhook-id")]++
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	home := t.TempDir()
	var promised []string
	for range kills {
		promised = append(promised, killed(t, home, server.URL, time.Duration(rand.N(60))*time.Millisecond)...)
	}
	if len(promised) < kills {
		t.Fatalf("%d children promised %d notifications", kills, len(promised))
	}
	h := hooks("pager")
	h.List[0].URL, h.List[0].AllowPrivate = server.URL, true
	s, err := NewSender(h, Parts{Dir: home, LookupEnv: lookup, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	waited := s.lines[0].queue.len()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	look, late := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer look.Stop()
	for s.lines[0].queue.len() > 0 {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("%d still wait", s.lines[0].queue.len())
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	twice := 0
	for _, id := range promised {
		if came[id] == 0 {
			t.Errorf("%s was promised and never came", id)
		}
		if came[id] > 1 {
			twice++
		}
	}
	t.Logf("%d kills: %d promised, %d of them waited at the end, %d came more than once", kills, len(promised), waited, twice)
}

// killed runs a child for that long, kills it, and returns what it promised.
func killed(t *testing.T, home, url string, d time.Duration) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childHome+"="+home, childURL+"="+url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make(chan bool)
	var ids []string
	read := make(chan error, 1)
	go func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil { // the last line may be half
				read <- err
				return
			}
			if ids = append(ids, strings.TrimSpace(line)); len(ids) == 1 {
				close(first)
			}
		}
	}()
	select {
	case <-first:
	case <-time.After(30 * time.Second):
		t.Error("the child promised nothing in 30 s")
	}
	time.Sleep(d)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-read; !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return slices.Clone(ids)
}
