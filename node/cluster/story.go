package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/examples"
	"ojud/node/cluster/npm"
	"ojud/node/cluster/site"
)

// Story is the dispute that Play brings before the court.
type Story string

// The stories, each an example of seed 000.
const (
	StoryEleptiger Story = "eleptiger" // a drawing that code can judge
	StoryData      Story = "data"      // a post on a social site, which only judges with access to the site can see
	StoryDated     Story = "dated"     // that post, which has to be of one day and by the worker
	StoryFile      Story = "file"      // a file on a site, which has to be there byte for byte
	StoryPayment   Story = "payment"   // a payment on the chain, which each judge's node can see
	StoryEngine    Story = "engine"    // the drawing again: signers decide one task, are silent about another, and an escrow pays
	StoryAppeal    Story = "appeal"    // the drawing again: five of seven judges are bribed after the draw, and the worker appeals
	StoryJudges    Story = "judges"    // ten lines about a musician, some perhaps off the topic: judges of 28 personas ask models
)

// Stories lists all of them. The further ones are examples of work that code can judge.
func Stories() []string {
	return append([]string{string(StoryEleptiger), string(StoryData), string(StoryDated), string(StoryFile), string(StoryPayment), string(StoryEngine), string(StoryAppeal), string(StoryJudges)}, examples.Works()...)
}

// Asked reports whether judges ask holders of a site in the story.
func (s Story) Asked() bool { return site.PageKindOf(string(s)) != "" }

// Upstream is the service that the holders of StoryData ask for the post.
type Upstream string

// The upstreams.
const (
	UpstreamHTTP Upstream = "http" // a site that this process runs
	UpstreamMCP  Upstream = "mcp"  // an MCP server from npm for each holder, with a memory of its own
)

// archive is the service that holders ask.
type archive interface {
	// file returns the source file of a holder. A lying holder gets other data.
	file(m *Member, lies bool) ([]byte, error)
	close() error
}

func (c Config) checkStory() error {
	switch {
	case !slices.Contains(Stories(), string(c.Story)):
		return fmt.Errorf("cluster: story is %q, set it to one of %q", c.Story, Stories())
	case c.Story == StoryAppeal && (c.Nodes-c.Absent < smallPanel+heardBy || c.Params.AppealSeconds == 0):
		return fmt.Errorf("cluster: the story %q needs %d judges whose nodes run, and a court with appeals", StoryAppeal, smallPanel+heardBy)
	case c.Upstream != UpstreamHTTP && c.Upstream != UpstreamMCP:
		return fmt.Errorf("cluster: upstream is %q, set it to %q or %q", c.Upstream, UpstreamHTTP, UpstreamMCP)
	case !c.Story.Asked() && (c.Holders != 0 || c.Lying != 0 || c.Strangers != 0) || c.Story != StoryData && c.Upstream != UpstreamHTTP:
		return fmt.Errorf("cluster: holders, lying and strangers belong to the stories %q, %q and %q, and upstream to the first", StoryData, StoryDated, StoryFile)
	case c.Strangers < 0 || c.Strangers > maxNodes:
		return fmt.Errorf("cluster: strangers is %d, set it to 0..%d", c.Strangers, maxNodes)
	case c.Strangers > 0 && (c.Upstream != UpstreamHTTP || c.Nodes == 0):
		return fmt.Errorf("cluster: strangers need the upstream %q and judges", UpstreamHTTP)
	case c.Upstream != UpstreamMCP && len(c.Server) > 0:
		return fmt.Errorf("cluster: server belongs to the upstream %q", UpstreamMCP)
	case c.Holders < 0 || c.Lying < 0 || c.Holders+c.Lying > c.Nodes-c.Absent:
		return fmt.Errorf("cluster: holders is %d and lying is %d, but only %d judges run; lower one of them, or start more judges", c.Holders, c.Lying, c.Nodes-c.Absent)
	}
	return c.checkModels()
}

// The names of the sources.
const (
	source       = site.PostSource // of UpstreamHTTP
	memorySource = "memory.search"
	chainSource  = "chain.transaction"
)

// source is the name of the source in the task. task is the example with that task.
func (u Upstream) source() string {
	return map[Upstream]string{UpstreamHTTP: source, UpstreamMCP: memorySource}[u]
}

