package console

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/page/release"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/status"
	"ojud/test/browser"
	"ojud/test/longtest"
	"ojud/voting"
)

// watch makes every page count what its policy forbade and what went wrong in its script.
const watch = `window.faults = [];
addEventListener("securitypolicyviolation", (e) => faults.push("policy: " + e.violatedDirective + " " + e.blockedURI));
addEventListener("error", (e) => faults.push("error: " + e.message));`

// open opens a page in a tab of a size and a colour scheme.
func open(root context.Context, t *testing.T, address string, width int64, scheme string) context.Context {
	t.Helper()
	tab := empty(root, t, width, scheme)
	visit(tab, t, address)
	return tab
}

// empty opens a tab of a size and a colour scheme. A tab takes as much processor time as several
// pages in it, so tests show one page after the other in the same tab.
func empty(root context.Context, t *testing.T, width int64, scheme string) context.Context {
	t.Helper()
	tab, cancel := chromedp.NewContext(root)
	t.Cleanup(cancel)
	err := chromedp.Run(tab,
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := page.AddScriptToEvaluateOnNewDocument(watch).Do(ctx)
			return err
		}),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
		chromedp.EmulateViewport(width, 900))
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// visit shows a page in a tab. The page that was there, and its streams, are gone.
func visit(tab context.Context, t *testing.T, address string) {
	t.Helper()
	if err := chromedp.Run(tab, chromedp.Navigate(address), chromedp.WaitVisible("main h1")); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}

