package kind

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const key = "s3cret/key+with=marks"

// site is the API that the tests ask.
func site(t *testing.T) (*httptest.Server, string) {
	mux := http.NewServeMux()
	reply := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Write([]byte(body))
		})
	}
	mux.HandleFunc("/v1/posts/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Write(fmt.Appendf(nil, `{"data":{"id":9007199254740993,"path":%q,"query":%q}}`, r.URL.EscapedPath(), r.URL.RawQuery))
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"headers": r.Header, "url": r.URL.String(), "body": string(body),
			"encoded": url.QueryEscape(r.Header.Get("X-Api-Key")), r.Header.Get("X-Api-Key"): true}); err != nil {
			panic(err)
		}
	})
	reply("/text", "text/plain", "hello")
	reply("/number", "application/json", "42")
	reply("/half", "application/json", `{"a":`)
	reply("/twice", "application/json", `{"a":1,"a":2}`)
	reply("/image", "image/png", "x")
	reply("/latin", "text/plain", "\xe9")
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code := 0
		if _, err := fmt.Sscan(r.PathValue("code"), &code); err != nil {
			panic(err)
		}
		w.WriteHeader(code)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 256 {
			if _, err := z.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/go", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s, strings.TrimPrefix(s.URL, "http://")
}

func api1(host, path string) *HTTP {
	return &HTTP{URL: "http://" + host + path, Hosts: []string{host}, Network: Network{AllowPrivate: true}}
}

func TestHTTPTemplate(t *testing.T) {
	_, host := site(t)
	h := api1(host, "/v1/posts/{id}?x={x}")
	h.Query = map[string]string{"y": "{y}", "z": "{z}", "k&": "a b"}
	h.Pointer = "/data"
	u := opened(t, h, Env{})
	got := ask(t, u, `{"id":"a/b?c#d@evil.com ${env:KEY} {x} é","x":9007199254740992,"y":true}`)
	same(t, got, `{"id":"9007199254740993","path":"/v1/posts/a%2Fb%3Fc%23d%40evil.com%20%24%7Benv%3AKEY%7D%20%7Bx%7D%20%C3%A9","query":"x=9007199254740992&k%26=a%20b&y=true"}`)
	for request, says := range map[string]string{
		`{"x":1}`: `"id" is missing`, `{"id":null,"x":1}`: `"id" is missing`, `{"id":"..","x":1}`: "segment", `{"id":"","x":1}`: "empty",
		`{"id":"../../admin","x":1}`: "segment", `{"id":"a\\..\\b","x":1}`: "segment", `{"id":["a"],"x":1}`: "has parts",
		`{"id":"` + strings.Repeat("a", 3000) + `","x":1}`: "3000 bytes", `[]`: "no object", `"id"`: "no object",
	} {
		refused(t, u, request, ErrRequest, says)
	}
}

func TestHTTPAnswers(t *testing.T) {
	_, host := site(t)
	same(t, ask(t, opened(t, api1(host, "/text"), Env{}), `{}`), `{"text":"hello"}`)
	same(t, ask(t, opened(t, api1(host, "/number"), Env{}), `{}`), `42`)
	absent := api1(host, "/status/404")
	absent.Missing = json.RawMessage(`{"exists":false}`)
	same(t, ask(t, opened(t, absent, Env{}), `{}`), `{"exists":false}`)
	for path, class := range map[string]error{
		"/half": ErrSchema, "/twice": ErrSchema, "/image": ErrSchema, "/latin": ErrSchema, "/status/200": ErrSchema,
		"/status/400": ErrRequest, "/status/404": ErrRequest, "/status/401": ErrRefused, "/status/403": ErrRefused, "/status/429": ErrRefused,
		"/status/500": ErrDown, "/status/503": ErrDown, "/status/504": ErrSlow, "/status/304": ErrRefused,
		"/endless": ErrLarge, "/bomb": ErrLarge, "/loop": ErrRefused,
	} {
		t.Run(path[1:], func(t *testing.T) { refused(t, opened(t, api1(host, path), Env{MaxBytes: 64 << 10}), `{}`, class, "") })
	}
	pointed := api1(host, "/number")
	pointed.Pointer = "/data/0"
	refused(t, opened(t, pointed, Env{}), `{}`, ErrSchema, `"data"`)
}

