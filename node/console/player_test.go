package console

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/voting"
)

// exported is the file of a case of casetest.
func exported(t testing.TB, name string) []byte {
	t.Helper()
	w, err := casetest.Build(script(t, name))
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// player serves the replay of a file.
func player(t testing.TB, file []byte) *httptest.Server {
	t.Helper()
	p, err := Play(file, "some.case.json", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	return server
}

// TestReplay: a replay begins before the draw, changes one thing at a step, and ends as the case.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, s := range casetest.Scripts() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			p, err := Play(exported(t, s.Name), s.Name, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			if !p.report.OK() {
				t.Fatalf("%s", p.report.String())
			}
			first, end := p.at(0), p.at(len(p.frames)-1)
			if len(first.Case.Rings) != 0 || first.Case.State.Word != "drawing judges" || len(first.Case.Money.Out) != 0 || len(first.Case.Reasons) != 0 {
				t.Errorf("it begins with %q", first.Case.State.Word)
			}
			_, scene := played(t, s)
			if want := stateOf(scene, benches(scene)); end.Case.State != want || len(end.Case.Money.Out) == 0 {
				t.Errorf("it ends with %+v, want %+v", end.Case.State, want)
			}
			told := map[string]bool{}
			for i := range p.frames {
				at := p.at(i)
				var votes [voting.Choices + 1]int
				if i > 0 && i < len(p.frames)-1 {
					all := benches(p.frames[i].scene)
					votes = all[len(all)-1].Votes
					if b := all[len(all)-1]; !b.Settled && len(at.Case.Reasons) > 0 && b.Revealed == 0 {
						t.Errorf("step %d shows reasons before votes", i)
					}
				}
				if at.Text == "" || told[at.Text] && votes == [voting.Choices + 1]int{} && !strings.Contains(at.Text, "seals") && !strings.Contains(at.Text, "drawn") {
					t.Errorf("step %d says %q again", i, at.Text)
				}
				told[at.Text] = true
			}
		})
	}
}

// TestReplayChanged: a page of a file with a changed byte says that it is not verified, and where.
func TestReplayChanged(t *testing.T) {
	t.Parallel()
	file := exported(t, "accept")
	changed := bytes.Replace(file, []byte(`"choice": "accept"`), []byte(`"choice": "reject"`), 1)
	if bytes.Equal(file, changed) {
		t.Fatal("nothing was changed")
	}
	for _, c := range []struct {
		file []byte
		want string
	}{{file, "✓ Verified"}, {changed, "✗ NOT VERIFIED"}} {
		p, err := Play(c.file, "x", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?step=3", nil)
		r.Host, r.RemoteAddr = here, here
		p.Handler().ServeHTTP(w, r)
		if body := w.Body.String(); !strings.Contains(body, c.want) || inline.MatchString(body) || w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("no %q", c.want)
		}
	}
	for _, bad := range []string{"", "{", "[]", `{"format":"oju-case/2"}`} {
		p, err := Play([]byte(bad), "x", slog.New(slog.DiscardHandler))
		if err == nil && p.report.OK() {
			t.Errorf("%q is played as verified", bad)
		}
	}
}

// TestReplaySteps: a step that does not exist is the nearest one.
func TestReplaySteps(t *testing.T) {
	t.Parallel()
	server := player(t, exported(t, "accept"))
	for query, want := range map[string]string{"?step=0": "Step 0 of 58", "?step=-7": "Step 0 of 58", "?step=99999": "Step 58 of 58", "?step=x": "Step 58 of 58", "": "Step 58 of 58"} {
		for _, path := range []string{"/", "/frame"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			if _, err := body.ReadFrom(answer.Body); err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(body.String(), want) {
				t.Errorf("%s%s has no %q", path, query, want)
			}
		}
	}
}
