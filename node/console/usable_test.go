package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ojud/ledger/onchain"
	"ojud/test/browser"
	"ojud/test/longtest"
	"ojud/voting"
)

// axeFolder has the package.json with axe-core. The first line of its script names its version.
const (
	axeFolder  = "testdata/axe"
	axeVersion = "axe v4.14.1"
)

// axe returns the text of axe-core. npm installs it if it is missing. The text is empty if that is
// not possible; then the test fails in CI.
func axe(t *testing.T) string {
	t.Helper()
	if os.Getenv("OJUD_NO_NODE") == "1" {
		t.Log("NOT RUN: OJUD_NO_NODE=1, axe-core did not look at the pages")
		return ""
	}
	script, err := readAxe()
	if err != nil {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
		cmd.Dir = filepath.FromSlash(axeFolder)
		out, failed := cmd.CombinedOutput()
		if script, err = readAxe(); err != nil {
			err = fmt.Errorf("%w; %v: %w: %s", err, cmd, failed, out)
		}
	}
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("axe-core is missing, and CI must look at the pages with it (or set OJUD_NO_NODE=1): %v", err)
	case err != nil:
		t.Logf("NOT RUN: axe-core did not look at the pages; run make npm: %v", err)
	}
	return script
}

func readAxe() (string, error) {
	raw, err := os.ReadFile(filepath.Join(axeFolder, "node_modules", "axe-core", "axe.min.js"))
	if err == nil && !strings.Contains(string(raw[:min(len(raw), 200)]), axeVersion) {
		err = fmt.Errorf("it is not %s", axeVersion)
	}
	if err != nil {
		return "", err
	}
	return string(raw), nil
}

// axeRun asks for the rules of WCAG 2.2, levels A and AA. Of each list of cases it leaves the first
// eight: the others are the same elements again, and took most of the time.
const axeRun = `document.querySelectorAll(".casecard:nth-of-type(n+9)").forEach((e) => e.remove()); axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) => JSON.stringify(
  {passes: r.passes.length, faults: r.violations.map((v) => v.impact + " " + v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", "))}))`

// addresses are the pages of a full court, by name, that of a replay included.
func addresses(t *testing.T) map[string]string {
	t.Helper()
	source, casePath := full(t)
	source.thinking = someThoughts()
	source.still = "The chain stands still: no block was seen for 40s."
	source.court.State.Problems = []string{"funds: too little for fees"}
	server := serve(t, source)
	replay := player(t, exported(t, "minority"))
	return map[string]string{
		"court": server.URL + "/", "case": server.URL + casePath, "judge": server.URL + "/judge/" + source.court.Roster.Entries[3].Authority.String(),
		"network": server.URL + "/network", "doctor": server.URL + "/doctor", "rules": server.URL + "/rules", "verify": server.URL + "/verify", "market": server.URL + "/market", "sources": server.URL + "/sources", "agents": server.URL + "/agents", "agent": server.URL + "/agent/" + onchain.Address{17, 0, 4}.String(), "replay": replay.URL + "/?step=20",
		"nowhere": server.URL + "/case/nonsense", "coming": server.URL + pagePath(voting.Key{5, 9}),
		"brain": server.URL + "/brain", "thought": server.URL + thoughtPath(1), "strange thought": server.URL + thoughtPath(21), "bare thought": server.URL + thoughtPath(31),
	}
}

// TestUsable: axe-core finds no fault of WCAG on any page, each page paints soon, motion stops if a
// reader does not want it, the keyboard is enough, and eight tabs work beside each other.
func TestUsable(t *testing.T) {
	longtest.Only(t)
	root := browser.Start(t, 8*time.Minute)
	if root == nil {
		return
	}
	t.Run("axe", func(t *testing.T) { looksAxe(root, t) })
	t.Run("paint", func(t *testing.T) { paints(root, t) })
	t.Run("motion", func(t *testing.T) { moves(root, t) })
	t.Run("keys", func(t *testing.T) { tabbed(root, t) })
	t.Run("tabs", func(t *testing.T) { tabs(root, t) })
}

