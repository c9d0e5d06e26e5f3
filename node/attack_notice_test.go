package node

import (
	"bytes"
	"context"
	"crypto/ed25519"
	crand "crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// flagForged is the number of forged notices that TestForgedNotices sends to a node.
var flagForged = flag.Int("siege.forged", 6_000, "forged notices of TestForgedNotices")

// forger has a real notice that the attacked node has not seen yet, and makes forgeries of it.
type forger struct {
	r      *rand.Rand
	w      *world
	keys   Keys // of the judge who signed the notice
	other  Keys // of another seat
	free   ed25519.PrivateKey
	notice voting.Notice
	raw    []byte
	origin peer.ID
}

// forgery is one class of forgeries. A node must never accept one, and must reject it if the sender
// could see the fault (reject).
type forgery struct {
	name   string
	reject bool
	make   func(f *forger) (origin peer.ID, raw []byte)
}

func (f *forger) same(raw []byte) (peer.ID, []byte) { return f.origin, raw }

// signed returns a commit that a key signed for the domain.
func (f *forger) signed(c voting.Commit, d voting.Domain, k Keys) []byte {
	c.Signature = k.Sign(d.Statement(c.Task, c.Round, c.Judge, c.Commitment))
	return c.Encode()
}

// These are the offsets of the fields of a commit.
const (
	atTask, atRound, atJudge, atCommitment, atSignature, commitSize = 1, 33, 34, 66, 98, 162
)

// anyNotice returns the classes for both kinds of notices.
func anyNotice() []forgery {
	raw := func(name string, reject bool, f func(r *rand.Rand, raw []byte) []byte) forgery {
		return forgery{name, reject, func(x *forger) (peer.ID, []byte) { return x.same(f(x.r, bytes.Clone(x.raw))) }}
	}
	out := []forgery{
		raw("empty", true, func(*rand.Rand, []byte) []byte { return nil }),
		raw("kind alone", true, func(_ *rand.Rand, b []byte) []byte { return b[:1] }),
		raw("cut off", true, func(r *rand.Rand, b []byte) []byte { return b[:1+r.IntN(len(b)-1)] }),
		raw("last byte missing", true, func(_ *rand.Rand, b []byte) []byte { return b[:len(b)-1] }),
		raw("first byte missing", true, func(_ *rand.Rand, b []byte) []byte { return b[1:] }),
		raw("a byte behind", true, func(r *rand.Rand, b []byte) []byte { return append(b, byte(r.Uint32())) }),
		raw("a line feed behind", true, func(_ *rand.Rand, b []byte) []byte { return append(b, '\n') }),
		raw("twice", true, func(_ *rand.Rand, b []byte) []byte { return append(b, b...) }),
		raw("too large", true, func(_ *rand.Rand, b []byte) []byte { return append(b, make([]byte, 8400)...) }),
		raw("60 KiB", true, func(_ *rand.Rand, b []byte) []byte { return append(b, make([]byte, 60<<10)...) }),
		raw("kind 0", true, func(_ *rand.Rand, b []byte) []byte { b[0] = 0; return b }),
		raw("kind 3", true, func(_ *rand.Rand, b []byte) []byte { b[0] = 3; return b }),
		raw("kind 255", true, func(_ *rand.Rand, b []byte) []byte { b[0] = 255; return b }),
		raw("the other kind", true, func(_ *rand.Rand, b []byte) []byte { b[0] = 3 - b[0]; return b }),
		raw("one bit", false, func(r *rand.Rand, b []byte) []byte { b[r.IntN(len(b))] ^= 1 << r.IntN(8); return b }),
		raw("eight bits", false, func(r *rand.Rand, b []byte) []byte {
			for range 8 {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			b[len(b)-2]++ // so that it is never the same by chance
			return b
		}),
		raw("a byte put in", true, func(r *rand.Rand, b []byte) []byte { return slices.Insert(b, 1+r.IntN(len(b)-1), byte(1+r.IntN(8))) }),
		raw("a byte left out", false, func(r *rand.Rand, b []byte) []byte { i := 1 + r.IntN(len(b)-1); return slices.Delete(b, i, i+1) }),
		raw("halves swapped", true, func(_ *rand.Rand, b []byte) []byte { return append(b[len(b)/2:len(b):len(b)], b[:len(b)/2]...) }),
		raw("backwards", true, func(_ *rand.Rand, b []byte) []byte { slices.Reverse(b); return b }),
		raw("random bytes", true, func(r *rand.Rand, b []byte) []byte {
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			b[0] |= 4
			return b
		}),
		{"of a free peer", true, func(f *forger) (peer.ID, []byte) { return identityOf(f.free), bytes.Clone(f.raw) }},
		{"of another seat's peer", true, func(f *forger) (peer.ID, []byte) { return f.other.Identity.Peer(), bytes.Clone(f.raw) }},
	}
	return out
}

func identityOf(k ed25519.PrivateKey) peer.ID {
	id, err := network.PeerOf(voting.Key(k.Public().(ed25519.PublicKey)))
	if err != nil {
		panic(err) // this test made it
	}
	return id
}

// forgedCommits returns the classes for a commit.
func forgedCommits() []forgery {
	out := anyNotice()
	field := func(name string, from, to int, reject bool) {
		out = append(out,
			forgery{name + ": one bit", reject, func(f *forger) (peer.ID, []byte) {
				b := bytes.Clone(f.raw)
				b[from+f.r.IntN(to-from)] ^= 1 << f.r.IntN(8)
				return f.same(b)
			}},
			forgery{name + ": zero", reject, func(f *forger) (peer.ID, []byte) {
				b := bytes.Clone(f.raw)
				clear(b[from:to])
				return f.same(b)
			}},
			forgery{name + ": random", reject, func(f *forger) (peer.ID, []byte) {
				b := bytes.Clone(f.raw)
				for i := from; i < to; i++ {
					b[i] ^= byte(1 + f.r.IntN(255))
				}
				return f.same(b)
			}})
	}
	field("task", atTask, atRound, false)
	field("round", atRound, atJudge, false)
	field("judge", atJudge, atCommitment, false)
	field("commitment", atCommitment, atSignature, true)
	field("signature, first half", atSignature, atSignature+32, true)
	field("signature, second half", atSignature+32, commitSize, true)
	change := func(name string, reject bool, f func(f *forger, c voting.Commit) []byte) {
		out = append(out, forgery{name, reject, func(x *forger) (peer.ID, []byte) { return x.same(f(x, x.notice.(voting.Commit))) }})
	}
	change("round after the last", true, func(f *forger, c voting.Commit) []byte {
		c.Round = voting.MaxRound + 1
		return f.signed(c, f.w.domain, f.keys)
	})
	change("round 255", true, func(f *forger, c voting.Commit) []byte { c.Round = 255; return f.signed(c, f.w.domain, f.keys) })
	change("next round, signed", false, func(f *forger, c voting.Commit) []byte { c.Round++; return f.signed(c, f.w.domain, f.keys) })
	change("another case, signed", false, func(f *forger, c voting.Commit) []byte {
		c.Task[f.r.IntN(32)] ^= 1
		return f.signed(c, f.w.domain, f.keys)
	})
	change("for another network", true, func(f *forger, c voting.Commit) []byte {
		d := f.w.domain
		d.Network[f.r.IntN(32)] ^= 1
		return f.signed(c, d, f.keys)
	})
	change("for another program", true, func(f *forger, c voting.Commit) []byte {
		d := f.w.domain
		d.Program[f.r.IntN(32)] ^= 1
		return f.signed(c, d, f.keys)
	})
	change("signed by another seat", true, func(f *forger, c voting.Commit) []byte { return f.signed(c, f.w.domain, f.other) })
	change("for another seat, own signature", true, func(f *forger, c voting.Commit) []byte {
		c.Judge = f.other.Judge()
		return f.signed(c, f.w.domain, f.keys)
	})
	change("judge without a seat", false, func(f *forger, c voting.Commit) []byte {
		c.Judge = voting.Key(f.free.Public().(ed25519.PublicKey))
		return f.signed(c, f.w.domain, f.keys)
	})
	change("signature of the bare commitment", true, func(f *forger, c voting.Commit) []byte {
		c.Signature = f.keys.Sign(c.Commitment[:])
		return c.Encode()
	})
	change("malleated signature", true, func(_ *forger, c voting.Commit) []byte {
		c.Signature = malleated(c.Signature)
		return c.Encode()
	})
	change("signature of small order", true, func(_ *forger, c voting.Commit) []byte {
		c.Signature = voting.Signature{0: 1}
		return c.Encode()
	})
	return out
}

// malleated returns a signature with the S that a careless verifier also accepts: S + L.
func malleated(s voting.Signature) voting.Signature {
	l, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	half := bytes.Clone(s[32:])
	slices.Reverse(half)
	sum := new(big.Int).Add(new(big.Int).SetBytes(half), l).FillBytes(make([]byte, 32))
	slices.Reverse(sum)
	copy(s[32:], sum)
	return s
}

// forgedVotes returns the classes for a vote. Each field is left out, emptied, and given another
// type; other classes change the spelling.
func forgedVotes(raw []byte) []forgery {
	out := anyNotice()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw[1:], &fields); err != nil {
		panic(err) // it is a vote of this court
	}
	spell := func(f *forger, change func(m map[string]json.RawMessage)) []byte {
		m := maps.Clone(fields)
		change(m)
		text, err := json.Marshal(m)
		f.w.must(err)
		text, err = canon.JSON(text, casefile.MaxDocument)
		f.w.must(err)
		return append([]byte{raw[0]}, text...)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for how, change := range map[string]func(m map[string]json.RawMessage){
			"left out":    func(m map[string]json.RawMessage) { delete(m, name) },
			"null":        func(m map[string]json.RawMessage) { m[name] = json.RawMessage("null") },
			"a number":    func(m map[string]json.RawMessage) { m[name] = json.RawMessage("77") },
			"a text":      func(m map[string]json.RawMessage) { m[name] = json.RawMessage(`"x"`) },
			"an array":    func(m map[string]json.RawMessage) { m[name] = json.RawMessage(`[[]]`) },
			"nested deep": func(m map[string]json.RawMessage) { m[name] = json.RawMessage(`{"a":{"a":{"a":{"a":1}}}}`) },
		} {
			out = append(out, forgery{name + " " + how, false, func(f *forger) (peer.ID, []byte) { return f.same(spell(f, change)) }})
		}
	}
	text := func(name string, f func(r *rand.Rand, text []byte) []byte) {
		out = append(out, forgery{name, true, func(x *forger) (peer.ID, []byte) {
			return x.same(append([]byte{x.raw[0]}, f(x.r, bytes.Clone(x.raw[1:]))...))
		}})
	}
	text("one more field", func(_ *rand.Rand, b []byte) []byte {
		return append(append([]byte(`{"Zzz":1,`), b[1:]...), ' ')[:len(b)+8]
	})
	text("a space", func(_ *rand.Rand, b []byte) []byte { return append([]byte("{ "), b[1:]...) })
	text("a field twice", func(_ *rand.Rand, b []byte) []byte { return append([]byte(`{"accept":true,`), b[1:]...) })
	text("a byte order mark", func(_ *rand.Rand, b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) })
	text("an escape", func(_ *rand.Rand, b []byte) []byte { return bytes.Replace(b, []byte(`"a`), []byte(`"\u0061`), 1) })
	text("invalid UTF-8", func(r *rand.Rand, b []byte) []byte { return slices.Insert(b, bytes.IndexByte(b, '"')+1, 0xff) })
	text("an array", func(_ *rand.Rand, b []byte) []byte { return append(append([]byte("["), b...), ']') })
	text("brackets", func(*rand.Rand, []byte) []byte { return bytes.Repeat([]byte("["), 8000) })
	return out
}

