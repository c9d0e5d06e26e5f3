package main

import (
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/homes"
)

// count says how many judges there are: as many as the file of judges has, if there is one.
func (d *devnet) count(nodes bool) error {
	switch n, err := d.models.Read(); {
	case err != nil:
		return err
	case n > 0 && d.golden.share != "":
		return cli.Usage("golden cases have judges of their own, which vote by a script").Next("leave --judges out")
	case n > 0 && nodes && n != d.nodes:
		return cli.Usage("--judges has %d judges, and --nodes is %d", n, d.nodes).Next("leave --nodes out")
	case n > 0:
		d.nodes, nodes = n, true
	}
	return d.keep(nodes)
}

// keep takes as many judges as the court in --data has, and refuses to start fewer of them, because
// the court would draw the others and wait for them.
func (d *devnet) keep(nodes bool) error {
	kept, err := homes.Kept(d.data)
	switch {
	case err != nil:
		return cli.Usage("--data: %v", err)
	case kept > 0 && !nodes:
		d.nodes = kept
	case d.nodes < kept:
		return cli.Usage("%s has a court of %d judges; with --nodes %d the others would be absent in each case", d.data, kept, d.nodes).
			Next("leave --nodes out, or take another --data for another court")
	}
	return nil
}
