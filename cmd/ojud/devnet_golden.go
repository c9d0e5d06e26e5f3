package main

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ojud/cmd/ojud/cli"
	"ojud/node/assay"
	"ojud/node/cluster"
)

// goldenRun holds the flags of a devnet that measures its judges with golden cases.
type goldenRun struct {
	share                        string
	batches, leaves, right       int
	rejecters, copiers           int
	seed                         string
	rejectersGiven, copiersGiven *pflag.Flag
}

func (g *goldenRun) flags(f *pflag.FlagSet) {
	d := assay.DefaultMeasure(cluster.DefaultConfig().Nodes)
	f.StringVar(&g.share, "golden", "", "measure scripted judges with golden cases, that share of all cases (1% to 50%), then end")
	f.IntVar(&g.batches, "batches", d.Batches, "with --golden: batches of golden cases, one after the other")
	f.IntVar(&g.leaves, "leaves", d.Leaves, "with --golden: golden cases of a batch, an even number")
	f.IntVar(&g.right, "right", d.Right, "with --golden: the percent of cases in which a judge that reads is right")
	f.IntVar(&g.rejecters, "rejecters", 0, "with --golden: judges that reject everything (default a seventh)")
	f.IntVar(&g.copiers, "copiers", 0, "with --golden: judges that vote as the court decided last (default a seventh)")
	f.StringVar(&g.seed, "seed", d.Seed, "with --golden: makes the same cases and errors each time")
	g.rejectersGiven, g.copiersGiven = f.Lookup("rejecters"), f.Lookup("copiers")
}

// ends reports whether the devnet ends by itself.
func (d *devnet) ends() bool { return d.demo && !d.stay || d.golden.share != "" }

// assay returns what the flags want measured.
func (d *devnet) assay() (assay.Measure, error) {
	g := d.golden
	percent, err := strconv.ParseFloat(strings.TrimSuffix(g.share, "%"), 64)
	if err != nil || !strings.HasSuffix(g.share, "%") || percent < 0.01 || percent > 50 {
		return assay.Measure{}, cli.Usage("--golden %.20q is no share of the cases", g.share).Next("write 10%, or another share up to 50%")
	}
	c := assay.DefaultMeasure(d.nodes)
	c.Share = uint16(math.Round(percent * 100))
	c.Batches, c.Leaves, c.Right, c.Seed = g.batches, g.leaves, g.right, g.seed
	if g.rejectersGiven.Changed {
		c.Rejecters = g.rejecters
	}
	if g.copiersGiven.Changed {
		c.Copiers = g.copiers
	}
	switch {
	case d.demo:
		return c, cli.Usage("--golden and --demo exclude each other").Next("leave one of them out")
	case d.Absent+d.Contrary+d.Equivocating > 0:
		return c, cli.Usage("with --golden all judges are scripted").Next("leave --absent, --contrary and --equivocating out; see --rejecters and --copiers")
	}
	if err := c.Validate(d.nodes); err != nil {
		return c, cli.Usage("%s", cli.Plain(err))
	}
	return c, nil
}

// measure runs a court with golden cases, and shows what its judges earned.
func (t *teller) measure(ctx context.Context, b *assay.Bench, c *cluster.Cluster, dir string) error {
	r, err := b.Run(ctx, c, dir, t.say)
	if err != nil {
		return err
	}
	return t.app.Show(r, func(w io.Writer) error {
		_, err := r.WriteTo(w)
		return err
	})
}

// notes tells only what the cluster itself says, because a measurement has hundreds of cases.
func (t *teller) notes(l cluster.Line) {
	if l.Event == cluster.EventNote {
		t.tell(l)
	}
}
