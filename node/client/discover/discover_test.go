package discover

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/client"
	"ojud/node/network"
	"ojud/voting"
)

// judge returns the node of a new judge, and what the Roster says of it.
func judge(t *testing.T, name, state string) (peer.ID, client.JudgeView) {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p, err := network.PeerOf(voting.Key(public))
	if err != nil {
		t.Fatal(err)
	}
	return p, client.JudgeView{Judge: name, NodeID: casefile.DID(voting.Key(public)).String(), State: state}
}

// TestRank: sources stand by their staked holders, and a judge that leaves counts for none.
func TestRank(t *testing.T) {
	t.Parallel()
	p1, j1 := judge(t, "one", "active")
	p2, j2 := judge(t, "two", "active")
	p3, j3 := judge(t, "three", "exiting")
	offers := map[string][]peer.ID{"site.post": {p3, p1}, "memory.search": {p2, p1}, "rates": {p3}}
	got := rank(offers, []client.JudgeView{j1, j2, j3}, "", false)
	if want := "[{memory.search 2 [one two] 0} {site.post 1 [one] 1}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if got = rank(offers, []client.JudgeView{j1, j2, j3}, "RATE", true); len(got) != 1 || got[0].Source != "rates" || got[0].Staked != 0 || got[0].Others != 1 {
		t.Errorf("with those that nobody with a stake has: %v", got)
	}
	if got = rank(offers, nil, "none", true); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// TestAttackMadeUpSources: 60 nodes without a stake announce a source of a judge and 40 names each.
// No name of theirs is listed, none of them counts as a holder, and the order stays.
func TestAttackMadeUpSources(t *testing.T) {
	t.Parallel()
	p1, j1 := judge(t, "one", "active")
	p2, j2 := judge(t, "two", "active")
	offers := map[string][]peer.ID{"site.post": {p1, p2}, "rates": {p1}}
	for range 60 {
		p, _ := judge(t, "nobody", "active")
		offers["rates"] = append(offers["rates"], p)
		for i := range 40 {
			offers[fmt.Sprint("site.", i)] = append(offers[fmt.Sprint("site.", i)], p)
		}
	}
	got := rank(offers, []client.JudgeView{j1, j2}, "", false)
	if want := "[{site.post 2 [one two] 0} {rates 1 [one] 60}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// views returns tasks with the hashes of documents.
func views(documents ...string) (out []client.TaskView, fetch Fetch) {
	kept := map[voting.Hash][]byte{}
	for _, d := range documents {
		hash := casefile.HashOf([]byte(d))
		kept[hash] = []byte(d)
		out = append(out, client.TaskView{TaskHashes: client.TaskHashes{TaskHash: casefile.Digest(hash).String()}})
	}
	return out, func(_ context.Context, hash voting.Hash) ([]byte, error) {
		if raw, ok := kept[hash]; ok {
			return raw, nil
		}
		return nil, errors.New("no node has it")
	}
}

// TestSubjects: each task keeps its place; a document that cannot be had or read gives no subject.
func TestSubjects(t *testing.T) {
	t.Parallel()
	tasks, fetch := views(`{"instruction":["Draw an\n  eleptiger","big"],"output_schema":{"a":"string"}}`, `{"instruction":`,
		`{"instruction":["`+strings.Repeat("ß", 500)+`"],"output_schema":{"a":"string"}}`)
	tasks = append(tasks, client.TaskView{TaskHashes: client.TaskHashes{TaskHash: strings.Repeat("0", 64)}}, client.TaskView{TaskHashes: client.TaskHashes{TaskHash: "none"}})
	got := Subjects(t.Context(), fetch, tasks)
	for i, want := range []string{"Draw an eleptiger", "", strings.Repeat("ß", maxSubject-1) + "…", "", ""} {
		if got[i].Subject != want || got[i].TaskHash != tasks[i].TaskHash {
			t.Errorf("task %d: %q, want %q", i, got[i].Subject, want)
		}
	}
}

// TestAttackSilentNodes: 5,000 tasks whose documents no node sends hold a list up for 10 s, with 8
// requests at a time and 100 at most.
func TestAttackSilentNodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tasks := make([]client.TaskView, 5_000)
		for i := range tasks {
			tasks[i].TaskHash = fmt.Sprintf("%064x", i+1)
		}
		asked := make(chan struct{}, len(tasks))
		start := time.Now()
		got := Subjects(t.Context(), func(ctx context.Context, _ voting.Hash) ([]byte, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}, tasks)
		if took := time.Since(start); took != patience || len(asked) != atOnce || len(got) != len(tasks) {
			t.Errorf("%s, %d requests, %d tasks", took, len(asked), len(got))
		}
	})
}

// TestAskedOnce: of a court with many tasks, 100 documents are asked for.
func TestAskedOnce(t *testing.T) {
	t.Parallel()
	tasks := make([]client.TaskView, 300)
	for i := range tasks {
		tasks[i].TaskHash = fmt.Sprintf("%064x", i+1)
	}
	asked := make(chan struct{}, len(tasks))
	Subjects(t.Context(), func(context.Context, voting.Hash) ([]byte, error) {
		asked <- struct{}{}
		return nil, errors.New("no node has it")
	}, tasks)
	if len(asked) != maxDocuments {
		t.Errorf("%d documents", len(asked))
	}
}
