package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestMemoryPaid: a payer audits what a memory node keeps and pays for it, and the node counts it.
func TestMemoryPaid(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS, cfg.Chain.Chain.SlotTime = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", 50*time.Millisecond
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	b := &brainTyped{person: &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}}}
	payer, owner := mustKey(t), mustKey(t)
	b.each([]string{payer, owner}, func(int) []string { return []string{"airdrop", "1sol"} })
	dir, wallet := t.TempDir(), addressOf(t, owner)
	run := func(args ...string) (at string, stop func() string) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		where := l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan string, 1)
		go func() {
			_, out, errs := lineIn(ctx, b.environ, append([]string{"brain", "memory", "run", dir, "--listen", where, "--rate", fmt.Sprint(1 << 40)}, args...)...)
			over <- out + errs
		}()
		for began := time.Now(); time.Since(began) < time.Minute; {
			if conn, err := new(net.Dialer).DialContext(ctx, "tcp", where); err == nil {
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
				return "http://" + where, func() string { cancel(); return <-over }
			}
		}
		cancel()
		t.Fatalf("the node does not answer: %s", <-over)
		return "", nil
	}

	at, stop := run()
	receipt := filepath.Join(t.TempDir(), "receipt.json")
	content := strings.Repeat("a result ", 10_000)
	b.json("brain", "memory", "put", b.file("result", content), "--node", at, "--receipt", receipt)
	b.refuses("names no wallet", "brain", "memory", "pay", receipt, "--node", at, "--key", payer)
	stop()

	at, stop = run("--wallet", wallet)
	pay := func() map[string]any {
		return b.json("brain", "memory", "pay", receipt, "--node", at, "--key", payer)[0]
	}
	for began, refused := time.Now(), false; !refused; { // a second has to pass until something is due
		code, out, errs := lineIn(t.Context(), b.environ, "brain", "memory", "pay", receipt, "--node", at, "--key", payer, "--most", "1lamports")
		if refused = code != 0 && strings.Contains(unwrapped(errs), "nothing was paid"); !refused && time.Since(began) > time.Minute {
			t.Fatalf("more than --most: exit %d, %s%s", code, out, errs)
		}
	}
	paid := pay()
	if paid["result"] != "landed" || paid["wallet"] != wallet || paid["lamports"] == "0" {
		t.Fatalf("paid: %v", paid)
	}
	stop()
	at, stop = run("--wallet", wallet) // it counts when it starts
	for began := time.Now(); time.Since(began) < time.Minute; {
		code, out, _ := lineIn(t.Context(), b.environ, "brain", "memory", "paid", dir, "--json")
		if code == 0 && strings.Contains(out, fmt.Sprintf(`"lamports":%q`, paid["lamports"])) && strings.Contains(out, `"payments":1`) {
			break
		}
		if time.Since(began) > 50*time.Second {
			t.Fatalf("it counted %s, and %v was paid", out, paid["lamports"])
		}
	}
	t.Log(stop())
}
