package console

import (
	"errors"
	"net/http"

	"ojud/casefile/page"
	"ojud/casefile/page/release"
)

// The files of the verifier for browsers.
const (
	verifierScript = "verifier.js"      // runs it in a worker
	verifierModule = "verifier.wasm.xz" // itself, packed
	verifierPage   = "page.js"          // draws what it says
)

// workerPolicy is the policy of the worker: it runs WebAssembly, and loads nothing.
const workerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'"

// verifier returns the files of the verifier. The error is page.ErrNoVerifier if this build has
// none.
func verifier() (map[string][]byte, error) {
	made, err := release.Load()
	if err != nil {
		return nil, err
	}
	worker, err := made.Worker()
	if err != nil {
		return nil, err
	}
	script, err := page.Script()
	return map[string][]byte{verifierScript: []byte(worker), verifierModule: made.Verifiers[page.Whole], verifierPage: script}, err
}

// pageHashes are the hashes that pages of cases of this release have without their cases.
func pageHashes() (string, error) {
	made, err := release.Load()
	if err != nil {
		return "", err
	}
	plain, err := made.Hash(page.Plain)
	if err != nil {
		return "", err
	}
	whole, err := made.Hash(page.Whole)
	return plain + " " + whole, err
}

const noVerifier = "This ojud was built without the verifier for browsers. Build it with: make build."

// verifyPage is what the page shows on which a reader verifies a file.
type verifyPage struct{ Fault string }

// verify serves the page on which a reader verifies a file. It does not change by itself.
func (c *Console) verify(w http.ResponseWriter, _ *http.Request) {
	c.once.Do(c.open)
	var data verifyPage
	if errors.Is(c.unverified, page.ErrNoVerifier) {
		data.Fault = noVerifier
	}
	c.whole(w, "verify", data, frame{Title: "Verify a case file", Page: "verify", Replay: true, Verifier: data.Fault == ""})
}
