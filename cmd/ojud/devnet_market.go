package main

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"syscall"

	"ojud/cmd/ojud/cli"
	"ojud/node/braindemo"
	"ojud/node/cluster"
	"ojud/node/marketdemo"
)

// The stories of agents that trade by themselves, and of a task of MegaBrain. They are not one
// dispute, so the cluster does not know them.
const storyMarket, storyBrain = "market", "brain"

// stories lists all stories.
func stories() []string { return slices.Insert(cluster.Stories(), 5, storyMarket, storyBrain) }

// several reports whether the story has more than one dispute.
func (d *devnet) several() bool { return d.story == storyMarket || d.story == storyBrain }

// play plays the story. It returns a task that the court judged.
func (d *devnet) play(ctx context.Context, t *teller, c *cluster.Cluster, dir string) (string, error) {
	switch d.story {
	case storyBrain:
		r, err := braindemo.Run(ctx, c, dir, t.say)
		if len(r.Agents) > 0 {
			err = errors.Join(err, t.app.Show(r, func(w io.Writer) error { _, err := r.WriteTo(w); return err }))
		}
		if err != nil {
			return r.Dispute, err
		}
		appeals, err := braindemo.Contest(ctx, c, dir, d.models.Given(), t.say)
		if len(appeals.Tasks) > 0 {
			err = errors.Join(err, t.app.Show(appeals, func(w io.Writer) error { _, err := appeals.WriteTo(w); return err }))
		}
		return r.Dispute, err
	case storyMarket:
	default:
		return t.demo(ctx, c)
	}
	r, err := marketdemo.Run(ctx, c, dir, t.say)
	if len(r.Agents) == 0 {
		return "", err
	}
	return r.Case, errors.Join(err, t.app.Show(r, func(w io.Writer) error {
		_, err := r.WriteTo(w)
		return err
	}))
}

// ports takes free ports where none were given and nobody needs the usual ones: for a demo that
// ends, and for one that stays while another court has the usual ones.
func (d *devnet) ports(ctx context.Context, rpc, p2p bool) {
	if rpc && p2p || !d.ends() && (!d.stay || d.free(ctx) == nil) {
		return
	}
	if !rpc {
		d.rpc = 0
	}
	if !p2p {
		d.p2p = 0
	}
}

// free checks that nobody listens on the ports of the flags.
func (d *devnet) free(ctx context.Context) error {
	var sockets net.ListenConfig
	for _, p := range []struct {
		flag string
		port int
	}{{"--rpc-port", d.rpc}, {"--rpc-port", d.rpc + min(d.rpc, 1)}, {"--p2p-port", d.p2p * min(d.nodes, 1)}} {
		address := net.JoinHostPort(d.host, strconv.Itoa(p.port))
		l, err := sockets.Listen(ctx, "tcp", address)
		if err == nil {
			err = l.Close()
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			return cli.Fail("another program listens on %s", address).Next("stop that program, or take another port with " + p.flag + "; 0 takes a free one")
		}
		if err != nil {
			return cli.Fail("the devnet cannot listen on %s: %v", address, err).Next("look at --host and " + p.flag)
		}
	}
	return nil
}
