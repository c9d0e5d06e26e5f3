package console

import (
	"fmt"
	"testing"

	"ojud/ledger/onchain"
	"ojud/test/browser"
	"ojud/test/longtest"
)

// TestEachBrowser: in Firefox as in Chromium, each page fits a narrow window and breaks no policy,
// and a page follows its case without being loaded again.
func TestEachBrowser(t *testing.T) {
	longtest.Only(t)
	browser.Each(t, func(t *testing.T, in browser.Tab) {
		source, casePath := full(t)
		source.court.State.Peer = "12D31"
		source.claims = map[string][]string{"12D32": {"12D33"}, "12D33": {"12D32", "12D34"}}
		server := serve(t, source)
		at := func(path string) {
			t.Helper()
			if err := in.Open(server.URL + path); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
		says := func(expression, want string) {
			t.Helper()
			if got, err := in.Ask(expression); err != nil || got != want {
				t.Errorf("%s is %q, want %q: %v", expression, got, want, err)
			}
		}
		if err := in.Size(360); err != nil {
			t.Fatal(err)
		}
		for _, path := range append(everywhere(), casePath, "/agent/"+onchain.Address{17, 0, 4}.String()) {
			at(path)
			says(fmt.Sprintf(`JSON.stringify([%q, faults, %s > 0, document.querySelectorAll("main h1").length])`, path, wide), fmt.Sprintf("[%q,[],false,1]", path))
		}

		source = newStage() // a console keeps what nothing will change
		server = serve(t, source)
		task, end := played(t, script(t, "accept"))
		source.put(task, voting28(end, 3))
		at(pagePath(task))
		const waits = `new Promise((done) => { const look = () => { const n = document.querySelectorAll(".seat.%s").length; n === %d ? done(n + " " + window.mark) : setTimeout(look, 20); }; look(); })`
		says(`(window.mark = "the same page")`, "the same page") // which a reload would lose
		says(fmt.Sprintf(waits, "sealed", 3), "3 the same page")
		source.put(task, voting28(end, 19))
		says(fmt.Sprintf(waits, "sealed", 19), "19 the same page")
		end.Archived = true
		source.put(task, end)
		says(fmt.Sprintf(waits, "accept", 28), "28 the same page")
		says("JSON.stringify(faults)", "[]")
	})
}