func looksAxe(root context.Context, t *testing.T) {
	script := axe(t)
	if script == "" {
		return
	}
	all := addresses(t)
	for scheme, width := range map[string]int64{"light": 1440, "dark": 360} {
		tab := empty(root, t, width, scheme)
		for name, address := range all {
			visit(tab, t, address)
			var found string
			err := chromedp.Run(tab, chromedp.Evaluate(script, nil), chromedp.Evaluate(axeRun, &found, chromedp.EvalAsValue, awaited))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var r struct {
				Passes int
				Faults []string
			}
			if err := json.Unmarshal([]byte(found), &r); err != nil || r.Passes < 10 {
				t.Fatalf("%s: axe-core looked at nothing: %s %v", name, found, err)
			}
			for _, fault := range r.Faults {
				t.Errorf("%s, %s, %d pixels: %s", name, scheme, width, fault)
			}
		}
		if err := chromedp.Cancel(tab); err != nil {
			t.Error(err)
		}
	}
	// The controls: a picture without a name is found, and a word that is hard to see.
	const planted = `document.querySelector("main").insertAdjacentHTML("beforeend", "<img><p id=dim>dim</p>"); Object.assign(document.getElementById("dim").style, {color: "#444", background: "#333"})`
	tab := open(root, t, all["rules"], 360, "dark")
	var found string
	err := chromedp.Run(tab, chromedp.Evaluate(script, nil), chromedp.Evaluate(planted, nil), chromedp.Evaluate(axeRun, &found, chromedp.EvalAsValue, awaited))
	if err != nil || !strings.Contains(found, "image-alt") || !strings.Contains(found, "color-contrast") {
		t.Errorf("axe-core does not find a picture without a name and a faint word: %s %v", found, err)
	}
}

// firstPaint is when the page showed its first text, in milliseconds after the request.
const firstPaint = `(() => { const p = performance.getEntriesByName("first-contentful-paint")[0]; return p ? p.startTime : -1; })()`

// paints measures when each page shows its first text, in a tab that shows another page of the node
// before. A new tab would measure how long Chromium takes to start a process.
func paints(root context.Context, t *testing.T) {
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(`<!doctype html><title>floor</title><main><h1>One line</h1></main>`))
	}))
	defer bare.Close()
	all := addresses(t)
	all["(floor)"] = bare.URL // what this browser on this machine takes for one line
	loads := 3
	if *budgets {
		loads = 9
	}
	tab := empty(root, t, 1440, "light")
	for name, address := range all {
		visit(tab, t, address)
		var times []time.Duration
		for range loads {
			if err := chromedp.Run(tab, chromedp.Navigate(address), chromedp.Poll(firstPaint+" > 0", nil)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			times = append(times, time.Duration(ask[float64](tab, t, firstPaint)*float64(time.Millisecond)))
		}
		slices.Sort(times)
		median, slowest := times[len(times)/2], times[len(times)-1]
		t.Logf("%-8s first paint: median %s, slowest %s", name, median.Round(time.Millisecond), slowest.Round(time.Millisecond))
		if name != "(floor)" && median > budget(paintBudget) {
			t.Errorf("%s: %s, at most %s", name, times, paintBudget)
		}
	}
	if err := chromedp.Cancel(tab); err != nil {
		t.Error(err)
	}
}

// moving counts what moves, or would if it changed.
const moving = `[...document.querySelectorAll("*")].filter((e) => [null, "::before", "::after"].some((p) => {
  const s = getComputedStyle(e, p); return s.animationName !== "none" || s.transitionDuration.split(",").some((d) => parseFloat(d) > 0) || s.scrollBehavior === "smooth"; })).length`

