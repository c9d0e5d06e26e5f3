package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// noHost is a host without other nodes. Further calls would panic.
type noHost struct{ Host }

func (noHost) Protected(peer.ID) bool    { return false }
func (noHost) Allowed(ma.Multiaddr) bool { return true }
func (noHost) Go(func(context.Context))  {}

// alone is a directory in memory, of a host without other nodes.
func alone(t testing.TB) *Directory {
	t.Helper()
	d, err := New(Settings{MaxEntries: 4096}, Parts{Host: noHost{}, Network: "test", Key: seeded(t, 9), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// FuzzRegistryLine: no line of the registry's file adds a judge that has not signed its content, or
// an entry from tomorrow, and none panics.
func FuzzRegistryLine(f *testing.F) {
	d := alone(f)
	raw, err := announced(f, "test", seeded(f, 1)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	line, err := json.Marshal(registryLine{Seen: 1 << 40, Announcement: raw})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(bytes.Replace(line, []byte("1099511627776"), []byte("-5"), 1))
	f.Add([]byte(`{"seen":1,"announcement":null}`))
	f.Add([]byte(registryHeader))
	f.Fuzz(func(t *testing.T, line []byte) {
		taken := d.loadLine(line) == nil
		for _, j := range d.Judges() {
			if j.ID != seeded(t, 1).Peer() || j.Seen.After(time.Now()) {
				t.Fatalf("%s put %s into the registry, seen at %v", line, j.ID, j.Seen)
			}
			if _, err := j.AddrInfo(); err != nil {
				t.Fatal(err)
			}
			d.AddrInfo(j.ID)
		}
		if taken && len(line) > maxLine {
			t.Fatalf("%d bytes were taken", len(line))
		}
	})
}
