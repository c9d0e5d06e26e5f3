package cluster

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/examples"
	"ojud/node"
	"ojud/node/cluster/npm"
	"ojud/node/cluster/site"
	"ojud/test/longtest"
)

// evidenceOf sums up a case file: the number of votes that name data, the number of holders asked,
// and the notes of Verify. A judge on a busy machine may not wait for the second holder. Then the
// file says that.
func evidenceOf(t *testing.T, file, source string) (votes, asked int, notes string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Events []casefile.Event `json:"events"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Events {
		switch e.Kind {
		case casefile.KindVote:
			var v casefile.VoteBody
			if err := json.Unmarshal(e.Body, &v); err != nil {
				t.Fatal(err)
			}
			if len(v.Vote.DataAccessed) > 0 && v.Vote.DataAccessed[0].Tool == source {
				votes++
			}
		case casefile.KindData:
			var d casefile.DataBody
			if err := json.Unmarshal(e.Body, &d); err != nil {
				t.Fatal(err)
			}
			asked += len(d.Receipts) + len(d.Failures)
		}
	}
	r := verify.File(raw)
	return votes, asked, r.String()
}

// TestDataStory: two of seven judges have access to a real upstream. All vote on its answer, with
// receipts. A third holder that lies changes nothing, but the file notes it. (Without holders all
// abstain: TestDataUnavailable of package node.)
func TestDataStory(t *testing.T) {
	t.Parallel()
	server := memoryServer(t)
	for name, c := range map[string]struct {
		upstream Upstream
		lying    int
		note     string
	}{
		"a site":                     {UpstreamHTTP, 0, ""},
		"a site, and a rumour":       {UpstreamHTTP, 1, "contradict each other about site.post"},
		"servers":                    {UpstreamMCP, 0, ""},
		"servers, and one that lies": {UpstreamMCP, 1, "contradict each other about memory.search"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t)
			cfg.Story, cfg.Upstream, cfg.Holders, cfg.Lying = StoryData, c.upstream, 2, c.lying
			cfg.Node.Data = node.DefaultConfig().Data // a busy machine is no liar
			d := &cfg.Node.Data.Requester
			d.Answers = cfg.Holders + c.lying // so each judge asks the liar too
			d.SecondAnswerWait, d.OwnAnswerWait = 30*time.Second, 30*time.Second
			if c.upstream == UpstreamMCP {
				if cfg.Server = server; server == nil {
					return
				}
			}
			cluster, told := begin(t, cfg)
			r := playOn(t, cluster)
			checkTrace(t, told, r, c.lying)
			votes, asked, notes := evidenceOf(t, r.File, cfg.Upstream.source())
			if r.Verdict != "accept" || votes != 7 || asked < 14 || !strings.Contains(notes, c.note) {
				t.Errorf("%s, %d votes with data, %d holders asked\n%s", r.Verdict, votes, asked, notes)
			}
		})
	}
}

// TestAttackStrangersOutvoteTheHolder: two nodes that anybody can start, without a stake and
// unchanged, lie about the source of one judge. Before, nine of nine judges rejected a right
// result. Of one such node alone nobody believes a word.
func TestAttackStrangersOutvoteTheHolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		holders, strangers int
		note               string
	}{
		"two against the holder": {1, 2, "the stranger did:key:"},
		"one alone":              {0, 1, "only strangers answered about site.post, who decide nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t)
			cfg.Story, cfg.Holders, cfg.Strangers = StoryData, c.holders, c.strangers
			cfg.Node.Data = node.DefaultConfig().Data
			cfg.Node.Data.Requester.SearchTimeout = 5 * time.Second // nobody else has the source
			cluster, told := begin(t, cfg)
			r := playOn(t, cluster)
			_, _, notes := evidenceOf(t, r.File, cfg.Upstream.source())
			if r.Verdict != "accept" || !strings.Contains(notes, c.note) {
				t.Errorf("%s\n%s", r.Verdict, notes)
			}
			var story strings.Builder
			for _, l := range told.of(EventNote) {
				story.WriteString(l.Text + "\n")
			}
			for _, say := range []string{"without a stake, which are no judges, claim to have the data too, and lie", " from stranger 01", "the lie did not change the verdict"} {
				if !strings.Contains(story.String(), say) {
					t.Errorf("no %q in\n%s", say, story.String())
				}
			}
		})
	}
}

// checkTrace checks that the story says who asked whom, who lied and what came of it.
func checkTrace(t *testing.T, told *told, r Summary, lying int) {
	t.Helper()
	var story strings.Builder
	for _, l := range told.of(EventNote) {
		story.WriteString(l.Text + "\n")
	}
	if _, err := r.WriteTo(&story); err != nil {
		t.Fatal(err)
	}
	says := []string{"7 judges asked others for data and got signed answers: ", " from judge 01, ", " from judge 02"}
	if lying > 0 {
		says = append(says, "On purpose, judge 03 claims to have the data too, and lies", " from judge 03.", " of these answers are false",
			"the lie did not change the verdict", "note             the ", "staked holder judge 0")
	}
	for _, say := range says {
		if !strings.Contains(story.String(), say) {
			t.Errorf("no %q in\n%s", say, story.String())
		}
	}
	if strings.Contains(story.String(), "did:key") || lying == 0 && strings.Contains(story.String(), "On purpose") {
		t.Error(story.String())
	}
}

// TestUpstreams checks that a second start with another upstream removes everything of the first
// one, and that servers end with their nodes.
func TestUpstreams(t *testing.T) {
	longtest.Only(t)
	server := memoryServer(t)
	if server == nil {
		return
	}
	before := goleak.IgnoreCurrent()
	cfg := testConfig(t).Sized(3)
	t.Chdir(cfg.Dir)
	cfg.Dir = "court" // a relative path, as people type it
	cfg.Story, cfg.Upstream, cfg.Server, cfg.Holders, cfg.Lying = StoryData, UpstreamMCP, server, 1, 1
	c, _ := begin(t, cfg)
	if got := sourcesOf(t, c); !slices.Equal(got, []string{"01 memory.search.source.json", "02 memory.search.source.json"}) {
		t.Error(got)
	}
	for i, text := range []string{site.PostText, site.Rumour} {
		if raw, err := os.ReadFile(c.members[i].Home.Path(memoryFile)); err != nil || !strings.Contains(string(raw), text) {
			t.Errorf("judge %d remembers %s: %v", i+1, raw, err)
		}
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before)
	cfg.Upstream, cfg.Server, cfg.Lying = UpstreamHTTP, nil, 0
	c, _ = begin(t, cfg)
	if got := sourcesOf(t, c); !slices.Equal(got, []string{"01 site.post.source.json"}) {
		t.Error(got)
	}
}

// sourcesOf lists the source files of all judges.
func sourcesOf(t *testing.T, c *Cluster) (out []string) {
	t.Helper()
	for _, m := range c.members {
		files, err := os.ReadDir(m.Home.Path("sources"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, f := range files {
			out = append(out, m.Name()[len("judge "):]+" "+f.Name())
		}
	}
	return out
}

// TestServerBroken checks that a broken server is reported before the dispute, with its last
// output.
func TestServerBroken(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t).Sized(3)
	cfg.Story, cfg.Upstream, cfg.Server, cfg.Holders = StoryData, UpstreamMCP, []string{"sh", "-c", "echo out of memories >&2; exit 1"}, 1
	c, err := Start(t.Context(), cfg, Deps{})
	if err == nil {
		t.Error("it started", c.Stop())
	} else if !strings.Contains(err.Error(), "the MCP server of judge 01") || !strings.Contains(err.Error(), "out of memories") {
		t.Error(err)
	}
}

// TestNoNode checks that a missing program is reported before any file is made.
func TestNoNode(t *testing.T) {
	cfg := testConfig(t)
	cfg.Story, cfg.Upstream, cfg.Holders = StoryData, UpstreamMCP, 1
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	without := func(says string) {
		t.Helper()
		c, err := Start(t.Context(), cfg, Deps{})
		if err == nil {
			t.Fatal("it started", c.Stop())
		}
		if made, bad := os.ReadDir(cfg.Dir); !errors.Is(err, npm.ErrNoNode) || !strings.Contains(err.Error(), says) || bad != nil || len(made) != 0 {
			t.Error(err, made, bad)
		}
	}
	program := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	without("npx")
	program("npx", `echo "npm error code EAI_AGAIN" >&2; echo "npm error no such host" >&2; exit 1`)
	without("node")
	program("node", "echo v18.20.1")
	without("v18.20.1")
	program("node", "echo v20.0.0")
	if c, err := Start(t.Context(), cfg, Deps{}); err == nil {
		t.Error("it started", c.Stop())
	} else if !strings.Contains(err.Error(), "could not bring") || !strings.Contains(err.Error(), "code EAI_AGAIN; no such host") {
		t.Error(err)
	}
	cfg.Holders = 0
	if err := cfg.Check(t.Context()); err != nil {
		t.Error("no holder has a server, but", err)
	}
}

// memoryServer returns the command line of the server of testdata/memory. npm installs it if it is
// missing. If that is not possible, the log says so and the result is nil; in CI (environment
// variable CI is set) it is an error.
func memoryServer(t *testing.T) []string {
	t.Helper()
	const folder = "testdata/memory"
	if os.Getenv(noNode) == "1" {
		t.Logf("NOT RUN: %s=1, no server from npm was tried", noNode)
		return nil
	}
	node, err := npmNode(t, folder)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("the server from npm is missing, and CI must try it (or set %s=1): %v", noNode, err)
	}
	if err != nil {
		t.Logf("NOT RUN: NO SERVER FROM NPM WAS TRIED. Install Node.js 20 or later with npm, and let npm reach its registry: %v", err)
		return nil
	}
	path, err := filepath.Abs(filepath.Join(folder, "node_modules", npm.Server, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{node, path}
}

// TestEngineStory: signers decide a task, are silent about another, and somebody else's escrow pays
// by the verdict of the court. The checks are those of the demo.
func TestEngineStory(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t)
	cfg.Story = StoryEngine
	cfg.Params.MinWorkSeconds = 1
	cluster, _ := begin(t, cfg)
	r := playOn(t, cluster)
	if r.Verdict != "accept" || !r.Verified || len(r.Checked) != 12 {
		t.Errorf("%s, verified %v, %d checks: %q", r.Verdict, r.Verified, len(r.Checked), r.Checked)
	}
}

// TestSiteStories: what a site shows decides whether a post is of the day and by the worker, and
// whether a file is there byte for byte. A holder that lies changes nothing.
func TestSiteStories(t *testing.T) {
	t.Parallel()
	for story, source := range map[Story]string{StoryDated: site.PostSource, StoryFile: site.FileSource} {
		t.Run(string(story), func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t).Sized(5)
			cfg.Story, cfg.Holders, cfg.Lying = story, 2, 1
			cfg.Node.Data = node.DefaultConfig().Data // a busy machine is no liar
			cfg.Node.Data.Requester.Answers = 3       // so each judge asks the liar too
			cluster, _ := begin(t, cfg)
			r := playOn(t, cluster)
			votes, asked, notes := evidenceOf(t, r.File, source)
			if r.Verdict != "accept" || !r.Verified || votes == 0 || asked == 0 || !strings.Contains(notes, "contradict each other about "+source) {
				t.Errorf("%s, verified %v, %d votes rest on %d answers: %s", r.Verdict, r.Verified, votes, asked, notes)
			}
			raw, err := os.ReadFile(r.File)
			if err != nil {
				t.Fatal(err)
			}
			if report := verify.File(raw); report.Check(verify.CheckDemands).Count == 0 || strings.Contains(report.String(), "is not true") {
				t.Errorf("the check on the site is not made again: %s", report.String())
			}
		})
	}
}

// TestPaymentStory: the worker pays on the chain, each judge's node shows the transaction, and the
// answers of the source decide.
func TestPaymentStory(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t).Sized(3)
	cfg.Story = StoryPayment
	cluster, _ := begin(t, cfg)
	r := playOn(t, cluster)
	if r.Verdict != "accept" || !r.Verified {
		t.Errorf("%s, verified %v", r.Verdict, r.Verified)
	}
	if votes, asked, notes := evidenceOf(t, r.File, chainSource); votes == 0 || asked == 0 || !strings.HasPrefix(notes, "verified:") {
		t.Errorf("%d votes rest on %d answers of the source: %s", votes, asked, notes)
	}
	raw, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	if report := verify.File(raw); report.Check(verify.CheckDemands).Count == 0 || strings.Contains(report.String(), "is not true") {
		t.Errorf("the check on the payment is not made again: %s", report.String())
	}
}

// TestWorkStories: courts of judges without a model decide each example of work that firms pay for.
// The good result is accepted, and the case file verifies, with the demands made again.
func TestWorkStories(t *testing.T) {
	t.Parallel()
	for _, work := range examples.Works() {
		t.Run(work, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t).Sized(3)
			cfg.Story = Story(work)
			cluster, _ := begin(t, cfg)
			r := playOn(t, cluster)
			if r.Verdict != "accept" || !r.Verified {
				t.Errorf("%s, verified %v", r.Verdict, r.Verified)
			}
			raw, err := os.ReadFile(r.File)
			if err != nil {
				t.Fatal(err)
			}
			report := verify.File(raw)
			if report.Check(verify.CheckDemands).Count+report.Check(verify.CheckPrograms).Count == 0 || strings.Contains(report.String(), "is not true") {
				t.Errorf("%s", report.String())
			}
		})
	}
}
