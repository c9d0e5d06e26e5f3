package sources

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ojud/datasource"
	"ojud/datasource/kind"
	"ojud/datasource/preset"
)

// TestPresets asks each preset against answers in the documented form of its API: judges get the
// fields of the preset and no others, an answer for what is not there, and no request beyond the
// schema.
func TestPresets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, header, file, request, absent, want string
		never                                     []string
		bad                                       []string
	}{
		"github": {"/repos/octocat/Hello-World/issues/1347", "application/vnd.github+json", "github.json", `{"owner":"octocat","repo":"Hello-World","number":1347}`,
			`{"owner":"octocat","repo":"none","number":1}`,
			`{"body":"I'm having a problem with this.","closed_at":null,"created_at":"2011-04-22T13:33:48Z","number":1347,"pull_request":{"merged_at":"2011-04-23T10:00:00Z"},"state":"closed",` +
				`"title":"Found a bug","updated_at":"2011-04-22T13:33:48Z","user":{"login":"octocat"}}`,
			[]string{"avatar_url", "gravatar_id"},
			[]string{`{"owner":"a/b","repo":"c","number":1}`, `{"owner":"a","repo":"..\u0000","number":1}`, `{"owner":"a","repo":"b","number":"1"}`, `{"owner":"a","repo":"b"}`, `{"owner":"a","repo":"b","number":1,"x":2}`}},
		"discord": {"/channels/290926798999357250/messages/334385199974967042", "Bot a-token-of-a-bot", "discord.json", `{"channel":"290926798999357250","message":"334385199974967042"}`,
			`{"channel":"290926798999357250","message":"111111111111111111"}`,
			`{"author":{"bot":true,"id":"53908099506183680","username":"Mason"},"channel_id":"290926798999357250","content":"Supa Hot","edited_timestamp":null,"id":"334385199974967042","timestamp":"2017-07-11T17:27:07.299000+00:00"}`,
			[]string{"avatar", "reactions"}, []string{`{"channel":"1","message":"334385199974967042"}`, `{"channel":"290926798999357250"}`}},
	} {
		body, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if all := r.Header.Get("Accept") + " " + r.Header.Get("Authorization"); !strings.Contains(all, c.header) {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			if r.URL.Path != c.path {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			if _, err := w.Write(body); err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(api.Close)
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "token"), []byte("a-token-of-a-bot\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		template, _, _ := strings.Cut(preset.All()[name].Upstream["http"][0], "{")
		_, under, _ := strings.Cut(strings.TrimPrefix(template, "https://"), "/")
		under = strings.TrimPrefix("/"+under, "/api/v10") // the site of this test has no such folder
		_, rest, _ := strings.Cut(preset.All()[name].Upstream["http"][0], "{")
		d := Draft{As: name, Upstream: kind.Values{"http": {api.URL + under + "{" + rest}, "allow-private": {"true"}}}
		if name == "discord" {
			d.Upstream["header"] = []string{"Authorization=Bot ${file:token}"}
		}
		o := Options{Request: []byte(c.request)}
		if err := d.Apply(&o); err != nil {
			t.Fatal(err)
		}
		h, err := New(datasource.DefaultConfig(), Deps{Dir: home})
		if err != nil {
			t.Fatal(err)
		}
		added, err := h.Add(t.Context(), d, o)
		if err != nil || added.Name != preset.All()[name].Name || added.Trial == nil || string(added.Trial.Answer) != c.want {
			t.Errorf("%s: %+v, %v", name, added.Trial, err)
			continue
		}
		for _, hidden := range c.never {
			if !strings.Contains(string(body), hidden) || strings.Contains(string(added.Trial.Answer), hidden) {
				t.Errorf("%s: %s is given, or was not there", name, hidden)
			}
		}
		if got, err := h.Test(t.Context(), added.Name, []byte(c.absent)); err != nil || !got.OK || string(got.Answer) != `{"exists":false}` {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		for _, bad := range c.bad {
			if got, err := h.Test(t.Context(), added.Name, []byte(bad)); err != nil || got.OK {
				t.Errorf("%s took %s: %+v, %v", name, bad, got, err)
			}
		}
	}
}

// TestPresetChoices: what the owner says counts more, and an unknown preset is refused.
func TestPresetChoices(t *testing.T) {
	t.Parallel()
	d, o := Draft{As: "github", Name: "mine", TotalRate: "1000/1h", Upstream: kind.Values{"header": {"accept=text/plain", "Authorization=Bearer ${env:T}"}}}, Options{}
	if err := d.Apply(&o); err != nil || d.Name != "mine" || d.TotalRate != "1000/1h" || len(o.Request) == 0 ||
		!slices.Equal(d.Upstream["header"], []string{"accept=text/plain", "Authorization=Bearer ${env:T}", "X-GitHub-Api-Version=2022-11-28"}) {
		t.Errorf("%+v, %v", d, err)
	}
	var wrong *kind.FlagError
	for _, d := range []Draft{{As: "twitter"}, {As: "github", File: "x"}} {
		if err := d.Apply(&o); !errors.As(err, &wrong) {
			t.Error(err)
		}
	}
	if !slices.Equal(Presets(), []string{"discord", "github"}) {
		t.Error(Presets())
	}
}