// moves checks that nothing moves for a reader who does not want it. For others something does.
func moves(root context.Context, t *testing.T) {
	tab := empty(root, t, 1440, "light") // with prefers-reduced-motion
	all := addresses(t)
	for name, address := range all {
		visit(tab, t, address)
		if n := ask[int](tab, t, moving); n > 0 {
			t.Errorf("%s: %d elements move", name, n)
		}
	}
	visit(tab, t, all["case"])
	err := chromedp.Run(tab, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "no-preference"}}))
	if n := ask[int](tab, t, moving); n == 0 || err != nil {
		t.Errorf("nothing moves for anybody, so this test shows nothing: %v", err)
	}
	if err := chromedp.Cancel(tab); err != nil {
		t.Error(err)
	}
}

// reachable counts what a reader can act on and sees, and focused names what has the focus.
const (
	reachable = `[...document.querySelectorAll("a[href], button, summary, input, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.closest("details:not([open]) > :not(summary)")).length`
	focused   = `(() => { const e = document.activeElement; if (e === document.body) return ""; e.dataset.tried = ""; return getComputedStyle(e).outlineStyle === "none" ? "unseen: " + e.outerHTML.slice(0, 80) : "seen"; })()`
	tried     = `document.querySelectorAll("[data-tried]").length`
)

// focus says whether a reader sees what has the focus, and how much had it.
type focus struct {
	Seen  string
	Tried int
}

// tabbed goes through each page with the key Tab: it comes to everything that a reader can act
// on, and shows where it is. The page of the court has hundreds of links; its kinds stand on
// other pages.
func tabbed(root context.Context, t *testing.T) {
	tab := empty(root, t, 1440, "light")
	for name, address := range addresses(t) {
		if name == "court" {
			continue
		}
		visit(tab, t, address)
		want := ask[int](tab, t, reachable)
		for range 2 * want {
			if err := chromedp.Run(tab, chromedp.KeyEvent("\t")); err != nil {
				t.Fatal(err)
			}
			at := ask[focus](tab, t, `({Seen: `+focused+`, Tried: `+tried+`})`)
			if strings.HasPrefix(at.Seen, "unseen") {
				t.Errorf("%s: nobody sees the focus: %s", name, at.Seen)
			}
			if at.Tried >= want {
				break
			}
		}
		if got := ask[int](tab, t, tried); got < want || want < 2 {
			t.Errorf("%s: the keyboard comes to %d of %d", name, got, want)
		}
	}
	if err := chromedp.Cancel(tab); err != nil {
		t.Error(err)
	}
}

// hide makes a page hidden or visible, as a browser does with a tab.
func hide(hidden bool) string {
	return fmt.Sprintf(`(() => { Object.defineProperty(document, "hidden", {configurable: true, get: () => %v}); document.dispatchEvent(new Event("visibilitychange")); })()`, hidden)
}

// tabs opens eight pages of one node. A browser opens six connections to a host, so each page that
// is hidden must give its stream back, or the seventh page would not load.
func tabs(root context.Context, t *testing.T) {
	source, casePath := full(t)
	server := serve(t, source)
	var all []context.Context
	for i := range 8 {
		tab := open(root, t, server.URL+casePath, 1440, "light")
		if err := chromedp.Run(tab, page.BringToFront(), chromedp.WaitVisible(".pulse.on")); err != nil {
			t.Fatalf("tab %d: %v", i+1, err)
		}
		all = append(all, tab)
		if err := chromedp.Run(tab, chromedp.Evaluate(hide(true), nil), chromedp.WaitVisible(".pulse.off")); err != nil {
			t.Fatalf("tab %d: %v", i+1, err)
		}
		if text := ask[string](tab, t, `document.querySelector(".pulse").textContent`); text != "paused while hidden" {
			t.Errorf("tab %d: %q", i+1, text)
		}
	}
	if err := chromedp.Run(all[0], chromedp.Evaluate(hide(false), nil), chromedp.WaitVisible(".pulse.on")); err != nil {
		t.Fatalf("the first tab does not go on: %v", err)
	}
	if faults := ask[[]string](all[0], t, "faults"); len(faults) > 0 {
		t.Error(faults)
	}
}

// awaited waits for the promise that an expression returns.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
