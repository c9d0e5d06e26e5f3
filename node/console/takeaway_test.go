package console

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/page"
	"ojud/casefile/page/release"
	"ojud/voting"
)

// TestTakeAway: the case file that a reader takes from the page is the node's, and its page has the
// same file in it. A browser saves both and shows neither. From elsewhere nobody gets one.
func TestTakeAway(t *testing.T) {
	t.Parallel()
	world, err := casetest.Build(script(t, "accept"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := world.Export()
	if err != nil {
		t.Fatal(err)
	}
	source := newStage()
	task := voting.Key{7}
	source.files = map[voting.Key][]byte{task: file}
	saved := func(suffix string) []byte {
		w := get(t, source, here, here, pagePath(task)+suffix)
		if h := w.Header(); w.Code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Fatalf("%s: %d %v", suffix, w.Code, h)
		}
		return w.Body.Bytes()
	}
	if got := saved("/file"); !bytes.Equal(got, file) {
		t.Errorf("%d bytes, want %d", len(got), len(file))
	}
	if _, err := release.Load(); err == nil {
		if got, err := page.Case(saved("/page")); err != nil || !bytes.Equal(got, file) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	} else if w := get(t, source, here, here, pagePath(task)+"/page"); w.Code != http.StatusNotImplemented || !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("%d", w.Code)
	}
	for path, want := range map[string]int{pagePath(voting.Key{8}) + "/file": http.StatusNotFound, "/case/x/file": http.StatusNotFound, "/case/x/page": http.StatusNotFound} {
		if w := get(t, source, here, here, path); w.Code != want || w.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := get(t, source, "192.0.2.1:5", here, pagePath(task)+"/file"); w.Code != http.StatusForbidden {
		t.Errorf("from elsewhere: %d", w.Code)
	}
}
