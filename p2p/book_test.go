package p2p

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

func testScores() Scores {
	return Scores{BanAt: 100, BanFor: time.Minute, HalfLife: 10 * time.Second, MaxPeers: 16}
}

func TestBookDecays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(testScores())
		b.add("p", 80, "x")
		for i := range 4 {
			if got, want := b.points("p"), 80/math.Exp2(float64(i)); math.Abs(got-want) > 1e-9 {
				t.Errorf("after %d half-lives %v points, want %v", i, got, want)
			}
			time.Sleep(b.cfg.HalfLife)
		}
		// 5 of 80 points are left: points of different times add up at their present value.
		if b.add("p", 94, "x") {
			t.Error("banned at 99")
		}
		if !b.add("p", 1, "x") || !b.banned("p") {
			t.Error("not banned at 100")
		}
		time.Sleep(b.cfg.BanFor + time.Second)
		if b.banned("p") {
			t.Error("banned for ever")
		}
	})
}

func TestBookIgnoresNonsense(t *testing.T) {
	b := newBook(testScores())
	for _, points := range []float64{0, -5, math.NaN(), math.Inf(-1)} {
		if b.add("p", points, "x") || b.points("p") != 0 {
			t.Errorf("%v points were counted", points)
		}
	}
	if !b.add("p", math.Inf(1), "x") || b.points("p") != b.cfg.BanAt {
		t.Errorf("infinite points: %v", b.points("p"))
	}
}

// TestBookBounded: new offenders push out those with the fewest points, never the banned.
func TestBookBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(testScores())
		b.add("banned", 200, "x")
		b.add("worst", 90, "x")
		for i := range 1000 {
			b.add(peer.ID(fmt.Sprint("p", i)), 1+float64(i%3), fmt.Sprint("reason", i))
		}
		if n := len(b.entries); n > b.cfg.MaxPeers {
			t.Errorf("%d entries, limit %d", n, b.cfg.MaxPeers)
		}
		if !b.banned("banned") || b.points("worst") != 90 {
			t.Error("the worst were forgotten")
		}
		reasons, bans := b.snapshot()
		if len(reasons) > maxReasons+1 || reasons[reasonOther] == 0 || bans != 1 {
			t.Errorf("%d reasons, %d other, %d bans", len(reasons), reasons[reasonOther], bans)
		}
	})
}
