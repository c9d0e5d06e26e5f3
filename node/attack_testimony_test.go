package node

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// invent lets a member say in its own log that a round 2 took place, in which ghosts reject the
// result, or only itself was drawn. Its log is told that it has a seat there, or would refuse.
func (w *world) invent(m *member, task voting.Key, ghosts bool) {
	log, err := m.Log(task)
	w.must(err)
	r, err := reading.Log(log, m.blobs)
	w.must(err)
	d, none, seats := r.Rounds[0].Draw.Value, casefile.Amount(0), 1
	if ghosts {
		seats = 7
	}
	draw := casefile.DrawFact{Stamp: d.Stamp, Round: 2, DrawnSlot: d.DrawnSlot, SlotHash: d.SlotHash, PanelSeats: d.PanelSeats, MinSeats: d.MinSeats, CommitEnds: d.CommitEnds + 100, At: d.At + 15}
	settle := casefile.SettleFact{Stamp: d.Stamp, Round: 2, Verdict: casefile.Verdict(voting.ForCreator), At: d.At + 25, Golden: &none}
	for i := range seats {
		judge, peer := casefile.Address(sha256.Sum256([]byte{1, byte(i)})), casefile.DID(sha256.Sum256([]byte{2, byte(i)}))
		if !ghosts {
			judge, peer = casefile.Address(m.home.Keys.Authority.Address()), casefile.DID(m.home.Keys.Peer())
		}
		draw.Candidates = append(draw.Candidates, casefile.Candidate{Index: uint16(i), Judge: judge, Peer: peer, Weight: 2e9})
		draw.Seats, draw.Weights = append(draw.Seats, uint16(i)), append(draw.Weights, 2e9)
		settle.Seats = append(settle.Seats, casefile.SeatEnd{Judge: judge, Choice: casefile.Choice(voting.Reject), Commitment: casefile.Digest{1, byte(i)}, Result: casefile.SeatResult(voting.Majority)})
		settle.Reject, settle.Seated = settle.Reject+2e9, settle.Seated+2e9
	}
	drawn, err := casefile.NewDraw(draw)
	w.must(err)
	ended, err := casefile.NewSettle(settle)
	w.must(err)
	log.Seat(2, m.home.Keys.Peer(), voting.Key(m.home.Keys.Authority.Address()))
	say := func(kind casefile.Kind, raw []byte) {
		hash, err := m.blobs.Put(raw)
		w.must(err)
		_, err = log.Append(m.home.Keys.node, kind, casefile.RoundFactBody{Round: 2, Facts: casefile.Digest(hash)}, d.At+30)
		w.must(err)
	}
	say(casefile.KindDraw, drawn.Raw)
	if ghosts {
		say(casefile.KindSettle, ended.Raw)
	}
}

// TestAttackInventedRound: in a court of unmodified nodes one judge signs facts of a round that was
// not drawn. The files of the others verify, and their pages show the verdict of the chain.
func TestAttackInventedRound(t *testing.T) {
	longtest.Only(t)
	for name, ghosts := range map[string]bool{"ghosts reject": true, "the liar alone was drawn": false} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.join(7, nil)
				task := w.dispute(eleptiger(t))
				w.until(10*time.Minute, "at work", task, func(c *program.Case) bool { return c.Status != voting.AwaitingDraw })
				p2ptest.Eventually(t, time.Minute, "the draw is in the log", func() bool {
					l, err := w.nodes[0].Log(task)
					if err != nil {
						return false
					}
					r, err := reading.Log(l, w.nodes[0].blobs)
					return err == nil && r.Rounds[0].Draw != nil
				})
				w.invent(w.nodes[0], task, ghosts)
				c := w.until(10*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
				var file []byte
				var report verify.Report
				p2ptest.Eventually(t, 10*time.Minute, "the file of an honest node verifies", func() bool {
					var err error
					file, _, err = w.nodes[5].Export(t.Context(), task)
					w.must(err)
					report = verify.File(file)
					return report.OK()
				})
				p, err := picture.Open(file, "node 5")
				w.must(err)
				p.Settle(report)
				last := p.At(p.Last())
				if !last.Verified || voting.Verdict(report.Verdict) != c.Verdict || len(last.Case.Rings) != 1 || c.Verdict == voting.ForWorker && !strings.Contains(last.Case.State.Word, "worker") {
					t.Errorf("verified %t, verdict %s of %s: %+v", last.Verified, voting.Verdict(report.Verdict), c.Verdict, last.Case.State)
				}
			})
		})
	}
}
