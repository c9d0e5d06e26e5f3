package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

var full = flag.Bool("full", false, "change every byte of the bundle in TestEveryByte")

// reseal makes a file of a bundle as somebody with another key would, following the text of the
// protocol.
func reseal(t *testing.T, b casefile.Bundle, key ed25519.PrivateKey) []byte {
	t.Helper()
	b.Exporter = casefile.DID(key.Public().(ed25519.PublicKey))
	fields := map[string]any{}
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "seal")
	unsealed := canonical(t, fields)
	sum := sha256.Sum256(unsealed)
	seal := casefile.Signature(ed25519.Sign(key, append([]byte("oju:bundle:v1"), sum[:]...)))
	fields["seal"] = seal
	var out bytes.Buffer
	if err := json.Indent(&out, canonical(t, fields), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), '\n')
}

func canonical(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := canon.JSON(raw, casefile.MaxBundle)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bundle reads a file without checking it.
func bundle(t *testing.T, file []byte) casefile.Bundle {
	t.Helper()
	var b casefile.Bundle
	if err := json.Unmarshal(file, &b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Events {
		b.Events[i].Body = canonical(t, b.Events[i].Body)
	}
	return b
}

// If any single byte of a file is changed, Verify fails and names a place. The test changes a
// random sample, and the ends of the file.
func TestChangedByte(t *testing.T) {
	file := fileNamed(t, "accept")
	r := rand.New(rand.NewPCG(1, 2))
	var places []int
	for i := range 6 {
		places = append(places, i, len(file)-1-i, r.IntN(len(file)), r.IntN(len(file)), r.IntN(len(file)))
	}
	changed := bytes.Clone(file)
	for _, i := range places {
		flip := byte(1) << r.IntN(8)
		changed[i] ^= flip
		report := verify.File(changed)
		if report.OK() {
			t.Fatalf("byte %d changed from %q to %q: verified", i, file[i], changed[i])
		}
		for _, c := range report.Checks {
			if c.State == verify.Failed && (!strings.HasPrefix(c.Path, "$") || c.Detail == "") {
				t.Fatalf("byte %d: %s fails without a place: %+v", i, c.Name, c)
			}
		}
		changed[i] ^= flip
	}
	if report := verify.File(changed); !report.OK() {
		t.Fatal("the file was not restored")
	}
}

// With -full, every byte of a whole file is changed, one after the other, and form or seal has to
// fail and name a place. Otherwise every 211th.
func TestEveryByte(t *testing.T) {
	file, err := casetest.File(small)
	if err != nil {
		t.Fatal(err)
	}
	stride := 211
	if *full {
		stride = 1
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			changed := bytes.Clone(file)
			for i := (int(next.Add(1)) - 1) * stride; i < len(file); i = (int(next.Add(1)) - 1) * stride {
				changed[i] ^= 1 << (i % 8)
				if place := verify.FormOrSeal(changed); !strings.HasPrefix(place, "$") {
					t.Errorf("byte %d changed from %q to %q: form and seal pass, or name no place (%q)", i, file[i], changed[i], place)
				}
				changed[i] ^= 1 << (i % 8)
			}
		})
	}
	wait.Wait()
	t.Logf("%d of %d bytes changed", (len(file)+stride-1)/stride, len(file))
}

// The place is the changed one where it can be known.
func TestChangedByteIsFound(t *testing.T) {
	file := fileNamed(t, "accept")
	for _, c := range []struct {
		old, new string // the first occurrence of old is replaced
		check    verify.CheckName
		path     string
	}{
		{`"exported_at": 17`, `"exported_at": 27`, verify.CheckSeal, "$.seal"},
		{`"seq": 3`, `"seq": 4`, verify.CheckEvents, "$.events[2].sig"},
		{`"round": 1`, `"round": 2`, verify.CheckEvents, "$.events[1].sig"},
		{`"kind": "open"`, `"kind": "opem"`, verify.CheckEvents, "$.events[0].kind"},
		{`"kind": "open"`, `"king": "open"`, verify.CheckForm, "$.events[0].king"},
		{`"at": 17`, `"at":  17`, verify.CheckForm, "$.events[0].at"},
		{`"exported_at": 17`, `"exported_at": x7`, verify.CheckForm, "$.exported_at"},
		{`"oju-case/2"`, `"oju-case/3"`, verify.CheckForm, "$.format"},
		{`"accept": true`, `"accept": false`, verify.CheckEvents, "$.events[4].body.vote.accept"},
		{`"choice": "accept"`, `"choice": "accepts"`, verify.CheckEvents, "$.events[4].body.vote.choice"},
	} {
		changed := bytes.Replace(file, []byte(c.old), []byte(c.new), 1)
		r := verify.File(changed)
		if got := r.Check(c.check); got.State != verify.Failed || got.Path != c.path {
			t.Errorf("%s: want %s at %s:\n%+v", c.new, c.check, c.path, r.Checks)
		}
	}
	hashes := slices.SortedFunc(maps.Keys(bundle(t, file).Blobs), func(a, b casefile.Digest) int { return bytes.Compare(a[:], b[:]) })
	for _, hash := range hashes[:5] {
		at := bytes.Index(file, []byte(`"`+hash.String()+`": "`)) + 70
		changed := bytes.Clone(file)
		changed[at] ^= 1
		r := verify.File(changed)
		if got := r.Check(verify.CheckBlobs); got.Path != "$.blobs."+hash.String() {
			t.Errorf("changed content of %s: %+v", hash, r.Checks[:3])
		}
	}
}