func (u Upstream) task() string {
	return map[Upstream]string{UpstreamHTTP: "post.task", UpstreamMCP: "memory.task"}[u]
}

// told reports whether any node holds the source.
func (c Config) told() bool { return c.Story.Asked() && c.Holders+c.Lying+c.Strangers > 0 }

// Check returns npm.ErrNoNode if this machine lacks programs that the story needs. It names them,
// and installs nothing.
func (c Config) Check(ctx context.Context) error {
	if c.told() && c.Upstream == UpstreamMCP && len(c.Server) == 0 {
		return npm.Check(ctx)
	}
	return nil
}

// openArchive starts the service that the holders have access to.
func (c *Cluster) openArchive(ctx context.Context) (err error) {
	switch {
	case c.cfg.Story == StoryPayment:
		c.archive = explorer{}
		return nil
	case !c.cfg.told():
		return nil
	case c.cfg.Upstream == UpstreamMCP:
		c.archive, err = c.openMemory(ctx)
		return err
	}
	s, err := site.Open(ctx, c.log, site.PageKindOf(string(c.cfg.Story)))
	if err != nil {
		return err
	}
	c.archive = web{s}
	c.say("A site is up at %s; the first %d judges have access to it.", s.URL(), c.cfg.Holders)
	return nil
}

// holds reports whether a judge has access, and whether it lies. The first judges have access, and
// the last of these lie.
func (c Config) holds(number int) (holds, lies bool) {
	if c.Story == StoryPayment {
		return true, false
	}
	return c.told() && number <= c.Holders+c.Lying, number > c.Holders
}

// offer writes the source file of a judge that has access, and removes files of earlier stories.
func (c *Cluster) offer(m *Member) error {
	dir := m.Home.Path(c.cfg.Node.Sources.Dir)
	for _, name := range []string{source, site.FileSource, memorySource, chainSource} {
		if err := datasource.Remove(dir, name); err != nil && !errors.Is(err, datasource.ErrUnknown) && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("cluster: %s: %w", m.Name(), err)
		}
	}
	holds, lies := c.cfg.holds(m.Number)
	if !holds || c.archive == nil {
		return nil
	}
	raw, err := c.archive.file(m, lies)
	if err != nil {
		return err
	}
	s, err := datasource.Parse(raw)
	if err == nil {
		err = datasource.Write(dir, s)
	}
	if err != nil {
		return fmt.Errorf("cluster: %s: its source: %w", m.Name(), err)
	}
	return nil
}

// names returns the documents of the story in the folder of examples.
func (c Config) names() (task, result, objection, counter string) {
	switch c.Story {
	case StoryData:
		return "post/" + c.Upstream.task(), "post/good.result", "post/untrue.objection", "post/counter"
	case StoryDated:
		return "post/dated.task", "post/good.result", "post/untrue.objection", "post/counter"
	case StoryPayment:
		return "payment/devnet.task", "payment/good.result", "payment/objection", "payment/counter"
	case StoryJudges:
		return "alan-walker/alan-walker.task", "judges/doubtful.result", "judges/quality.objection", "judges/counter"
	case StoryEleptiger, StoryEngine, StoryAppeal:
		return "eleptiger/eleptiger.task", "eleptiger/good.result", "eleptiger/untrue.objection", "eleptiger/counter"
	}
	folder := string(c.Story)
	return folder + "/" + folder + ".task", folder + "/good.result", folder + "/objection", folder + "/counter"
}

// loadPapers reads the example of the story: a good result, an untrue objection, and the worker's
// answer to it. The result and objection of StoryJudges are open to dispute.
func (c Config) loadPapers() (p papers, err error) {
	task, result, objection, counter := c.names()
	var faults [4]error
	p.task, faults[0] = example(task, casefile.ParseTask)
	p.result, faults[1] = example(result, casefile.ParseResult)
	p.objection, faults[2] = example(objection, casefile.ParseObjection)
	p.counter, faults[3] = example(counter, casefile.ParseCounterObjection)
	if err := errors.Join(faults[:]...); err != nil {
		return p, err
	}
	return p, p.read()
}
