package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ojud/datasource"
	"ojud/node"
)

// startStrangers starts nodes without a stake that claim to have the source, and lie. They are what
// anybody can start: a home, a source, and no lamports.
func (c *Cluster) startStrangers(ctx context.Context) error {
	for i := 1; i <= c.cfg.Strangers; i++ {
		home, _, err := node.Init(filepath.Join(c.cfg.Dir, "strangers", fmt.Sprintf("%02d", i)), c.descriptor)
		if err != nil {
			return fmt.Errorf("cluster: stranger %02d: %w", i, err)
		}
		m := &Member{Number: c.cfg.Nodes + i, Part: Honest, Home: home, stranger: i}
		raw, err := c.archive.file(m, true)
		if err != nil {
			return err
		}
		s, err := datasource.Parse(raw)
		if err == nil {
			err = datasource.Write(home.Path(c.cfg.Node.Sources.Dir), s)
		}
		if err != nil {
			return fmt.Errorf("cluster: %s: %w", m.Name(), err)
		}
		c.strangers = append(c.strangers, m)
		if err := c.launch(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// known waits until every judge knows of all strangers, as after a while in any network.
func (c *Cluster) known(ctx context.Context) error {
	return c.poll(ctx, 100*time.Millisecond, func() (bool, error) {
		for _, m := range c.running() {
			if _, known := m.node.Peers(); known < len(c.running())-1+len(c.strangers) {
				return false, nil
			}
		}
		return true, nil
	})
}
