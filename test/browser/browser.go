// Package browser starts Chromium and Firefox for tests that open pages. A test that cannot open
// its pages fails in CI, and says elsewhere that it was not run.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// without is the environment variable that leaves out the tests in a browser.
const without = "OJUD_NO_CHROMIUM"

// chromiums are the programs that are Chromium. The first is Debian's browser without windows and
// services, which takes a third less processor time. It is named by its path, because the script in
// /usr/bin leaves the browser behind if it is killed.
var chromiums = []string{"/usr/lib/chromium/chromium-headless-shell", "chromium"}

// lookPath finds the first of some programs.
func lookPath(programs ...string) (path string, err error) {
	for _, program := range programs {
		if path, err = exec.LookPath(program); err == nil {
			break
		}
	}
	return path, err
}

// Start starts Chromium until the test ends, and at most for that long. It returns a context for
// its tabs, or nil if there is no Chromium: then the caller returns.
func Start(t *testing.T, most time.Duration) context.Context {
	t.Helper()
	program, err := lookPath(chromiums...)
	switch {
	case os.Getenv(without) == "1":
		t.Logf("NOT RUN: %s=1, no page was opened in a browser", without)
		return nil
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("Chromium is missing, and CI must open the pages (or set %s=1): %v", without, err)
	case err != nil:
		t.Logf("NOT RUN: no page was opened in a browser; install Debian's chromium-headless-shell: %v", err)
		return nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, most)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}
