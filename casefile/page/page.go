// Package page writes a case file as one HTML file that draws and verifies itself in a browser, and
// reads it back.
//
// The file is a template with one hole. The template has the style sheet, the scripts and the
// verifier as packed WebAssembly; the hole has the case. Everything that the page shows of the case
// is drawn by the verifier from the case, so nothing but the template has to be believed, and each
// release has one template for each Engine. Open writes the page again from the template and
// compares every byte. ADR 0051 has the reasons.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/casefile/reading"
)

//go:embed assets
var assets embed.FS

// Engine says what the verifier of a page can run.
type Engine string

// The engines. Plain is less than half as large.
const (
	Plain Engine = "plain" // no demands, no check programs and no generators of golden cases
	Whole Engine = "whole" // everything that ojud case verify runs
)

// EngineFor returns the smallest engine that can verify a case. The error says why the file cannot
// be read.
func EngineFor(file []byte) (Engine, error) {
	r, err := reading.File(file)
	if err != nil {
		return "", err
	}
	if r.Leaf != nil {
		return Whole, nil
	}
	if r.Open == nil {
		return Plain, nil
	}
	raw, err := r.Content(r.Open.Value.Task.TaskHash)
	if err != nil {
		return Plain, nil //nolint:nilerr // the verifier says that the task is not in the file
	}
	task, err := casefile.ParseTask(raw)
	if err != nil {
		return Plain, nil //nolint:nilerr // the verifier says what is wrong with the task
	}
	if len(task.Value.Expected) > 0 {
		return Whole, nil
	}
	return Plain, nil
}

// Release has what a build step makes for the pages: the verifiers, and Go's own script for them.
type Release struct {
	Verifiers map[Engine][]byte // WebAssembly, packed by xz with CRC32
	Exec      []byte            // wasm_exec.js of the Go release that compiled them
}

// Lines of the hole. Without them the page is the template.
const (
	linesOfHole = "ojud:"
	caseLine    = linesOfHole + "case:"
	hashLine    = linesOfHole + "without:"
)

// ErrNoVerifier means that this build of ojud has no verifier for pages.
var ErrNoVerifier = errors.New("this build of ojud has no verifier for pages; build it with: make build")

// halves returns the template before and after its hole.
func (r Release) halves(e Engine) (before, after string, err error) {
	packed, ok := r.Verifiers[e]
	if !ok || len(packed) == 0 || len(r.Exec) == 0 {
		return "", "", ErrNoVerifier
	}
	own := map[string]string{}
	drawn, err := picture.Assets()
	if err != nil {
		return "", "", err
	}
	for _, f := range []struct {
		from fs.FS
		name string
	}{{assets, "assets/page.html"}, {assets, "assets/page.js"}, {drawn, "style.css"}, {drawn, "live.js"}} {
		raw, err := fs.ReadFile(f.from, f.name)
		if err != nil {
			return "", "", err
		}
		own[f.name[strings.LastIndexByte(f.name, '/')+1:]] = string(raw)
	}
	worker, err := r.Worker()
	if err != nil {
		return "", "", err
	}
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; worker-src blob:; script-src 'wasm-unsafe-eval' " +
		allow(own["page.js"]) + " " + allow(own["live.js"]) + "; style-src " + allow(own["style.css"])
	for name, text := range map[string]string{"worker": worker, "page.js": own["page.js"], "live.js": own["live.js"], "style.css": own["style.css"]} {
		if bad := strings.ToLower(text); strings.Contains(bad, "</script") || strings.Contains(bad, "</style") || strings.Contains(bad, "<!--") || strings.Contains(bad, "\nojud:") {
			return "", "", fmt.Errorf("page: %s would end the element that it stands in, or looks like a line of the hole", name)
		}
	}
	whole := strings.NewReplacer("{{.Policy}}", policy, "{{.Engine}}", string(e), "{{.Style}}", own["style.css"], "{{.Worker}}", worker,
		"{{.Verifier}}", base64.StdEncoding.EncodeToString(packed), "{{.Page}}", own["page.js"], "{{.Live}}", own["live.js"]).Replace(own["page.html"])
	before, after, found := strings.Cut(whole, "{{.Case}}")
	if !found {
		return "", "", errors.New("page: the template has no place for a case")
	}
	return before, after, nil
}

