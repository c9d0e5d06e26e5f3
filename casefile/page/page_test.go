package page_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/page"
	"ojud/casefile/page/release"
	"ojud/casefile/verify"
	"ojud/test/browser"
	"ojud/test/longtest"
	"ojud/voting"
)

// programmed is a task with a check program.
const programmed = `{"expected":[{"path":"/text","program":{"javascript":"[value.split('\\n').every(l => l.includes('owls')), 'three lines']"}}],` +
	`"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"}}`

// plainly is a task that demands nothing which code makes.
const plainly = `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"}}`

// file is the case file of 40 judges, from whom 28 are drawn.
func file(t testing.TB, name, task string, golden bool) []byte {
	t.Helper()
	raw, err := casetest.File(casetest.Script{Name: name, Judges: 40, Documents: casetest.Documents{Task: task}, Golden: golden, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// released makes the verifiers as the build step does. What is packed is kept between runs, and is
// used again only for the same module.
func released(t testing.TB) (r page.Release, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("xz"); err != nil && os.Getenv("CI") == "" {
		t.Logf("NOT RUN: no page was made; install Debian's xz-utils: %v", err)
		return r, false
	}
	r, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return r, true
}

var made = sync.OnceValues(func() (page.Release, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return page.Release{}, err
	}
	folder = filepath.Join(folder, "ojud", "pages")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return page.Release{}, err
	}
	if said, err := exec.CommandContext(context.Background(), "go", "run", "ojud/casefile/page/pack", "-o", folder).CombinedOutput(); err != nil {
		return page.Release{}, fmt.Errorf("%w\n%s", err, said)
	}
	return release.Read(os.DirFS(folder))
})

// The sizes that a page may have with the case of 28 judges (ADR 0051).
const (
	maxPlain = 2_500_000
	maxWhole = 6_000_000
)

// TestPage: a page has the verifier that its case needs, stays small, and is read back. Without the
// lines of its case it has the hash that it states.
func TestPage(t *testing.T) {
	t.Parallel()
	r, ok := released(t)
	if !ok {
		return
	}
	for _, c := range []struct {
		name, task string
		golden     bool
		want       page.Engine
		most       int
	}{{"plain", plainly, false, page.Plain, maxPlain}, {"program", programmed, false, page.Whole, maxWhole}, {"golden", "", true, page.Whole, maxWhole}} {
		raw := file(t, c.name, c.task, c.golden)
		written, err := r.Write(raw)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: a case file of %d bytes makes a page of %d bytes", c.name, len(raw), len(written))
		if len(written) > c.most {
			t.Errorf("%s: the page has %d bytes, more than %d", c.name, len(written), c.most)
		}
		found, err := r.Open(written)
		if err != nil || found.Fault != "" || found.Engine != c.want || !bytes.Equal(found.Case, raw) || !page.Is(written) || page.Is(raw) {
			t.Errorf("%s: found engine %q, fault %q, %d bytes, %v", c.name, found.Engine, found.Fault, len(found.Case), err)
		}
		hash, lines := without(t, written)
		if want, err := r.Hash(c.want); err != nil || hash != want || lines != 2 || !bytes.Contains(written, []byte("\nojud:without:"+want+"\n")) {
			t.Errorf("%s: without %d lines the page has the hash %s; want %s, %v", c.name, lines, hash, want, err)
		}
	}
}

// without types the commands that a page and docs/pages.md tell its reader: which hash has the page
// without its case, and how many lines are of the case.
func without(t *testing.T, written []byte) (hash string, lines int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, written, 0o600); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/pages.md")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, command := range []string{`grep -cE '^ojud:(case:[A-Za-z0-9+/]+=*|without:[0-9a-f]{64})$' FILE`, `grep -vE '^ojud:(case:[A-Za-z0-9+/]+=*|without:[0-9a-f]{64})$' FILE | sha256sum`} {
		if !bytes.Contains(written, []byte("<code>"+command+"</code>")) || !bytes.Contains(docs, []byte(command)) {
			t.Errorf("the page or docs/pages.md does not have: %s", command)
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(command, "FILE", path, 1)).Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		said = append(said, strings.Fields(string(out))[0])
	}
	_, err = fmt.Sscan(said[0], &lines)
	if err != nil {
		t.Fatal(err)
	}
	return said[1], lines
}

