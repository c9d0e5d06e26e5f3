package content

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// TestHedge: peers that are silent or fail cost little time, and never too many are asked at once.
func TestHedge(t *testing.T) {
	const silent, refuses, has = "silent", "refuses", "has"
	for name, c := range map[string]struct {
		peers []peer.ID
		err   error
		took  time.Duration
		most  int32 // asked at once
	}{
		"nobody":               {nil, errNobody, 0, 0},
		"first":                {[]peer.ID{has, silent}, nil, 0, 1},
		"refused":              {[]peer.ID{refuses, refuses, has}, nil, 0, 1},
		"all refuse":           {[]peer.ID{refuses, refuses}, errNobody, 0, 1},
		"one silent":           {[]peer.ID{silent, has}, nil, nextPeerAfter, 2},
		"two silent":           {[]peer.ID{silent, silent, refuses, has}, nil, 2 * nextPeerAfter, 3},
		"all places taken":     {[]peer.ID{silent, silent, silent, silent, has}, nil, 5 * time.Second, 4},
		"silent until the end": {[]peer.ID{silent}, errNobody, 5 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int32
				start := time.Now()
				content, err := hedge(t.Context(), c.peers, func(ctx context.Context, p peer.ID) ([]byte, error) {
					most.Store(max(most.Load(), now.Add(1)))
					defer now.Add(-1)
					switch p {
					case has:
						return []byte("content"), nil
					case refuses:
						return nil, errors.New("not here")
					}
					select {
					case <-time.After(5 * time.Second):
					case <-ctx.Done():
					}
					return nil, errors.New("no answer")
				})
				if !errors.Is(err, c.err) || (err == nil) != (string(content) == "content") {
					t.Errorf("%q, %v", content, err)
				}
				if took := time.Since(start); took != c.took || most.Load() != c.most {
					t.Errorf("took %s, want %s; %d at once, want %d", took, c.took, most.Load(), c.most)
				}
			})
		})
	}
}

// TestHedgeStops: all requests end when the caller ends its context.
func TestHedgeStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := hedge(ctx, []peer.ID{"a", "b"}, func(ctx context.Context, _ peer.ID) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
