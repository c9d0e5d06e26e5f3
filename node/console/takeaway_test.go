package console

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/page"
	"ojud/casefile/page/release"
	"ojud/casefile/picture"
	"ojud/voting"
)

// TestTakeAway: the case file that a reader takes from the page is the node's, and its page has the
// same file in it. A browser saves both and shows neither. Another machine gets neither.
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
		if h := w.Header(); w.Code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") || h.Get("X-Content-Type-Options") != "nosniff" || strings.HasPrefix(h.Get("Content-Type"), "text/") {
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

// TestNoVerifier: a build without the verifier for browsers offers nothing that needs it, and says
// what to run. One that has it offers it.
func TestNoVerifier(t *testing.T) {
	t.Parallel()
	task, scene := played(t, script(t, "accept"))
	scene.Links = true
	source := newStage()
	source.put(task, scene)
	for _, lacks := range []error{nil, page.ErrNoVerifier} {
		c := New(source, slog.New(slog.DiscardHandler))
		c.once.Do(c.open)
		c.unverified = lacks
		mux := http.NewServeMux()
		c.Routes(mux)
		for path, offers := range map[string]string{"/": `href="/verify"`, pagePath(task): `href="` + pagePath(task) + `/page"`} {
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.RemoteAddr, r.Host = here, here
			mux.ServeHTTP(w, r)
			body := w.Body.String()
			if strings.Contains(body, offers) != (lacks == nil) || path != "/" && strings.Contains(body, "<code>make build</code>") != (lacks != nil) {
				t.Errorf("%s, %v: %d", path, lacks, w.Code)
			}
		}
	}
}

// TestAttackPictures: a picture of a party is served as the picture that it is, under the policy of
// pages, and only if it stands in the case. A file that is a page as well stays a picture.
func TestAttackPictures(t *testing.T) {
	t.Parallel()
	task, scene := played(t, script(t, "accept"))
	var small bytes.Buffer
	if err := png.Encode(&small, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	both := append(small.Bytes(), "<html><script>alert(1)</script>"...)
	document, err := json.Marshal(map[string]string{"text": "data:text/html;base64," + base64.StdEncoding.EncodeToString(both)})
	if err != nil {
		t.Fatal(err)
	}
	terms := *picture.TermsOf(scene)
	terms.ResultHash = casefile.Digest(casefile.HashOf(document))
	scene.Record.Open, scene.Terms, scene.Links = nil, &terms, true
	before := scene.Content
	scene.Content = func(hash casefile.Digest) ([]byte, error) {
		if hash == terms.ResultHash {
			return document, nil
		}
		return before(hash)
	}
	source := newStage()
	source.put(task, scene)
	at := pagePath(task) + "/image/" + casefile.Digest(casefile.HashOf(both)).String()
	if body := get(t, source, here, here, pagePath(task)).Body.String(); !strings.Contains(body, `src="`+at+`" width="3" height="2"`) || strings.Contains(body, "text/html") {
		t.Error("the page does not show the picture")
	}
	w := get(t, source, here, here, at)
	if h := w.Header(); w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), both) || h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != policy {
		t.Errorf("%d %v", w.Code, h)
	}
	for _, hash := range []string{"x", terms.ResultHash.String(), terms.TaskHash.String(), casefile.Digest{}.String()} {
		if w := get(t, source, here, here, pagePath(task)+"/image/"+hash); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", hash, w.Code)
		}
	}
	if w := get(t, source, "192.0.2.1:5", here, at); w.Code != http.StatusForbidden {
		t.Errorf("from elsewhere: %d", w.Code)
	}
}
