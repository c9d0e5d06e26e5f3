package braindemo

import (
	"strings"
	"testing"

	"ojud/agent/model/modeltest"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestAttackAppeals takes minutes, so that a plain "go test" leaves it out. Seven judges with a
// scripted model hear two appeals against golden tasks. A creator that opened a lie loses its bond
// to the evaluator that appeals. An appellant that hides the question, while the memory node of the
// class is silent, won the bond of an honest creator: now the creator's crank shows the question.
func TestAttackAppeals(t *testing.T) {
	longtest.Only(t)
	models, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	cfg := cluster.DefaultConfig().Sized(7).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	cfg = cfg.Reasoned().Asking(models.URL(modeltest.Knowing), "scripted", "")
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Contest(t.Context(), c, cfg.Dir, t.Logf)
	if err != nil {
		t.Error(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if n := len(models.Requests(modeltest.Knowing)); n < 2*7 {
		t.Errorf("the judges asked the model %d times", n)
	}
	if err := models.Close(); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Error(err)
	}
	t.Log(b.String())
}