// ask evaluates an expression in a tab.
func ask[T any](tab context.Context, t *testing.T, expression string) (value T) {
	t.Helper()
	if err := chromedp.Run(tab, chromedp.Evaluate(expression, &value)); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// shoot keeps a picture of a tab if OJUD_PICTURES names a folder.
func shoot(tab context.Context, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("OJUD_PICTURES")
	if dir == "" {
		return
	}
	var raw []byte
	if err := chromedp.Run(tab, chromedp.FullScreenshot(&raw, 100)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ground is the colour behind the page.
const ground = `getComputedStyle(document.body).backgroundColor`

// wide counts what stands outside the window, except in boxes that scroll by themselves.
const wide = `document.documentElement.scrollWidth - document.documentElement.clientWidth`

// unnamed lists what a screen reader could not name: links, buttons and pictures without a name,
// scrolling boxes that the keyboard cannot reach, and levels of headings that are left out.
const unnamed = `(() => {
  const bad = [], named = (e) => (e.getAttribute("aria-label") || e.textContent || e.title || "").trim() !== "";
  for (const e of document.querySelectorAll("a, button, summary, [role=img]")) if (!named(e) && e.getAttribute("aria-hidden") !== "true") bad.push(e.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll("th")) if (!named(e)) bad.push("th");
  let last = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4")) { const n = Number(h.tagName[1]); if (n > last + 1) bad.push(h.tagName + " after " + last); last = n; }
  if (document.querySelectorAll("h1").length !== 1) bad.push("h1 " + document.querySelectorAll("h1").length);
  if (!document.documentElement.lang) bad.push("lang");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1) bad.push("twice: " + id);
  return bad;
})()`

// faint lists texts with too little contrast to what is behind them (WCAG 2: 4.5, and 3 for large
// ones).
const faint = `(() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1 }; };
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const bad = [];
  for (const e of document.querySelectorAll("main *, header *, footer *")) {
    if (e.closest("svg") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue.trim())) continue;
    let behind = null;
    for (let p = e; p && !behind; p = p.parentElement) { const c = parse(getComputedStyle(p).backgroundColor); if (c.a === 1) behind = c.rgb; }
    const s = getComputedStyle(e), a = light(parse(s.color).rgb), b = light(behind);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), large = parseFloat(s.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5)) bad.push(ratio.toFixed(2) + " " + e.textContent.trim().slice(0, 40));
  }
  return bad;
})()`

// narrow finds what a reader of a narrow window would have to look for: a check whose text is
// beside the window, what somebody got in the end, amounts of one list that are not below each
// other, and dates in several lines.
const narrow = `(() => {
  const bad = [];
  for (const t of document.querySelectorAll(".found")) if (t.scrollWidth > t.parentElement.clientWidth) bad.push("what was found is out of sight");
  for (const t of document.querySelectorAll(".balance")) if (t.scrollWidth > t.parentElement.clientWidth) bad.push("the difference is out of sight by " + (t.scrollWidth - t.parentElement.clientWidth));
  for (const list of document.querySelectorAll(".flow .shares")) {
    const edges = new Set([...list.querySelectorAll(".amount")].map((e) => Math.round(e.getBoundingClientRect().right)));
    if (edges.size > 1) bad.push("amounts end at " + [...edges]);
  }
  for (const cell of document.querySelectorAll("td.nb")) {
    const r = document.createRange(); r.selectNodeContents(cell);
    const boxes = [...r.getClientRects()]; // a link has two, its own and that of its text
    if (boxes.some((b) => boxes.some((o) => o.top >= b.bottom))) bad.push("in several lines: " + cell.textContent);
  }
  return bad;
})()`

// judgesFor fills a Roster.
func judgesFor(n int) *program.Roster {
	const stake = 2 * onchain.LamportsPerSOL
	r := &program.Roster{Active: uint32(n), TotalStake: uint64(n) * stake, Weight: uint64(n) * stake, SeasonSlot: 1, SeasonAt: 900}
	for i := range n {
		r.Entries = append(r.Entries, program.RosterEntry{Authority: onchain.Address{byte(i + 1), 9}, State: program.EntryActive, Stake: stake, Weight: stake,
			Owned: 1, JoinedAt: 800, Seated: uint32(i + 9), Majority: uint32(i + 5), Minority: 2, Absent: 1, Abstained: 1, Right: 9, Wrong: 1, Seen: 11})
	}
	return r
}

// TestBrowser: each page fits narrow and wide windows in light and dark, breaks no policy, can be
// read with a screen reader and used with the keyboard, and follows its case.
func TestBrowser(t *testing.T) {
	longtest.Only(t)
	root := browser.Start(t, 8*time.Minute)
	if root == nil {
		return
	}
	source := newStage()
	source.court.Roster = judgesFor(28)
	source.court.State.Peers, source.court.State.Registered, source.court.State.Peer = 20, 28, "12D3KooW"
	for i, e := range source.court.Roster.Entries {
		source.court.Links = append(source.court.Links, Link{Peer: fmt.Sprint("12D3", i), Judge: e.Authority.String(), Family: "qwen", Dimension: "honesty",
			Version: "v0.1.0", Linked: i < 20, Own: i == 0, Staked: true, Sources: []string{"site.post"}[:i%2]})
	}
	source.court.Self = voting.Key(source.court.Roster.Entries[0].Authority)
	source.court.State.Slot, source.court.State.ChainAge, source.court.State.Socket = 431_002_117, "1.2s", true
	source.market, source.requests = manyTasks(), manyRequests()
	source.agents = 120
	source.court.State.Judging = status.Judging{Places: 4, AtWork: 1, Voted: 27, CaseSeconds: 3.2}
	source.found = []status.Finding{
		{Name: "chain", OK: true, Detail: "the RPC node serves test, and the program is there"},
		{Name: "funds", Detail: "the authority has 0.001 SOL, and fees need 0.01 SOL", Next: "send SOL to it"},
		{Name: "rules", OK: true, Notice: true, Detail: "version 1 is in force; version 2 is announced"},
	}
	for _, name := range []string{"accept", "minority", "data", "reversed"} {
		task, scene := played(t, script(t, name))
		source.put(task, scene)
	}
	source.agents, source.card = 30, translator()
	source.thinking = someThoughts()
	task, over := played(t, script(t, "minority"))
	source.put(task, over)
	server := serve(t, source)
	coming := voting.Key{5, 9} // a task of the market that is before the judges, and has no panel yet
	paths := map[string]string{"court": "/", "case": pagePath(task), "coming": pagePath(coming), "judge": "/judge", "other judge": "/judge/" + source.court.Roster.Entries[3].Authority.String(), "network": "/network", "doctor": "/doctor", "rules": "/rules", "verify": "/verify", "market": "/market?state=open&q=task", "sources": "/sources", "agents": "/agents", "agent": "/agent/" + onchain.Address{17, 0, 4}.String(),
		"brain": "/brain", "thought": thoughtPath(1), "strange thought": thoughtPath(21), "bare thought": thoughtPath(31)}
	colours := map[string]map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1440} {
			tab := empty(root, t, width, scheme)
			for name, path := range paths {
				visit(tab, t, server.URL+path)
				where := fmt.Sprintf("%s-%s-%d", name, scheme, width)
				if faults := ask[[]string](tab, t, "faults"); len(faults) > 0 {
					t.Errorf("%s: %v", where, faults)
				}
				if by := ask[int](tab, t, wide); by > 0 {
					t.Errorf("%s: %d pixels are outside the window", where, by)
				}
				if bad := ask[[]string](tab, t, narrow); width == 360 && len(bad) > 0 {
					t.Errorf("%s: %v", where, bad)
				}
				if bad := ask[[]string](tab, t, unnamed); len(bad) > 0 {
					t.Errorf("%s: no name: %v", where, bad)
				}
				if bad := ask[[]string](tab, t, faint); len(bad) > 0 {
					t.Errorf("%s: too little contrast: %v", where, bad)
				}
				if colours[name] == nil {
					colours[name] = map[string]bool{}
				}
				colours[name][ask[string](tab, t, ground)] = true
				shoot(tab, t, where)
			}
			if err := chromedp.Cancel(tab); err != nil {
				t.Error(err)
			}
		}
	}
	for name := range paths {
		if len(colours[name]) != 2 {
			t.Errorf("%s has the grounds %v, not a light and a dark one", name, colours[name])
		}
	}
	t.Run("follows", func(t *testing.T) { follows(root, t, server.URL, source) })
	t.Run("keyboard", func(t *testing.T) { keyboard(root, t, server.URL, task) })
	t.Run("replay", func(t *testing.T) { replays(root, t) })
	t.Run("hostile", func(t *testing.T) { attackBrowser(root, t) })
}

// follows checks that an open page shows what happens, and keeps what the reader opened.
func follows(root context.Context, t *testing.T, address string, source *stage) {
	task, end := played(t, script(t, "accept"))
	now := end
	now.Record.Outcome, now.Record.Rounds[0].Settle = nil, nil
	now.Look = voting.Case{Status: voting.Committing, Round: 1, DrawnSlot: 2, SeedSlot: 1, CommitEnds: 1_300}
	for _, s := range picture.Benches(now)[0].Seats {
		now.Look.Seats = append(now.Look.Seats, voting.Seat{Judge: s.Judge, Peer: s.Peer, Weight: s.Weight})
	}
	source.put(task, now)
	tab := open(root, t, address+pagePath(task), 1440, "light")
	err := chromedp.Run(tab, chromedp.WaitVisible(".pulse.on"), chromedp.Click("details > summary"), chromedp.WaitVisible("details[open] table"))
	if err != nil {
		t.Fatal(err)
	}
	if left := ask[string](tab, t, `document.querySelector(".until").textContent`); !strings.HasSuffix(left, " left") {
		t.Errorf("the clock says %q", left)
	}
	shoot(tab, t, "case-live-1")
	now.Look.Seats = append([]voting.Seat(nil), now.Look.Seats...)
	for i := range now.Look.Seats[:19] {
		now.Look.Seats[i].Committed = true
	}
	source.put(task, now)
	if err := chromedp.Run(tab, chromedp.Poll(`document.querySelectorAll(".seat.sealed").length === 19`, nil)); err != nil {
		t.Fatal(err)
	}
	shoot(tab, t, "case-live-2")
	source.put(task, end)
	if err := chromedp.Run(tab, chromedp.Poll(`document.querySelectorAll(".seat.accept").length === 28 && document.body.textContent.includes("worker wins")`, nil)); err != nil {
		t.Fatal(err)
	}
	if !ask[bool](tab, t, `document.querySelector("details").open`) {
		t.Error("a change of the page closed what the reader had opened")
	}
	if faults := ask[[]string](tab, t, "faults"); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
}

// keyboard goes to a case and back with the keyboard alone.
func keyboard(root context.Context, t *testing.T, address string, task voting.Key) {
	tab := open(root, t, address, 1440, "light")
	want := "/case/" + casefile.Address(task).String()
	focused := `document.activeElement.getAttribute("href") || document.activeElement.className`
	for range 40 {
		if err := chromedp.Run(tab, chromedp.KeyEvent("\t")); err != nil {
			t.Fatal(err)
		}
		if outline := ask[string](tab, t, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" {
			t.Errorf("nobody sees that %q has the focus", ask[string](tab, t, focused))
		}
		if ask[string](tab, t, focused) == want {
			if err := chromedp.Run(tab, chromedp.KeyEvent("\r"), chromedp.WaitVisible(".panel")); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("the keyboard does not reach the case")
}

// TestAttackForgedPage: a reader verifies a file in the browser. The file is drawn and checked
// there, and not sent to the node. A page that somebody changed around a good case is not called
// verified.
func TestAttackForgedPage(t *testing.T) {
	longtest.Only(t)
	if _, err := verifier(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must verify a file on the page: %v", err)
		}
		t.Logf("NOT RUN: no file was verified on the page: %v", err)
		return
	}
	root := browser.Start(t, 5*time.Minute)
	if root == nil {
		return
	}
	source := newStage()
	server := serve(t, source)
	tab := open(root, t, server.URL+"/verify", 360, "light")
	good := exported(t, "accept")
	changed := bytes.Replace(good, []byte(`"choice": "accept"`), []byte(`"choice": "reject"`), 1)
	made, err := release.Load()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := made.Write(good)
	if err != nil {
		t.Fatal(err)
	}
	// A page with a script before its policy, in a line like one of the case.
	start := len("<!doctype html>\n")
	forged := slices.Concat(whole[:start], []byte("ojud:<script>document.title='x'</script>\n"), whole[start:])
	const give = `(() => { const d = new DataTransfer(); d.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q));
		const i = document.getElementById("other"); i.files = d.files; i.dispatchEvent(new Event("change")); })()`
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"good.json", "✓ Verified good.json", good}, {"changed.json", "failed. seal", changed}, {"none.txt", "cannot be verified", []byte("none")},
		{"page.html", "✓ Verified the case in page.html", whole}, {"forged.html", "THE PAGE IS NOT VERIFIED forged.html: the page around the case is not as this release", forged},
	} {
		err := chromedp.Run(tab, chromedp.Evaluate(fmt.Sprintf(give, base64.StdEncoding.EncodeToString(c.file), c.name), nil),
			chromedp.Poll(fmt.Sprintf(`(document.getElementById("proof-of-file") || {textContent: ""}).textContent.includes(%q)`, c.want), nil, chromedp.WithPollingTimeout(time.Minute)))
		if err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, ask[string](tab, t, "document.body.textContent"))
		}
		if by := ask[int](tab, t, wide); by > 0 {
			t.Errorf("%s: %d pixels are outside the window", c.name, by)
		}
		shoot(tab, t, "verify-"+c.name)
	}
	if faults := ask[[]string](tab, t, "faults"); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
}