// TestForgedNotices sends a node a table of forged and mutated notices just when it would take the
// real one. The node accepts none, rejects those whose fault the sender could see, and does not
// change its state. Then it takes the real notice (R9).
func TestForgedNotices(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		var mu sync.Mutex
		shown, taken, formed, classes := map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}
		w := newWorld(t, brisk)
		w.join(6, func(int) judge.Judge { return slow{code(), 10 * time.Second} })
		_, free, err := ed25519.GenerateKey(crand.Reader)
		w.must(err)
		w.joinWith(func(m *member) {
			m.deps.WrapBroadcaster = func(c Broadcaster) Broadcaster {
				return tap{c, func(notice voting.Notice) {
					mu.Lock()
					defer mu.Unlock()
					raw := notice.Encode()
					kind := fmt.Sprintf("%T", notice)
					if shown[kind] > 0 {
						return
					}
					f := &forger{rand.New(rand.NewPCG(1, 2)), w, m.home.Keys, w.nodes[1].home.Keys, free, notice, raw, m.home.Keys.Identity.Peer()}
					table := forgedCommits()
					if _, ok := notice.(voting.Vote); ok {
						table = forgedVotes(raw)
					}
					for range *flagForged / 2 / len(table) {
						for _, c := range table {
							classes[kind+" "+c.name] = true
							f.show(t, w.nodes[0], c)
							if f.formed(c) {
								formed[kind]++
							}
							shown[kind]++
						}
					}
					if w.nodes[0].notices.validate(context.Background(), f.origin, f.origin, raw) == p2p.Accept {
						taken[kind]++
					}
				}}
			}
		})
		task := w.dispute(eleptiger(t))
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || int(c.Revealed) != len(c.Seats) {
			t.Errorf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		if len(classes) < 60 || len(shown) != 2 {
			t.Errorf("%d classes, of %v", len(classes), shown)
		}
		if taken["voting.Commit"] != 1 {
			t.Errorf("the real commit was not taken: nothing is shown by refusing others")
		}
		if formed["voting.Commit"] == 0 || formed["voting.Vote"] == 0 {
			t.Errorf("a node that looked at the form alone would have refused them all too: %v; the table shows too little", formed)
		}
		t.Logf("%d classes, %v notices; of which %v are well-formed; the real ones were taken: %v", len(classes), shown, formed, taken)
	})
}

