package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
)

// Tab is a tab of a browser. Its pages note in window.faults what their policy forbade and what
// went wrong in their scripts.
type Tab interface {
	// Open opens an address, and returns when the page is loaded.
	Open(address string) error
	// Size sets how wide the tab is.
	Size(width int) error
	// Ask evaluates an expression of JavaScript, awaits it, and returns its value as JSON text.
	Ask(expression string) (string, error)
}

// browsers are the browsers that a page must work in, each with its programs (the first that is
// there is started) and the variable of the environment that leaves it out.
var browsers = []struct {
	name     string
	programs []string
	leave    string
	start    func(t *testing.T, program string) Tab
}{
	{"chromium", chromiums, without, chromium},
	{"firefox-esr", []string{"firefox-esr"}, "OJUD_NO_FIREFOX", firefox},
}

// Each runs a test in each browser that is there. A missing one fails the test in CI.
func Each(t *testing.T, test func(t *testing.T, in Tab)) {
	t.Helper()
	for _, b := range browsers {
		t.Run(b.name, func(t *testing.T) {
			program, err := lookPath(b.programs...)
			switch {
			case os.Getenv(b.leave) == "1":
				t.Logf("NOT RUN: %s=1, the page was not opened in %s", b.leave, b.name)
				return
			case err != nil && os.Getenv("CI") != "":
				t.Fatalf("%s is missing, and CI must open the page (or set %s=1): %v", b.name, b.leave, err)
			case err != nil:
				t.Logf("NOT RUN: the page was not opened in a browser; install Debian's %s: %v", path.Base(b.programs[0]), err)
				return
			}
			test(t, b.start(t, program))
		})
	}
}

// watch makes a page count what its policy forbade and what went wrong in its scripts.
const watch = `window.faults = [];
addEventListener("securitypolicyviolation", (e) => faults.push("policy: " + e.violatedDirective + " " + e.blockedURI));
addEventListener("error", (e) => faults.push("error: " + e.message));`

// patience bounds one question to a page, on a busy machine.
const patience = 2 * time.Minute

type chrome struct{ ctx context.Context }

func chromium(t *testing.T, program string) Tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(watch).Do(ctx)
		return err
	})); err != nil {
		t.Fatal(err)
	}
	return chrome{ctx}
}

func (c chrome) Open(address string) error { return chromedp.Run(c.ctx, chromedp.Navigate(address)) }

func (c chrome) Size(width int) error {
	return chromedp.Run(c.ctx, chromedp.EmulateViewport(int64(width), 900))
}

func (c chrome) Ask(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	var value string
	err := chromedp.Run(ctx, chromedp.Evaluate(expression, &value, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return value, err
}

// bidi is a tab of Firefox, which speaks WebDriver BiDi.
type bidi struct {
	ctx  context.Context
	conn *websocket.Conn
	id   int
	tab  string
}

// listens is the line that Firefox writes when it listens.
var listens = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

func firefox(t *testing.T, program string) Tab {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+home, "MOZ_CRASHREPORTER_DISABLE=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(address)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if m := listens.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-read
		if err := cmd.Wait(); err == nil {
			t.Error("Firefox ended by itself")
		}
	})
	ws, ok := <-address
	if !ok {
		t.Fatal("Firefox ended before it listened")
	}
	conn, _, err := websocket.Dial(ctx, ws+"/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	b := &bidi{ctx: ctx, conn: conn}
	if _, err := b.call("session.new", map[string]any{"capabilities": map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	raw, err := b.call("browsingContext.getTree", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var tree struct{ Contexts []struct{ Context string } }
	if err := json.Unmarshal(raw, &tree); err != nil || len(tree.Contexts) == 0 {
		t.Fatalf("%s: %v", raw, err)
	}
	b.tab = tree.Contexts[0].Context
	if _, err := b.call("script.addPreloadScript", map[string]any{"functionDeclaration": "() => {" + watch + "}"}); err != nil {
		t.Fatal(err)
	}
	return b
}

// call calls a method, and skips events.
func (b *bidi) call(method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	b.id++
	raw, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if err := b.conn.Write(ctx, websocket.MessageText, raw); err != nil {
		return nil, err
	}
	for {
		_, raw, err := b.conn.Read(ctx)
		if err != nil {
			return nil, err
		}
		var answer struct {
			ID      int
			Result  json.RawMessage
			Error   string
			Message string
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			return nil, err
		}
		switch {
		case answer.ID != b.id:
		case answer.Error != "":
			return nil, fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		default:
			return answer.Result, nil
		}
	}
}

func (b *bidi) Open(address string) error {
	_, err := b.call("browsingContext.navigate", map[string]any{"context": b.tab, "url": address, "wait": "complete"})
	return err
}

func (b *bidi) Size(width int) error {
	_, err := b.call("browsingContext.setViewport", map[string]any{"context": b.tab, "viewport": map[string]any{"width": width, "height": 900}})
	return err
}

func (b *bidi) Ask(expression string) (string, error) {
	raw, err := b.call("script.evaluate", map[string]any{"expression": expression, "target": map[string]any{"context": b.tab}, "awaitPromise": true})
	if err != nil {
		return "", err
	}
	var answer struct {
		Type             string
		Result           struct{ Value json.RawMessage }
		ExceptionDetails struct{ Text string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", err
	}
	if answer.Type != "success" {
		return "", fmt.Errorf("%s: %s", expression, answer.ExceptionDetails.Text)
	}
	var value string
	err = json.Unmarshal(answer.Result.Value, &value)
	return value, err
}
