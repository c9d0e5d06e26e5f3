package agents

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/casefile"
)

// TestPage: a person opens the page of a running host by the address that the operator gets, and
// answers a call that waits. The host signs the answer and makes the call. An agent's program,
// whose word holds for its own call, gets no such address, so it cannot approve what it asks for.
func TestPage(t *testing.T) {
	t.Parallel()
	home, log := t.TempDir(), slog.New(slog.DiscardHandler)
	folder := filepath.Join(home, shell.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	said, on := filepath.Join(home, "said"), filepath.Join(home, "on")
	if err := errors.Join(syscall.Mkfifo(said, 0o600), syscall.Mkfifo(on, 0o600),
		os.WriteFile(filepath.Join(folder, "payer.toml"), []byte("[mind]\nkind = \"executable\"\nrun = [\"echo\", '\"paid\"']\n[[capabilities]]\nname = \"pay\"\napproval = [\"finance\"]\n"), 0o600),
		os.WriteFile(filepath.Join(folder, "spy.toml"), []byte("autonomy = 4\n[mind]\nkind = \"executable\"\nrun = [\"./spy.sh\"]\n[[capabilities]]\nname = \"spy\"\n"), 0o600),
		os.WriteFile(filepath.Join(folder, "spy.sh"), []byte("#!/bin/sh\nprintf %s \"$AGENT_TOKEN\" > "+said+"\nread -r x < "+on+"\necho '\"over\"'\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	waits := make(chan string, 1)
	h, err := shell.Open(home, shell.Means{LookupEnv: os.LookupEnv, Log: log, Waits: func(c host.Invocation) { waits <- c.ID }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	server, err := door.Listen(ctx, home, "127.0.0.1:0", h, log)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := openPages(server, h, log)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { ended <- server.Run(ctx) }()
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, <-ended, opened.Close()); err != nil {
			t.Error(err)
		}
	})
	operator, err := door.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	type end struct {
		shell.Returned
		err error
	}
	invoke := func(target string, domains ...string) chan end {
		out := make(chan end, 1)
		go func() {
			a, _, err := operator.Invoke(ctx, attest.Commission{Target: target, Payload: []byte(`{"to":"Bob"}`), Approval: domains}, casefile.DID{})
			out <- end{a, err}
		}()
		return out
	}

	spied := invoke("agent://spy/spy")
	word, err := os.ReadFile(said)
	if err != nil || len(word) == 0 {
		t.Fatalf("%q %v", word, err)
	}
	spy, err := door.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	spy.Token = string(word)
	var at door.Invitation
	var refused *host.Refused
	var all []host.Portrait
	if err := spy.Use(ctx, "agent.list", struct{}{}, &all); err != nil {
		t.Errorf("the control: the word of the agent's program is not good: %v", err)
	}
	if err := spy.Use(ctx, "host.page", struct{}{}, &at); !errors.As(err, &refused) || at.URL != "" {
		t.Errorf("an agent's program opens the page of the operator: %v %q", err, at.URL)
	}
	if err := os.WriteFile(on, []byte("on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := <-spied; e.err != nil || string(e.Result) != `"over"` {
		t.Errorf("%+v", e)
	}

	paid := invoke("agent://payer/pay", "finance")
	id := <-waits
	if err := operator.Use(ctx, "host.page", struct{}{}, &at); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := http.Client{Jar: jar}
	ask := func(method, address string, fields url.Values) string {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(fields.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if method == http.MethodPost {
			r.Header.Set("Origin", operator.URL)
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		if err := errors.Join(answer.Write(&page), answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return page.String()
	}
	list := ask(http.MethodGet, at.URL, nil)
	if !strings.Contains(list, "/calls/"+id) || !strings.Contains(list, "Content-Security-Policy: default-src 'none'") {
		t.Fatalf("%.3000s", list)
	}
	found := regexp.MustCompile(`(?s)data-form="([A-Z0-9]+)".* href="(/[A-Z2-7]{26})/calls/`).FindStringSubmatch(list)
	form, pages := found[1], operator.URL+found[2]
	if page := ask(http.MethodGet, pages+"/calls/"+id, nil); !strings.Contains(page, "Bob") || !strings.Contains(page, shell.OperatorOf(h)) {
		t.Errorf("%.3000s", page)
	}
	ask(http.MethodPost, pages+"/calls/"+id, url.Values{"form": {form}, "answer": {"yes"}})
	if e := <-paid; e.err != nil || string(e.Result) != `"paid"` {
		t.Errorf("the person said yes, and the call ended with %+v", e)
	}
	paid = invoke("agent://payer/pay", "finance")
	id = <-waits
	ask(http.MethodPost, pages+"/calls/"+id, url.Values{"form": {form}, "answer": {"no"}})
	if e := <-paid; !strings.Contains(e.Error, "NotApproved") && (e.err == nil || !strings.Contains(e.err.Error(), "NotApproved")) {
		t.Errorf("the person said no, and the call ended with %+v", e)
	}
}