// Worker is the script that runs a verifier in a worker of a browser.
func (r Release) Worker() (string, error) {
	if len(r.Exec) == 0 {
		return "", ErrNoVerifier
	}
	unpack, err := assets.ReadFile("assets/xz-decompress.js")
	if err != nil {
		return "", err
	}
	own, err := assets.ReadFile("assets/worker.js")
	return string(r.Exec) + "\n" + string(unpack) + "\n" + string(own), err
}

// Script is the script of a page that draws and verifies case files. Without a case in the page it
// waits for a file. It takes the worker and the verifier from elements of the page, or from the
// addresses in their attribute data-src.
func Script() ([]byte, error) { return assets.ReadFile("assets/page.js") }

// allow names an inline script or style in a policy.
func allow(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Hash is the SHA-256 of a release's page without its case, in hexadecimal.
func (r Release) Hash(e Engine) (string, error) {
	before, after, err := r.halves(e)
	return hashOf(before, after), err
}

func hashOf(before, after string) string {
	sum := sha256.Sum256([]byte(before + after))
	return hex.EncodeToString(sum[:])
}

// Write returns the page of a case file.
func (r Release) Write(file []byte) ([]byte, error) {
	e, err := EngineFor(file)
	if err != nil {
		return nil, err
	}
	return r.write(e, file)
}

func (r Release) write(e Engine, file []byte) ([]byte, error) {
	before, after, err := r.halves(e)
	if err != nil {
		return nil, err
	}
	packed, err := pack(file)
	if err != nil {
		return nil, err
	}
	return []byte(before + caseLine + base64.StdEncoding.EncodeToString(packed) + "\n" + hashLine + hashOf(before, after) + "\n" + after), nil
}

func pack(file []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(file)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// MaxPage bounds the bytes of a page: a case file that cannot be compressed, and the verifier.
const MaxPage = casefile.MaxBundle*3/2 + 16<<20

// Is reports whether a file is a page rather than a case file.
func Is(file []byte) bool {
	const start = "<!doctype html>"
	return len(file) >= len(start) && strings.EqualFold(string(file[:len(start)]), start)
}

// Found is what stands in a page.
type Found struct {
	Case   []byte // the case file
	Engine Engine // empty: the page is of no engine of this release
	Fault  string // where the page differs from the one that this release writes; empty: nowhere
}

// ErrNoCase means that a page has no case that can be read.
var ErrNoCase = errors.New("page: no case is in this page")

// Case returns the case file in a page of any release. The error wraps ErrNoCase.
func Case(page []byte) ([]byte, error) {
	at := bytes.Index(page, []byte("\n"+caseLine))
	if at < 0 {
		return nil, ErrNoCase
	}
	at += 1 + len(caseLine)
	line, _, _ := bytes.Cut(page[at:], []byte("\n"))
	file, err := unpack(line)
	if err != nil {
		return nil, fmt.Errorf("%w: bytes %d to %d: %w", ErrNoCase, at, at+len(line), err)
	}
	return file, nil
}

// Open takes a page apart, writes it again, and compares. The error says that there is no case in
// it. A page that another release wrote, or that somebody changed, has a Fault.
func (r Release) Open(page []byte) (Found, error) {
	file, err := Case(page)
	if err != nil {
		return Found{}, err
	}
	found := Found{Case: file}
	nearest := -1
	for _, e := range []Engine{Plain, Whole} {
		want, err := r.write(e, found.Case)
		if err != nil {
			return found, err
		}
		if bytes.Equal(want, page) {
			return Found{found.Case, e, ""}, nil
		}
		if same := common(want, page); same > nearest {
			nearest = same
			found.Fault = fmt.Sprintf("byte %d of %d is not as this release of ojud writes it (%d bytes)", same, len(page), len(want))
		}
	}
	return found, nil
}

// unpack reads the line of a case. It reads no more than a case file can have.
func unpack(line []byte) ([]byte, error) {
	packed, err := base64.StdEncoding.Strict().DecodeString(string(line))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	file, err := io.ReadAll(io.LimitReader(r, casefile.MaxBundle+1))
	if err == nil && len(file) > casefile.MaxBundle {
		err = fmt.Errorf("the case has more than %d bytes", casefile.MaxBundle)
	}
	return file, err
}

// common returns how many bytes two texts have in common from the start.
func common(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
