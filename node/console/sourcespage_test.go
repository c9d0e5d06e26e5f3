package console

import (
	"errors"
	"strings"
	"testing"
)

// TestSourcesPage: the page counts the holders with a stake, and sums up who asked this node.
func TestSourcesPage(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	body := strings.Join(strings.Fields(get(t, source, here, here, "/sources").Body.String()), " ")
	for _, want := range []string{
		"Judges of this court offer 2 sources of data.",
		`<th scope="row" class="text">site.post</th><td class="n">100</td><td class="n">67</td><td class="n">100 ms</td><td class="n">0.131 SOL</td>`,
		`<tr id="source-site.post"><th scope="row" class="text"><a href="/market?source=site.post" title="tasks that name it">site.post</a> <span class="pill">this node</span></th><td class="n">14</td><td class="n">4</td>`,
		`<a href="/market?source=rates" title="tasks that name it">rates</a></th><td class="n">7</td><td class="n">2</td>`,
		"From the last 200 requests", "the source failed", `<td class="nb">1 Jan 1970, 00:19:59</td>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(body, `<td class="nb">1 Jan 1970`); n != maxRequests {
		t.Errorf("%d requests are listed", n)
	}
	source.fault = errors.New("the disk is <b>gone</b>")
	if body := get(t, source, here, here, "/sources").Body.String(); !strings.Contains(body, "the disk is &lt;b&gt;gone") {
		t.Error("the page does not say why there is no log")
	}
	if body := get(t, newStage(), here, here, "/sources").Body.String(); !strings.Contains(body, "No judge of this court offers data yet.") || !strings.Contains(body, "ojud source add") {
		t.Error("an empty page does not say what to do")
	}
}
