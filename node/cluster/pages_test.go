package cluster

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ojud/node/api"
	"ojud/test/browser"
)

// pageAt reads a page of the first node.
func pageAt(t *testing.T, c *Cluster, path string) string {
	t.Helper()
	n, err := api.Open(c.Members()[0].Home.Dir)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := web.Get(n.URL() + path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", path, response.Status, err)
	}
	return string(raw)
}

// follow keeps the stream of the court's page open. The returned function ends it and returns what
// it brought.
func follow(t *testing.T, c *Cluster) (end func() string) {
	t.Helper()
	n, err := api.Open(c.Members()[0].Home.Dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL()+"/live/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	var brought strings.Builder
	var reading sync.WaitGroup
	reading.Go(func() {
		if _, err := io.Copy(&brought, response.Body); err != nil && ctx.Err() == nil {
			t.Errorf("the stream broke: %v", err)
		}
	})
	return func() string {
		cancel()
		reading.Wait()
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		return brought.String()
	}
}

// gaze keeps the court's page open in Chromium. The returned function checks what it showed while a
// case ran, without being loaded again. Without Chromium it says that it was not run.
func gaze(t *testing.T, c *Cluster) (end func()) {
	t.Helper()
	root := browser.Start(t, 3*time.Minute)
	if root == nil {
		return func() {}
	}
	n, err := api.Open(c.Members()[0].Home.Dir)
	if err != nil {
		t.Fatal(err)
	}
	const note = `window.shown = []; new MutationObserver(() => {
		for (const e of document.querySelectorAll("main .pill, main .empty")) { const word = e.textContent.trim(); if (!shown.includes(word)) shown.push(word); }
	}).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });`
	if err := chromedp.Run(root, chromedp.Navigate(n.URL()+"/"), chromedp.WaitVisible("main h1"), chromedp.Evaluate(note, nil)); err != nil {
		t.Fatal(err)
	}
	return func() {
		var shown []string
		if err := chromedp.Run(root, chromedp.Poll(`document.querySelector("#over ~ .cases, section .pill.accept") !== null && shown.includes("worker wins")`, nil),
			chromedp.Evaluate("shown", &shown)); err != nil {
			t.Fatalf("the open page never showed the verdict: %v", err)
		}
		// A state that lasts for less than a picture is not painted, so one of these is enough.
		between := slices.ContainsFunc([]string{"judges at work", "votes sealed", "votes open"}, func(word string) bool { return slices.Contains(shown, word) })
		if !between || !slices.Contains(shown, "worker wins") {
			t.Errorf("the open page showed %q, without a state between the draw and the verdict, or without the verdict", shown)
		}
	}
}

// watched checks what the pages of the first node showed of a case: while it ran, and at its end.
func watched(t *testing.T, c *Cluster, r Summary, live string) {
	t.Helper()
	for _, word := range []string{"No case is open", "votes sealed", "worker wins"} {
		if !strings.Contains(live, word) {
			t.Errorf("the page of the court did not show %q while the case ran", word)
		}
	}
	body := pageAt(t, c, "/case/"+r.Case)
	for _, want := range []string{
		"worker wins", "8 of 8 judges accept the result", "ASCII drawing of eleptiger", "does not match the schema", "the objection is refuted", "0.995 SOL", "0.2 SOL",
		"the program pays", `class="seat accept`,
	} {
		if !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("the page of the case has no %q", want)
		}
	}
	for path, want := range map[string]string{
		"/": "worker wins", "/judge": "0.0005 SOL", "/network": "linked to", "/doctor": "stake", "/rules": "version 1 is in force",
		"/judge/" + c.Members()[1].Authority().String(): "1 settled round",
	} {
		if body := pageAt(t, c, path); !strings.Contains(body, want) {
			t.Errorf("%s has no %q", path, want)
		}
	}
}
