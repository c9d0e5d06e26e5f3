package p2p_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/identity"
)

// Example shows the structure of a node: open the network, judge messages, queue them, and keep the
// links to fellow judges.
func Example() {
	ctx := context.Background()
	id, _, err := identity.LoadOrCreate("/var/lib/ojud/node.key")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := p2p.DefaultConfig()
	cfg.Network = "main"
	cfg.Bootstrap = []string{"/dns4/boot.example/tcp/4600/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5"}
	host, err := p2p.New(ctx, cfg, id, p2p.Deps{Logger: slog.Default(), Topics: []string{"rounds", "data"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()

	events := make(chan []byte, 1024)
	if err := host.HandlePush("vote", func(_ peer.ID, msg []byte) { events <- msg }); err != nil {
		fmt.Println(err)
		return
	}
	rounds, err := host.Join("rounds", func(_ context.Context, _, _ peer.ID, data []byte) p2p.Verdict {
		if len(data) == 0 {
			return p2p.Reject // the sender could see that
		}
		return p2p.Accept
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		for {
			m, err := rounds.Next(ctx)
			if err != nil {
				return
			}
			events <- m.Data
		}
	}()

	var panel []peer.AddrInfo
	var seats []peer.ID
	for _, j := range host.Directory().Judges() {
		if ai, err := j.AddrInfo(); err == nil {
			panel, seats = append(panel, ai), append(seats, j.ID)
		}
	}
	host.Keep(panel)
	if err := host.Push("vote", seats, []byte("my vote")); err != nil {
		fmt.Println(err)
	}
}
