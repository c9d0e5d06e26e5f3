package backup

import (
	"path/filepath"
	"testing"

	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/voting"
)

// TestUpgrade: a home as ojud of 28 November 2026 left it, after a case of 28 judges in which it
// sat, opens in this ojud: its journal, its vote, the log of the case, its content. A later ojud
// adds a home of its own; it never changes this one.
func TestUpgrade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	m, err := Restore("testdata/home-1.tar.gz", dir, DefaultMost)
	if err != nil || m.Judge != "HoGPaLmqCfxgYFmMW7DemvjETcAdp5ibHWdDFKyPnvqm" {
		t.Fatalf("%+v, %v", m, err)
	}
	h, err := node.OpenHome(dir)
	if err != nil {
		t.Fatal(err)
	}
	task, err := onchain.ParseAddress("9zV1toW2pyDYb5q135DAj5F9H9yfBJWYmyCVCnvKTbGb")
	if err != nil {
		t.Fatal(err)
	}
	j := open(t, h)
	c, ok, err := j.Own(voting.Key(task), 1, h.Keys.Judge())
	if err != nil || !ok || c.Opening.Choice != voting.Accept {
		t.Errorf("its vote: %v %v, %v", c, ok, err)
	}
	shut(t, j)

	cfg := node.DefaultConfig()
	cfg.P2P.Listen, cfg.API.Listen = []string{"/ip4/127.0.0.1/tcp/0"}, "127.0.0.1:0"
	n, err := node.New(t.Context(), h, cfg, node.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := n.Log(voting.Key(task))
	if err != nil || len(log.Heads()) < 28 {
		t.Errorf("its log of the case: %v, %v", log, err)
	}
	if _, err := n.Opinion(c.Opening.Opinion); err != nil {
		t.Errorf("its opinion: %v", err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}