// An exporter who lies seals what he likes; the signatures of the others still hold him.
func TestVerifyLyingExporter(t *testing.T) {
	accept, reject := fileNamed(t, "accept"), fileNamed(t, "reject")
	attacker := casetest.NodeKey("attacker")
	other := bundle(t, reject)
	keep := func(n int, kind casefile.Kind) func(*casefile.Bundle) {
		return func(b *casefile.Bundle) { // the events of that kind and all after it survive for n actors
			seen := map[casefile.DID]bool{}
			b.Events = slices.DeleteFunc(b.Events, func(e casefile.Event) bool {
				if e.Kind == kind {
					seen[e.Actor] = true
				}
				drop := seen[e.Actor] && len(seen) > n
				var body struct{ Opinion casefile.Digest }
				if drop && e.Kind == casefile.KindOpinion && json.Unmarshal(e.Body, &body) == nil {
					delete(b.Blobs, body.Opinion)
				}
				return drop
			})
		}
	}
	for _, c := range []struct {
		name   string
		change func(b *casefile.Bundle)
		check  verify.CheckName // "": the file verifies all the same
	}{
		{"sealed again", func(*casefile.Bundle) {}, ""},
		{"event dropped from the middle", func(b *casefile.Bundle) { b.Events = slices.Delete(b.Events, 10, 11) }, verify.CheckEvents},
		{"event twice", func(b *casefile.Bundle) { b.Events = slices.Insert(b.Events, 10, b.Events[10]) }, verify.CheckEvents},
		{"events swapped", func(b *casefile.Bundle) { b.Events[3], b.Events[4] = b.Events[4], b.Events[3] }, verify.CheckEvents},
		{"actors swapped", func(b *casefile.Bundle) { b.Events = append(b.Events[7:], b.Events[:7]...) }, verify.CheckEvents},
		{"actor replaced", func(b *casefile.Bundle) { b.Events[0].Actor = casefile.DID(casetest.Judge{Key: attacker}.Peer()) }, verify.CheckEvents},
		{"time changed", func(b *casefile.Bundle) { b.Events[0].At++ }, verify.CheckEvents},
		{"event of another case file", func(b *casefile.Bundle) { b.Events[6] = other.Events[6] }, verify.CheckEvents},
		{"another case", func(b *casefile.Bundle) { b.Case[0]++ }, verify.CheckEvents},
		{"another network", func(b *casefile.Bundle) { b.Network[0]++ }, verify.CheckEvents},
		{"contents swapped", swapBlobs, verify.CheckBlobs},
		{"content added", func(b *casefile.Bundle) {
			b.Blobs[casefile.Digest(casefile.HashOf([]byte("x")))] = []byte("x")
		}, verify.CheckBlobs},
		{"facts dropped", dropFacts(casefile.KindSettle), verify.CheckTestimony},
		{"draw dropped", dropFacts(casefile.KindDraw), verify.CheckTestimony},
		{"outcome of all dropped", keep(0, casefile.KindOutcome), verify.CheckTestimony},
		{"outcome of half dropped", keep(14, casefile.KindOutcome), verify.CheckTestimony},
		{"outcome of some dropped", keep(20, casefile.KindOutcome), ""},
		{"half of the actors dropped", keep(14, casefile.KindOpen), verify.CheckTestimony},
		{"some actors dropped", keep(20, casefile.KindOpen), ""},
		{"all events dropped", func(b *casefile.Bundle) { b.Events, b.Blobs = []casefile.Event{}, nil }, verify.CheckTestimony},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bundle(t, accept)
			b.Blobs = maps.Clone(b.Blobs)
			c.change(&b)
			if b.Blobs == nil {
				b.Blobs = map[casefile.Digest]casefile.Content{}
			}
			r := verify.File(reseal(t, b, attacker))
			if r.Check(verify.CheckForm).State != verify.Passed || r.Check(verify.CheckSeal).State != verify.Passed {
				t.Fatalf("the attacker's file is not in form:\n%s", r.String())
			}
			if c.check == "" && !r.OK() || c.check != "" && r.Check(c.check).State != verify.Failed {
				t.Errorf("want %q to fail:\n%s", c.check, r.String())
			}
		})
	}
}

