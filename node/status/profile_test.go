package status

import (
	"net/http"
	"strings"
	"testing"
)

// TestProfiles: profiles are off, and if they are on they need the key. The command line is never
// given.
func TestProfiles(t *testing.T) {
	t.Parallel()
	a := newTestAPI(t, data{})
	good := key("Bearer " + a.Key())
	if code, _ := send(a, http.MethodGet, "/debug/pprof/heap", good, ""); code != http.StatusNotFound {
		t.Errorf("off: %d", code)
	}
	a.cfg.Profiles = true
	for _, word := range []string{"", "Bearer ", "Bearer " + a.Key()[1:]} {
		if code, _ := send(a, http.MethodGet, "/debug/pprof/heap", key(word), ""); code != http.StatusUnauthorized {
			t.Errorf("%q: %d", word, code)
		}
	}
	for name, want := range map[string]int{"heap": http.StatusOK, "goroutine?debug=1": http.StatusOK, "cmdline": http.StatusNotFound, "symbol": http.StatusNotFound, "x": http.StatusNotFound} {
		code, body := send(a, http.MethodGet, "/debug/pprof/"+name, good, "")
		if code != want || want == http.StatusNotFound && !strings.Contains(body, "there are profile") {
			t.Errorf("%s: %d %.80s", name, code, body)
		}
	}
}