// attackBrowser opens pages that are full of hostile text in a real browser: nothing runs, nothing
// is loaded from elsewhere, nothing is forged, and nothing leaves its box.
func attackBrowser(root context.Context, t *testing.T) {
	tab := empty(root, t, 360, "light")
	for i, text := range casetest.Hostile() {
		source := newStage()
		source.strange(text)
		task, scene := attacked(t, text)
		source.put(task, scene)
		server := serve(t, source)
		for _, path := range append(everywhere(), pagePath(task), pagePath(voting.Key{7}), "/market?q="+url.QueryEscape(text)+"&state="+url.QueryEscape(text), "/market", "/sources", "/brain", thoughtPath(1), thoughtPath(21)) {
			visit(tab, t, server.URL+path)
			if !strings.HasPrefix(path, "/market") && !strings.HasPrefix(path, "/brain") && path != "/sources" { // which have no streams
				if err := chromedp.Run(tab, chromedp.WaitVisible(".pulse.on")); err != nil {
					t.Fatal(err)
				}
			}
			if title := ask[string](tab, t, "document.title"); !strings.HasSuffix(title, " · ojud") {
				t.Errorf("text %d ran: %q", i, title)
			}
			if faults := ask[[]string](tab, t, "faults"); len(faults) > 0 {
				t.Errorf("text %d: %v", i, faults)
			}
			if forged := ask[int](tab, t, `document.querySelectorAll("#evil, main img, main script, main style, main svg[onload]").length`); forged > 0 {
				t.Errorf("text %d became %d elements", i, forged)
			}
			if by := ask[int](tab, t, wide); by > 0 {
				t.Errorf("text %d on %s: %d pixels are outside the window", i, path, by)
			}
			if foreign := ask[int](tab, t, `performance.getEntriesByType("resource").filter((e) => new URL(e.name).origin !== location.origin).length`); foreign > 0 {
				t.Errorf("text %d loads from elsewhere", i)
			}
		}
		server.CloseClientConnections()
	}
	if err := chromedp.Cancel(tab); err != nil {
		t.Error(err)
	}
}