func dropFacts(kind casefile.Kind) func(*casefile.Bundle) {
	return func(b *casefile.Bundle) {
		for _, e := range b.Events {
			var body struct{ Facts casefile.Digest }
			if e.Kind == kind && json.Unmarshal(e.Body, &body) == nil {
				delete(b.Blobs, body.Facts)
			}
		}
	}
}

func swapBlobs(b *casefile.Bundle) {
	hashes := slices.Collect(maps.Keys(b.Blobs))
	b.Blobs[hashes[0]], b.Blobs[hashes[1]] = b.Blobs[hashes[1]], b.Blobs[hashes[0]]
}

// Without keys of judges an attacker can only invent a court; who knows the judges sees it.
func TestVerifyInventedCourt(t *testing.T) {
	w, err := casetest.Build(scriptNamed(t, "accept"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	known := verify.Anchors{Network: &w.Domain.Network, Program: &w.Domain.Program, Judges: map[voting.Key]voting.Key{}}
	for _, j := range w.Judges {
		known.Judges[j.Authority] = j.Peer()
	}
	if r := verify.FileWith(file, known); !r.OK() {
		t.Fatal(r.String())
	}
	known.Judges[w.Judges[0].Authority] = w.Judges[1].Peer()
	if r := verify.FileWith(file, known); r.Check(verify.CheckSeats).State != verify.Failed {
		t.Error(r.String())
	}
	for _, wrong := range []verify.Anchors{{Network: &voting.Hash{1}}, {Program: &voting.Key{1}}} {
		if r := verify.FileWith(file, wrong); r.Check(verify.CheckForm).State != verify.Failed {
			t.Error(r.String())
		}
	}
}

// A hostile file costs little: neither panic nor more memory than the limits allow.
func TestVerifyHostileFiles(t *testing.T) {
	file, err := casetest.File(small)
	if err != nil {
		t.Fatal(err)
	}
	b := bundle(t, file)
	huge := casefile.Bundle{Format: b.Format, Events: []casefile.Event{}, Blobs: map[casefile.Digest]casefile.Content{}}
	for i := range 2 {
		content := bytes.Repeat([]byte{byte(i)}, casefile.MaxBlob)
		huge.Blobs[casefile.Digest(casefile.HashOf(content))] = content
	}
	for _, c := range []struct {
		name string
		file func() []byte
	}{
		{"nothing", func() []byte { return nil }},
		{"100 MB of brackets", func() []byte { return bytes.Repeat([]byte("["), 100<<20) }},
		{"32 MiB of zeros", func() []byte { return append(append([]byte("["), bytes.Repeat([]byte("0,"), 16<<20-8)...), "0]"...) }},
		{"one 4 MiB string", func() []byte { return []byte(`"` + strings.Repeat("a", 4<<20) + `"`) }},
		{"one 32 MiB number", func() []byte { return bytes.Repeat([]byte("9"), 32<<20) }},
		{"32 MiB of quotes", func() []byte { return bytes.Repeat([]byte(`"`), 32<<20) }},
		{"32 MiB of keys", func() []byte { return []byte("{" + strings.Repeat(`"a":{`, 6<<20) + "}") }},
		{"deep", func() []byte { return []byte(strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)) }},
		{"2 MiB of unnamed content", func() []byte { return reseal(t, huge, casetest.NodeKey("attacker")) }},
		{"truncated", func() []byte { return file[:len(file)/2] }},
		{"twice", func() []byte { return append(bytes.Clone(file), file...) }},
		{"without newline", func() []byte { return bytes.TrimSpace(file) }},
		{"compact", func() []byte { return canonical(t, json.RawMessage(file)) }},
		{"CRLF", func() []byte { return bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			hostile := c.file()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := verify.File(hostile)
			runtime.ReadMemStats(&after)
			if r.OK() {
				t.Error("verified")
			}
			if used, limit := int(after.TotalAlloc-before.TotalAlloc), 60*min(len(hostile), casefile.MaxBundle)+64<<20; used > limit {
				t.Errorf("%d MiB allocated for %d bytes", used>>20, len(hostile))
			}
		})
	}
	if _, err := casefile.ReadBundle(iotest.DataErrReader(strings.NewReader(strings.Repeat(" ", casefile.MaxBundle+1)))); err == nil {
		t.Error("ReadBundle takes more than the largest bundle")
	}
}
