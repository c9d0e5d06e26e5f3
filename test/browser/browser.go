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

// Start starts Chromium until the test ends, and at most for that long. It returns a context for
// its tabs, or nil if there is no Chromium: then the caller returns.
func Start(t *testing.T, most time.Duration) context.Context {
	t.Helper()
	program, err := exec.LookPath("chromium")
	switch {
	case os.Getenv(without) == "1":
		t.Logf("NOT RUN: %s=1, no page was opened in a browser", without)
		return nil
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("Chromium is missing, and CI must open the pages (or set %s=1): %v", without, err)
	case err != nil:
		t.Logf("NOT RUN: no page was opened in a browser; install Debian's chromium: %v", err)
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