// replays plays the file of a case in a browser: with buttons, by itself, and with the slider.
func replays(root context.Context, t *testing.T) {
	server := player(t, exported(t, "minority"))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1440} {
			tab := open(root, t, server.URL+"/?step=0", width, scheme)
			seats := func(state string) int { return ask[int](tab, t, `document.querySelectorAll(".seat.`+state+`").length`) }
			if n := seats("drawn"); n != 0 {
				t.Errorf("%d judges before the draw", n)
			}
			press := func(what, until string) {
				t.Helper()
				if err := chromedp.Run(tab, chromedp.Click(what), chromedp.Poll(until, nil)); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			press(`[aria-label="Step forward"]`, `document.querySelectorAll(".seat.drawn").length === 28`)
			press(`[data-play]`, `document.querySelectorAll(".seat.sealed").length >= 3`)
			press(`[data-play]`, `document.querySelector("[data-play]").textContent === "Play"`)
			if err := chromedp.Run(tab, chromedp.Evaluate(`(() => { const s = document.querySelector("[data-scrub]"); s.value = s.max; s.dispatchEvent(new Event("input", { bubbles: true })); })()`, nil),
				chromedp.Poll(`document.body.textContent.includes("worker wins") && document.querySelectorAll(".seat.accept").length === 23`, nil)); err != nil {
				t.Fatal(err)
			}
			if text := ask[string](tab, t, `document.querySelector(".proof").textContent`); !strings.Contains(text, "✓ Verified") {
				t.Errorf("the file is good: %q", text)
			}
			if faults := ask[[]string](tab, t, "faults"); len(faults) > 0 {
				t.Errorf("%v", faults)
			}
			if by := ask[int](tab, t, wide); by > 0 {
				t.Errorf("%d pixels are outside the window of %d", by, width)
			}
			if bad := append(ask[[]string](tab, t, unnamed), ask[[]string](tab, t, faint)...); len(bad) > 0 {
				t.Errorf("%v", bad)
			}
			shoot(tab, t, fmt.Sprintf("replay-%s-%d", scheme, width))
			if err := chromedp.Cancel(tab); err != nil {
				t.Error(err)
			}
		}
	}
}