// forged are pages with a good case whose rest is changed, by the place of the change.
func forged(t *testing.T, written []byte) map[string][]byte {
	t.Helper()
	const script = "<script>document.title='x'</script>"
	start, from := len("<!doctype html>\n"), bytes.Index(written, []byte("ojud:case:"))
	end := from + bytes.Index(written[from:], []byte("\n</script>")) + 1
	at := func(place int, text string) []byte {
		return slices.Concat(written[:place], []byte(text), written[place:])
	}
	all := map[string][]byte{
		"a script before the head": at(start, "ojud:"+script+"\n"),
		"a script behind the case": at(end, "</script>"+script+"\n"),
		"the case before the head": slices.Concat(written[:start], written[from:end], written[start:from], written[end:]),
		"another policy":           bytes.Replace(written, []byte("default-src 'none'"), []byte("default-src *"), 1),
	}
	for name, page := range all {
		if bytes.Equal(page, written) {
			t.Errorf("%s: nothing is changed", name)
		}
	}
	return all
}

// TestAttackLineOfScript: a line of a foreign script that begins as the lines of the case do, or
// that has such a line's form, changes the hash or the count that a reader is told to make.
func TestAttackLineOfScript(t *testing.T) {
	t.Parallel()
	r, ok := released(t)
	if !ok {
		return
	}
	written, err := r.Write(file(t, "plain", plainly, false))
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Hash(page.Plain)
	if err != nil {
		t.Fatal(err)
	}
	start := len("<!doctype html>\n")
	end := bytes.Index(written, []byte("\nojud:without:"))
	for name, c := range map[string]struct {
		at   int
		text string
	}{
		"a script before the head":        {start, "ojud:<script>document.title='x'</script>\n"},
		"a script behind the case":        {end, "</script><script>document.title='x'</script>"},
		"a script as a case":              {start, "ojud:case:<script>document.title='x'</script>\n"},
		"a script behind another hash":    {start, "ojud:without:" + want + "<script>document.title='x'</script>\n"},
		"a second case, without a script": {start, "ojud:case:AAAA\n"},
	} {
		forged := slices.Concat(written[:c.at], []byte(c.text), written[c.at:])
		if hash, lines := without(t, forged); hash == want && lines == 2 {
			t.Errorf("%s: the page has the right hash, and %d lines", name, lines)
		}
		if found, err := r.Open(forged); err == nil && found.Fault == "" {
			t.Errorf("%s: no fault was found", name)
		}
	}
}

// TestAttackChangedPage: whichever byte of a page somebody changes, adds or takes away, the page is
// not as its release writes it, and the fault says where.
func TestAttackChangedPage(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	r, ok := released(t)
	if !ok {
		return
	}
	written, err := r.Write(file(t, "plain", plainly, false))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		at := random.IntN(len(written))
		if i < 60 { // near the case, and at the ends
			at = bytes.Index(written, []byte("ojud:case:")) - 30 + i
		}
		changed := bytes.Clone(written)
		switch i % 3 {
		case 0:
			changed[at] ^= 1 << random.IntN(8)
		case 1:
			changed = append(changed[:at], changed[at+1:]...)
		default:
			changed = append(changed[:at], append([]byte{'A'}, changed[at:]...)...)
		}
		if bytes.Equal(changed, written) {
			continue
		}
		found, err := r.Open(changed)
		switch {
		case errors.Is(err, page.ErrNoCase):
		case err != nil:
			t.Errorf("byte %d: %v", at, err)
		case found.Fault == "":
			t.Errorf("byte %d was changed, and no fault was found", at)
		case !near(found.Fault, at):
			t.Errorf("byte %d was changed, and the fault is: %s", at, found.Fault)
		}
	}
	// What a liar would do: the same case, and a page that says verified at once.
	lie := bytes.Replace(written, []byte("✗ NOT VERIFIED"), []byte("✓ Verified"), 1)
	if found, err := r.Open(lie); err != nil || found.Fault == "" {
		t.Errorf("a page that says verified before its verifier has run: fault %q, %v", found.Fault, err)
	}
	for _, bad := range [][]byte{nil, []byte("<!doctype html>"), []byte("\nojud:case:\n"), []byte("\nojud:case:!!!!\n"), []byte("\nojud:case:AAAA\n")} {
		if found, err := r.Open(bad); !errors.Is(err, page.ErrNoCase) {
			t.Errorf("%q: %v, %v", bad, found, err)
		}
	}
}

