package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/node/library"
	"ojud/p2p/p2ptest"
)

// trap is a transport that does something before the first simulation of a transaction, and may
// change its answer.
type trap struct {
	http.RoundTripper
	armed  atomic.Bool
	before func()
	change func(answer []byte) []byte
}

// RoundTrip implements http.RoundTripper.
func (f *trap) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	if !bytes.Contains(raw, []byte("simulateTransaction")) || !f.armed.CompareAndSwap(true, false) {
		return f.RoundTripper.RoundTrip(r)
	}
	f.before()
	res, err := f.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	answer = f.change(answer)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
	return res, nil
}

// TestExpireRace: a node expires a task between the look of the command and its transaction,
// which the program then refuses as too early, because the task is new on the market. Or the
// block in which it is tried has an older clock than the one that was read.
func TestExpireRace(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.judges(3)
		creator, worker, node := w.agent(1), w.agent(2), w.agent(3)
		doc, ctx := load(t, library.TaskFile, example("eleptiger.task")), t.Context()
		for name, c := range map[string]struct {
			before func(task string)
			change func([]byte) []byte
			want   string
		}{
			"a node is faster": {func(task string) {
				if _, err := node.Expire(ctx, key(t, task)); err != nil {
					t.Error(err)
				}
			}, func(a []byte) []byte { return a }, "already_done"},
			"its clock is behind": {func(string) {}, func(a []byte) []byte {
				out := bytes.Replace(a, []byte(`"err":null`), []byte(`"err":{"InstructionError":[1,{"Custom":6033}]}`), 1)
				if bytes.Equal(out, a) {
					t.Errorf("the answer was not changed: %s", a)
				}
				return out
			}, "landed"},
		} {
			made, err := creator.CreateTask(ctx, doc, Offer{RewardMin: sol, RewardMax: sol, WorkSeconds: 60, OnUndecided: "refund"}, true)
			if err != nil && !errors.Is(err, library.ErrNotPublished) {
				t.Fatal(err)
			}
			task := made.Task.Task
			if _, err := worker.Claim(ctx, key(t, task), 0, true); err != nil {
				t.Fatal(err)
			}
			w.warp(2 * time.Minute)
			f := &trap{RoundTripper: w.server.Transport(), before: func() { c.before(task) }, change: c.change}
			cfg := DefaultConfig()
			cfg.Content.Listen = p2ptest.Config(w.host()).Listen
			late, err := Open(ctx, w.network, creator.key, cfg, Deps{Transport: f, Libp2p: []libp2p.Option{w.net.Transport()}})
			if err != nil {
				t.Fatal(err)
			}
			f.armed.Store(true)
			done, err := late.Expire(ctx, key(t, task))
			if err != nil || done.Result != c.want || done.Task.Status != "created" || f.armed.Load() {
				t.Errorf("%s: %+v, %v", name, done.Sent, err)
			}
			if err := late.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