// show sends one forgery to a node.
func (f *forger) show(t *testing.T, at *member, c forgery) {
	t.Helper()
	origin, raw := c.make(f)
	got := at.notices.validate(context.Background(), origin, origin, raw)
	if got == p2p.Accept && !(origin == f.origin && bytes.Equal(raw, f.raw)) || c.reject && got != p2p.Reject {
		t.Errorf("%T, %s: verdict %d", f.notice, c.name, got)
	}
}

// formed is the control: it reports whether a node would accept the forgery if it checked only the
// form.
func (f *forger) formed(c forgery) bool {
	_, raw := c.make(f)
	_, err := voting.DecodeNotice(raw, casefile.ParseNotice)
	return err == nil && !bytes.Equal(raw, f.raw)
}

// tap shows the notices of a node before they leave it.
type tap struct {
	Broadcaster
	see func(voting.Notice)
}

func (p tap) Push(to []voting.Key, notice voting.Notice) error {
	p.see(notice)
	return p.Broadcaster.Push(to, notice)
}

// TestHonestUnderLoss: on a wire that loses a fifth of all packets, and with one node restarted, no
// honest node gives points to another or rejects its messages (R9).
func TestHonestUnderLoss(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		w.join(6, func(int) judge.Judge { return slow{code(), 10 * time.Second} })
		w.net.Loss(0.2)
		task := w.dispute(eleptiger(t))
		w.until(5*time.Minute, "committing", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		time.Sleep(20 * time.Second)
		w.halt(w.nodes[5])
		w.start(w.nodes[5])
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker {
			t.Errorf("verdict %v", c.Verdict)
		}
		for i, m := range w.nodes {
			if s := m.host.Stats(); len(s.Penalties()) > 0 || s.Of("gossip/rejected") > 0 || s.Of("bans") > 0 || s.Of("gossip/bad_signature") > 0 {
				t.Errorf("node %d: penalties %v, %d rejected", i, s.Penalties(), s.Of("gossip/rejected"))
			}
		}
	})
}