func TestHTTPSlow(t *testing.T) {
	_, host := site(t)
	u := opened(t, api1(host, "/slow"), Env{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := u.Answer(ctx, json.RawMessage(`{}`)); !errors.Is(err, ErrSlow) {
		t.Fatal(err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	refused(t, opened(t, api1(strings.TrimPrefix(gone.URL, "http://"), "/"), Env{}), `{}`, ErrDown, "")
}

// TestHTTPSecrets: an upstream echoes everything that it got. The answer and errors still do not
// contain the secret.
func TestHTTPSecrets(t *testing.T) {
	_, host := site(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("token-from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := Env{Dir: dir, LookupEnv: environ("KEY", key, "SHORT", "abc", "LINES", "abcdefgh\nX: y")}
	h := api1(host, "/echo?k=${env:KEY}")
	h.Method, h.Headers = "POST", map[string]string{"Authorization": "Bearer ${file:token}", "X-Api-Key": "${env:KEY}"}
	h.Query, h.Body = map[string]string{"q": "${env:KEY}"}, json.RawMessage(`{"deep":["{n}","${env:KEY}","{none}"]}`)
	got := ask(t, opened(t, h, env), `{"n":{"m":"${env:KEY}"}}`)
	for _, trace := range []string{key, url.QueryEscape(key), escape(key), "token-from-file"} {
		if strings.Contains(got, trace) {
			t.Errorf("%q is in %s", trace, got)
		}
	}
	for _, want := range []string{`"Bearer [secret]"`, `"/echo?k=[secret]&q=[secret]"`, `{\"deep\":[{\"m\":\"${env:KEY}\"},\"[secret]\",null]}`, `"[secret]":true`, `"encoded":"[secret]"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	h.URL = "http://127.0.0.1:1/${env:KEY}"
	h.Hosts = []string{"127.0.0.1:1"}
	text := refused(t, opened(t, h, env), `{}`, ErrDown, "POST http://127.0.0.1:1/${env:KEY}")
	if strings.Contains(text, key) || strings.Contains(text, escape(key)) {
		t.Error(text)
	}
	for name, says := range map[string]string{"NONE": "not set", "SHORT": "has 3 bytes", "LINES": "control characters"} {
		h := api1(host, "/echo")
		h.Headers = map[string]string{"X-Api-Key": "${env:" + name + "}"}
		refused(t, opened(t, h, env), `{}`, ErrSetup, says)
	}
	lost := api1(host, "/echo")
	lost.Headers = map[string]string{"X-Api-Key": "${file:none}"}
	refused(t, opened(t, lost, env), `{}`, ErrSetup, "cannot be opened")
}

// TestHTTPRedirects: redirects go only to listed hosts, and without the headers for the first host.
func TestHTTPRedirects(t *testing.T) {
	_, host := site(t)
	_, other := site(t)
	env := Env{LookupEnv: environ("KEY", key)}
	h := api1(host, "/go?to={to}&k=${env:KEY}")
	h.Headers = map[string]string{"X-Api-Key": "${env:KEY}", "X-Plain": "p"}
	u := opened(t, h, env)
	if got := ask(t, u, `{"to":"/echo"}`); !strings.Contains(got, `"X-Api-Key":["[secret]"]`) {
		t.Errorf("same host: %s", got)
	}
	refused(t, u, `{"to":"http://`+other+`/echo"}`, ErrRefused, "did not list the host")
	refused(t, u, `{"to":"http://169.254.169.254/latest/meta-data"}`, ErrRefused, "did not list the host")
	refused(t, u, `{"to":"file:///etc/passwd"}`, ErrRefused, "neither http nor https")
	refused(t, u, `{"to":"http://user:pass@`+host+`/echo"}`, ErrRefused, "user name")
	h.Hosts = []string{host, other}
	got := ask(t, opened(t, h, env), `{"to":"http://`+other+`/echo"}`)
	if !strings.Contains(got, `"X-Plain"`) || strings.Contains(got, "X-Api-Key") || strings.Contains(got, "Referer") {
		t.Errorf("other host: %s", got)
	}
	// away and back: after leaving the host a redirect does not get the key again
	back := `http://` + other + `/go?to=` + url.QueryEscape("http://"+host+"/echo")
	if got := ask(t, opened(t, h, env), `{"to":"`+back+`"}`); strings.Contains(got, "X-Api-Key") {
		t.Errorf("away and back: %s", got)
	}
	post := *h
	post.Method, post.Body = "POST", json.RawMessage(`{"k":"${env:KEY}"}`)
	refused(t, opened(t, &post, env), `{"to":"http://`+other+`/echo"}`, ErrRefused, "get the body")
}

// TestRebinding: if a name resolves to another address the second time, that address is checked
// too.
func TestRebinding(t *testing.T) {
	server, host := site(t)
	_, port, _ := strings.Cut(host, ":")
	var lookups atomic.Int32
	env := Env{LookupIP: func(_ context.Context, name string) ([]netip.Addr, error) {
		if name != "api.example.com" {
			t.Errorf("lookup of %s", name)
		}
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("169.254.169.254")}, nil
	}}
	h := api1("api.example.com:"+port, "/text")
	h.Network = Network{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	u := opened(t, h, env)
	same(t, ask(t, u, `{}`), `{"text":"hello"}`)
	server.CloseClientConnections()
	refused(t, u, `{}`, ErrRefused, "no public address")
	private := api1(host, "/text")
	private.Network = Network{}
	refused(t, opened(t, private, Env{}), `{}`, ErrRefused, "no public address")
	if err := newDialer(Network{}, Env{}).check("tcp", "127.0.0.1:80", nil); !errors.Is(err, ErrRefused) {
		t.Error("the last look lets this machine pass")
	}
}

// TestNoProxy: the environment does not redirect a source.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	transport := newClient(Network{}, nil, nil, Env{}).Transport.(*http.Transport)
	if transport.Proxy != nil {
		t.Error("a proxy is used")
	}
}

func TestNetworkAllows(t *testing.T) {
	plain, private := Network{}, Network{AllowPrivate: true}
	listed := Network{Networks: []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}}
	for text, want := range map[string][3]bool{ // plain, private, listed
		"93.184.216.34": {true, true, true}, "2606:2800:220:1::1": {true, true, true},
		"127.0.0.1": {false, true, false}, "10.1.2.3": {false, true, false}, "192.168.0.1": {false, true, false}, "172.31.255.255": {false, true, false},
		"::1": {false, true, false}, "fd12::1": {false, true, false}, "::ffff:127.0.0.1": {false, true, false},
		"169.254.169.254": {false, false, true}, "::ffff:169.254.169.254": {false, false, true}, "64:ff9b::a9fe:a9fe": {false, false, true},
		"2002:a9fe:a9fe::1": {false, false, true}, "fd00:ec2::254": {}, "fd20:ce::254": {},
		"100.100.100.200": {}, "0.0.0.0": {}, "::": {}, "224.0.0.1": {}, "255.255.255.255": {}, "fe80::1": {}, "ff02::1": {}, "::127.0.0.1": {},
		"198.18.0.1": {}, "192.0.2.1": {}, "2001:db8::1": {}, "2001::1": {}, "64:ff9b::7f00:1": {false, true, false}, "240.0.0.1": {},
		"172.32.0.1": {true, true, true}, "100.128.0.1": {true, true, true}, "fe80::1%eth0": {}, "93.184.216.34%": {},
	} {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			continue // a text that is not an address gets no connection
		}
		if got := [3]bool{plain.Allows(ip), private.Allows(ip), listed.Allows(ip)}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if plain.Allows(netip.Addr{}) {
		t.Error("no address is allowed")
	}
}

// FuzzURLTemplate: no request changes scheme and host.
func FuzzURLTemplate(f *testing.F) {
	f.Add("https://api.example.com/v1/{a}/x?q={b}", "../..", "&z=1#")
	f.Add("https://api.example.com/{a}{b}", ".", ".")
	f.Add("https://api.example.com:8443{a}", "@evil.com/", "")
	f.Add("http://[::1]/%7B{a}", "\\evil.com", "\x00")
	f.Fuzz(func(t *testing.T, template, a, b string) {
		tpl, err := parseURL("url", template)
		if err != nil {
			return
		}
		fixed, err := url.Parse(tpl.base)
		if err != nil {
			t.Fatalf("base %q: %v", tpl.base, err)
		}
		u, err := tpl.fill(map[string]any{"a": a, "b": b}, &secrets{env: Env{LookupEnv: environ("KEY", key)}})
		if err != nil {
			return
		}
		if u.Scheme != fixed.Scheme || u.Host != fixed.Host || u.User != nil || u.Fragment != "" || u.Opaque != "" || dots(u.Path) {
			t.Fatalf("%q with %q and %q becomes %s", template, a, b, u)
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != fixed.Host || again.Scheme != fixed.Scheme {
			t.Fatalf("%s is read again as %v, %v", u, again, err)
		}
	})
}
