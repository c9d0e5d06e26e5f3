package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWebhook: the commands try the receivers of the settings, say what these answered, escape it,
// and show no secret.
func TestWebhook(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	environ := []string{"HOME=" + home, "HOOK_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	if code, out, errs := lineIn(t.Context(), environ, "webhook", "test", "--home", home); code != 1 || !strings.Contains(errs, "docs/webhooks.md") {
		t.Errorf("without receivers: %d %s %s", code, out, errs)
	}
	signed := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/SECRET/good" {
			w.WriteHeader(http.StatusForbidden)
			w.Write([]byte("\x1b[31mno\u202e"))
			return
		}
		if strings.HasPrefix(r.Header.Get("webhook-signature"), "v1,") && strings.HasPrefix(r.Header.Get("webhook-id"), "msg_") {
			signed++
		}
		w.Write([]byte("thank you"))
	}))
	defer server.Close()
	var toml strings.Builder
	for _, name := range []string{"good", "bad"} {
		fmt.Fprintf(&toml, "[[webhooks.list]]\nname = %q\nurl = %q\nsecret = \"${env:HOOK_SECRET}\"\nevents = [\"judge.drawn\", \"funds.low\"]\nallow_private = true\n",
			name, server.URL+"/SECRET/"+name)
	}
	if err := os.WriteFile(filepath.Join(home, "ojud.toml"), []byte(toml.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	all := ""
	for args, want := range map[string]struct {
		code int
		says []string
	}{
		"list":             {0, []string{"good", "judge.drawn, funds.low", server.URL}},
		"test good":        {0, []string{"200 after", "thank you", "msg_"}},
		"test good --json": {0, []string{`"status":200`, `"text":"thank you"`}},
		"test":             {1, []string{"403 after", "check that it has the same secret", "bad did not take the event"}},
		"test none":        {2, []string{`no receiver "none"`, "ojud webhook list"}},
	} {
		code, out, errs := lineIn(t.Context(), environ, append(strings.Fields("webhook "+args), "--home", home)...)
		for _, says := range want.says {
			if code != want.code || !strings.Contains(out+errs, says) {
				t.Errorf("%s: %d, does not say %q: %s%s", args, code, says, out, errs)
			}
		}
		all += out + errs
	}
	if signed != 3 || strings.ContainsAny(all, "\x1b\u202e") || strings.Contains(all, "SECRET/") || strings.Contains(all, "whsec_Mf") {
		t.Errorf("%d signed requests; %q", signed, all)
	}
}
