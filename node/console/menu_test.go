package console

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// TestMenu: five entries are enough, each page is two clicks away from the first one, and each says
// where the reader is.
func TestMenu(t *testing.T) {
	t.Parallel()
	source := newStage()
	top, beside := menu("court")
	if len(top) != 5 || len(beside) != 0 || top[0].Here != "page" {
		t.Errorf("%+v %+v", top, beside)
	}
	reached := map[string]bool{}
	for _, first := range top {
		body := get(t, source, here, here, first.Path).Body.String()
		for _, path := range []string{"/", "/market", "/agents", "/sources", "/judge", "/network", "/doctor", "/rules", "/verify"} {
			if strings.Contains(body, `<a href="`+path+`"`) {
				reached[path] = true
			}
		}
	}
	for path := range reached {
		w := get(t, source, here, here, path)
		if n := strings.Count(w.Body.String(), `aria-current="page"`); w.Code == http.StatusOK && n != 1 {
			t.Errorf("%s: %d entries are the page", path, n)
		}
	}
	source.court.Roster = judgesFor(7)
	other := source.court.Roster.Entries[3].Authority.String()
	if body := get(t, source, here, here, "/judge/"+other).Body.String(); !strings.Contains(body, `<a href="/" aria-current="page"`) || strings.Contains(body, "Its judge") {
		t.Error("the page of another judge is said to be of this node")
	}
	if w := get(t, source, here, here, "/task/"+other); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/case/"+other {
		t.Errorf("a task leads to %q with %d", w.Header().Get("Location"), w.Code)
	}
	want := 9
	if !New(source, slog.New(slog.DiscardHandler)).verifies() {
		want-- // this build has no verifier for browsers
	}
	if len(reached) != want {
		t.Errorf("%v", reached)
	}
}