// near reports whether a fault names a byte or the next ones, where the page differs first. A byte
// that is added or taken away may be equal to the next ones.
func near(fault string, at int) bool {
	var named int
	_, err := fmt.Sscanf(fault, "byte %d", &named)
	return err == nil && named >= at && named < at+64
}

// FuzzPage: of any bytes that claim to be a page, a case of a bounded size is read, or none.
func FuzzPage(f *testing.F) {
	small := append([]byte("<!doctype html>\n"+"ojud:case:"), base64.StdEncoding.EncodeToString(squeezed(f, []byte(`{"format":"x"}`)))...)
	f.Add(append(small, "\nojud:without:00\n</html>"...))
	f.Add([]byte("\nojud:case:H4sIAAAAAAAA\n"))
	f.Add([]byte("ojud:case:"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := page.Case(raw)
		if err != nil && !errors.Is(err, page.ErrNoCase) || err == nil && len(got) > casefile.MaxBundle {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	})
}

// TestAttackBomb: a page whose case unpacks to more than a case file may have is refused, and takes
// no more memory than that.
func TestAttackBomb(t *testing.T) {
	t.Parallel()
	bomb := append([]byte("<!doctype html>\nojud:case:"), base64.StdEncoding.EncodeToString(squeezed(t, make([]byte, 4*casefile.MaxBundle)))...)
	if _, err := page.Case(append(bomb, '\n')); !errors.Is(err, page.ErrNoCase) || !strings.Contains(err.Error(), fmt.Sprint(casefile.MaxBundle)) {
		t.Error(err)
	}
}

// squeezed packs bytes as a page does.
func squeezed(t testing.TB, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNoVerifier: a build without the verifiers says how to make them.
func TestNoVerifier(t *testing.T) {
	t.Parallel()
	if _, err := (page.Release{}).Write(file(t, "plain", plainly, false)); !errors.Is(err, page.ErrNoVerifier) {
		t.Error(err)
	}
	if _, err := release.Read(os.DirFS(t.TempDir())); !errors.Is(err, page.ErrNoVerifier) {
		t.Error(err)
	}
}

// ready waits until the verifier of a page has said what came of it, and returns what it says, and
// what went wrong in the page.
const ready = `new Promise((done) => {
  const look = () => {
    const p = document.getElementById("proof-of-file"), said = p ? p.textContent : "";
    if (%s.test(said)) done(JSON.stringify({ said, title: (document.querySelector("main h1") || {}).textContent || "", faults: globalThis.faults || [] }));
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
})`

// watched is what a page says.
type watched struct {
	Said, Title string
	Faults      []string
}

func look(t *testing.T, in browser.Tab, until string) (out watched) {
	t.Helper()
	raw, err := in.Ask(fmt.Sprintf(ready, until))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

const done = `/checks passed|cannot be verified|you stopped/`

// save writes a page into a folder and returns its address.
func save(t *testing.T, folder, name string, raw []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// drop gives a page another file, as a person does who chooses one.
func drop(t *testing.T, in browser.Tab, name string, raw []byte) {
	t.Helper()
	script := `(() => { const d = new DataTransfer(); d.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q));
		const p = document.getElementById("proof-of-file");
		if (p) p.textContent = "waiting";
		const i = document.getElementById("other"); i.files = d.files; i.dispatchEvent(new Event("change")); return "given"; })()`
	if _, err := in.Ask(fmt.Sprintf(script, base64.StdEncoding.EncodeToString(raw), name)); err != nil {
		t.Fatal(err)
	}
}

// TestBrowsers: a page opens from the disk in Chromium and Firefox and verifies its case. It says
// where a changed case is wrong, plays the case, and verifies another file. Nothing that strangers
// wrote runs, and its policy is never hurt.
func TestBrowsers(t *testing.T) {
	longtest.Only(t)
	r, ok := released(t)
	if !ok {
		return
	}
	folder := t.TempDir()
	good := file(t, "plain", plainly, false)
	changed := bytes.Replace(good, []byte(`"choice": "accept"`), []byte(`"choice": "reject"`), 1)
	pages := map[string][]byte{}
	for name, raw := range map[string][]byte{"good": good, "changed": changed, "program": file(t, "program", programmed, false)} {
		var err error
		if pages[name], err = r.Write(raw); err != nil {
			t.Fatal(err)
		}
	}
	at := bytes.Index(pages["good"], []byte("ojud:case:")) + 2_000
	pages["damaged"] = append(append(bytes.Clone(pages["good"][:at]), 'A', 'A', 'A', 'A'), pages["good"][at+4:]...)
	checks := len(func() []verify.CheckResult { r := verify.File(good); return r.Checks }())
	whole := fmt.Sprintf("%d of %d checks passed", checks, checks)
	browser.Each(t, func(t *testing.T, in browser.Tab) {
		show := func(name string) watched {
			t.Helper()
			if err := in.Open(save(t, folder, name+".html", pages[name])); err != nil {
				t.Fatal(err)
			}
			return look(t, in, done)
		}
		if got := show("good"); !strings.Contains(got.Said, "✓ Verified") || !strings.Contains(got.Said, whole) || len(got.Faults) > 0 {
			t.Errorf("good: %+v", got)
		}
		for _, s := range []struct{ do, want string }{
			{`document.querySelector('[data-go="0"]').click()`, "Step 0 of"},
			{`document.querySelector('[aria-label="Step forward"]').click()`, "Step 1 of"},
			{`document.querySelector('[aria-label="Last step"]').click()`, "The worker was right"},
		} {
			said, err := in.Ask(fmt.Sprintf(`(async () => { %s; for (;;) { const s = document.querySelector(".says").textContent;
				if (s.includes(%q)) return s; await new Promise((r) => requestAnimationFrame(r)); } })()`, s.do, s.want))
			if err != nil {
				t.Fatalf("%s: %q, %v", s.do, said, err)
			}
		}
		if got := show("changed"); !strings.Contains(got.Said, "✗ NOT VERIFIED") || !strings.Contains(got.Said, "seal") {
			t.Errorf("changed: %+v", got)
		}
		if got := show("damaged"); !strings.Contains(got.Said, "✗ NOT VERIFIED") || !strings.Contains(got.Said, "cannot be verified") {
			t.Errorf("damaged: %+v", got)
		}
		drop(t, in, "other.case.json", good)
		if got := look(t, in, done); !strings.Contains(got.Said, "✓ Verified") || !strings.Contains(got.Said, "other.case.json") {
			t.Errorf("another file: %+v", got)
		}
		drop(t, in, "page.html", pages["changed"])
		if got := look(t, in, done); !strings.Contains(got.Said, "✗ NOT VERIFIED") || !strings.Contains(got.Said, "page.html") {
			t.Errorf("another page: %+v", got)
		}
		// The page around a case in another file is compared, too. A forged one is told before the
		// checks of its case are made.
		if got := look(t, in, done); strings.Contains(got.Said, "THE PAGE IS") || !strings.Contains(got.Said, "is as this release of ojud writes it") {
			t.Errorf("a page of the release: %+v", got)
		}
		for name, raw := range forged(t, pages["good"]) {
			drop(t, in, "forged.html", raw)
			if got := look(t, in, `/THE PAGE IS|✓ Verified|writes it/`); !strings.Contains(got.Said, "✗ THE PAGE IS NOT VERIFIED forged.html: the page around the case is not like this one.") {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if got := look(t, in, done); !strings.Contains(got.Said, "The case in it verifies: "+whole) || strings.Contains(got.Said, "✓ Verified") || len(got.Faults) > 0 {
			t.Errorf("a forged page with a good case: %+v", got)
		}
		drop(t, in, "x.txt", []byte("no case"))
		if got := look(t, in, done); !strings.Contains(got.Said, "cannot be verified") {
			t.Errorf("no case: %+v", got)
		}
		drop(t, in, "program.case.json", file(t, "program", programmed, false))
		if got := look(t, in, done); !strings.Contains(got.Said, "✗ NOT VERIFIED") || !strings.Contains(got.Said, "ojud case verify") {
			t.Errorf("a case with a program in a page without an interpreter: %+v", got)
		}
		// If files come faster than they are verified, the last one is shown, with its report.
		if err := in.Open(save(t, folder, "good.html", pages["good"])); err != nil {
			t.Fatal(err)
		}
		for i, raw := range [][]byte{good, changed, []byte("no case"), changed, good} {
			drop(t, in, fmt.Sprintf("%d.json", i), raw)
		}
		if got := look(t, in, `/4\.json.*checks passed/`); !strings.Contains(got.Said, "✓ Verified") || len(got.Faults) > 0 {
			t.Errorf("quickly: %+v", got)
		}
		drop(t, in, "5.json", good)
		drop(t, in, "6.json", changed)
		if got := look(t, in, `/6\.json.*checks passed/`); !strings.Contains(got.Said, "✗ NOT VERIFIED") || len(got.Faults) > 0 {
			t.Errorf("quickly: %+v", got)
		}
		if got := show("program"); !strings.Contains(got.Said, "✓ Verified") || !strings.Contains(got.Said, whole) {
			t.Errorf("program: %+v", got)
		}
		if err := in.Open(save(t, folder, "program.html", pages["program"])); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Ask(`(async () => { const s = document.getElementById("stop"); for (;;) { if (!s.hidden) { s.click(); return "stopped"; }
			await new Promise((r) => requestAnimationFrame(r)); } })()`); err != nil {
			t.Fatal(err)
		}
		if got := look(t, in, done); !strings.Contains(got.Said, "✗ NOT VERIFIED") || !strings.Contains(got.Said, "you stopped") {
			t.Errorf("stopped: %+v", got)
		}
	})
}

// TestAttackHostileCase: what parties wrote stays text on the page, in both browsers. One page that
// is opened has a task of all texts. The page then gets a file for each text, where that text is
// also the subject. To open a page for each would unpack and compile its verifier each time, which
// took most of the time.
func TestAttackHostileCase(t *testing.T) {
	longtest.Only(t)
	r, ok := released(t)
	if !ok {
		return
	}
	strange := func(texts ...string) []byte {
		t.Helper()
		task, err := json.Marshal(map[string]any{"instruction": texts, "output_schema": map[string]string{"text": "string"}})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := casetest.File(casetest.Script{Name: "hostile", Judges: 7, Panel: 7, Documents: casetest.Documents{Task: string(task)}, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var all []string
	for _, text := range casetest.Hostile() {
		all = append(all, strings.ToValidUTF8(text, "?"))
	}
	written, err := r.Write(strange(all...))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	browser.Each(t, func(t *testing.T, in browser.Tab) {
		if err := in.Size(360); err != nil {
			t.Fatal(err)
		}
		if err := in.Open(save(t, folder, "hostile.html", written)); err != nil {
			t.Fatal(err)
		}
		quiet := func(name string) {
			t.Helper()
			got := look(t, in, done)
			said, err := in.Ask(`JSON.stringify([document.title, document.querySelectorAll("main script, main style, main img, main iframe, #evil").length, document.documentElement.scrollWidth <= innerWidth])`)
			if want := `["A verdict that verifies itself · ojud",0,true]`; err != nil || said != want || !strings.Contains(got.Said, "checks passed") || !strings.Contains(got.Said, name) || len(got.Faults) > 0 {
				t.Errorf("%s: %s, want %s, %v; %+v", name, html.EscapeString(said), want, err, got)
			}
		}
		quiet("This case")
		for i, text := range all {
			name := fmt.Sprintf("text-%d.json", i)
			drop(t, in, name, strange(text))
			quiet(name)
		}
	})
}
