package crank

import (
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// roster puts judges with a stake and no weight on the chain's Roster.
func (c *chain) roster(judges int) onchain.Address {
	r := program.Roster{}
	for i := range judges {
		r.Entries = append(r.Entries, program.RosterEntry{Authority: onchain.Address{1, byte(i)}, State: program.EntryActive, Stake: 4 * onchain.LamportsPerSOL})
	}
	address := c.p.Roster()
	c.accounts[address] = &ledger.Account{Address: address, Owner: c.p.ID(), Lamports: 1, Data: r.Encode()}
	return address
}

// change changes the Roster.
func (c *chain) change(f func(r *program.Roster)) {
	a := c.accounts[c.p.Roster()]
	r, err := program.DecodeRoster(a.Data)
	if err != nil {
		c.t.Fatal(err)
	}
	f(r)
	a.Data = r.Encode()
}

// begin does what the program does when a season begins.
func (c *chain) begin(address onchain.Address) {
	if address != c.p.Roster() {
		c.t.Fatalf("%s is not the Roster", address)
	}
	c.change(func(r *program.Roster) {
		p := program.DefaultParams()
		if !r.SeasonOver(p, c.slot, c.now()) {
			c.t.Errorf("at %d: the season is not over", c.now())
		}
		r.SeasonAt, r.BeforeSlot, r.SeasonSlot = c.now(), r.SeasonSlot, c.slot
		for i, next := range r.Next(p) {
			e := &r.Entries[i]
			e.Owned = program.OwnWeight + e.Owned%2*2
			e.WeightBefore, e.Weight = e.Weight, next
		}
	})
}

// TestSeasons: a new court has its first season within a minute, the next one begins when it may
// and a weight changes, and a court in which nothing changes costs nobody a fee.
func TestSeasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		c.slot = 1_000
		k := c.crank(cfg)
		params := program.DefaultParams()
		season := time.Duration(params.SeasonSeconds) * time.Second
		roster := c.roster(int(params.MinSeats))
		k.Hear(&program.StakeMoved{Kind: program.StakeJoined})
		runFor(t, k, time.Minute)
		if len(c.acts) != 1 || c.acts[0] != roster {
			t.Fatalf("the first season: %v, %+v", c.acts, k.Standing())
		}
		c.slot += 1_000_000
		k.Hear(&program.SeasonBegun{At: c.now()})
		runFor(t, k, 3*season)
		if len(c.acts) != 1 {
			t.Errorf("nothing changed, and %d seasons were begun", len(c.acts)-1)
		}
		c.change(func(r *program.Roster) { r.Entries[0].Stake -= onchain.LamportsPerSOL })
		runFor(t, k, season+time.Minute)
		if len(c.acts) != 2 {
			t.Errorf("a weight changed: %d seasons, %+v", len(c.acts), k.Standing())
		}
	})
}

// TestSeasonThatSeatsNobody: a judge of a small court leaves, and the next season seats nobody. As
// soon as another judge joins, the season after it begins when the longest case is over.
func TestSeasonThatSeatsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, params := newChain(t), program.DefaultParams()
		k := c.crank(DefaultConfig())
		c.roster(int(params.MinSeats))
		c.slot = 1_000
		c.begin(c.p.Roster())
		c.change(func(r *program.Roster) { r.Entries[0].State = program.EntryExiting })
		c.slot += 1_000
		runFor(t, k, time.Duration(params.SeasonSeconds)*time.Second+2*time.Minute)
		c.change(func(r *program.Roster) {
			r.Entries = append(r.Entries, program.RosterEntry{Authority: onchain.Address{9}, Stake: r.Entries[1].Stake, State: program.EntryActive})
		})
		c.slot += 1_000
		k.Hear(&program.StakeMoved{Kind: program.StakeJoined})
		longest := time.Duration(params.LongestCase()) * time.Second
		runFor(t, k, longest-3*time.Minute)
		if len(c.acts) != 1 {
			t.Errorf("a season that seats nobody was replaced early: %d seasons", len(c.acts))
		}
		runFor(t, k, 3*time.Minute)
		if len(c.acts) != 2 {
			t.Errorf("after the longest case: %d seasons, %+v", len(c.acts), k.Standing())
		}
	})
}

// TestSeasonsFreeAStake: seasons begin until none has the weight of a judge that leaves, and then
// no more; also if the judges that stay are too few for a court.
func TestSeasonsFreeAStake(t *testing.T) {
	params := program.DefaultParams()
	for _, judges := range []int{1, int(params.MinSeats), int(params.MinSeats) + 1} {
		synctest.Test(t, func(t *testing.T) {
			c := newChain(t)
			k := c.crank(DefaultConfig())
			c.roster(judges)
			c.slot = 1_000
			c.begin(c.p.Roster())
			k.Hear(&program.SeasonBegun{At: c.now()})
			c.change(func(r *program.Roster) {
				r.Entries[0].State, r.Entries[0].ExitSlot = program.EntryExiting, c.slot
			})
			for turn, counted := range []bool{true, false, false, false} {
				c.slot += 1_000
				runFor(t, k, time.Duration(params.SeasonSeconds)*time.Second+2*time.Minute)
				r, err := program.DecodeRoster(c.accounts[c.p.Roster()].Data)
				if err != nil || r.Entries[0].Counted() != counted {
					t.Fatalf("%d judges, after %d seasons: %+v, %v", judges, turn+1, r.Entries[0], err)
				}
				if want := min(turn+1, 2); len(c.acts) != want {
					t.Errorf("%d judges: in %d times of a season nodes began %d of %d", judges, turn+1, len(c.acts), want)
				}
			}
		})
	}
}

// TestFirstSeasonWithoutEvents: all judges joined before this node ran. The node looks when it
// starts, and long before it lists accounts.
func TestFirstSeasonWithoutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		c.slot = 1_000
		c.roster(int(program.DefaultParams().MinSeats))
		k := c.crank(DefaultConfig())
		runFor(t, k, time.Minute)
		if len(c.acts) != 1 {
			t.Fatalf("%v, %+v", c.acts, k.Standing())
		}
	})
}

// TestTurnsOfSeasons: the nodes take turns for the seasons of one Roster, so that not one of them
// pays for all.
func TestTurnsOfSeasons(t *testing.T) {
	c := newChain(t)
	k := c.crank(DefaultConfig())
	judges := []voting.Key{voting.Key(c.self.Address())}
	for i := range byte(7) {
		judges = append(judges, voting.Key{7, i})
	}
	first := 0
	for day := range int64(800) {
		if k.wait(judges, c.p.Roster(), genesis+day*86_400) == 0 {
			first++
		}
	}
	if first < 60 || first > 140 {
		t.Errorf("one of eight nodes is the first in %d of 800 seasons", first)
	}
}

// TestAttackJoinersStopSeasons: joiners want the old weights to stand. If each join made the
// nodes look again a step later, one join every 29 seconds would put the season off. It begins in
// time all the same.
func TestAttackJoinersStopSeasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		cfg.ListInterval = 0
		k := c.crank(cfg)
		params := program.DefaultParams()
		c.roster(int(params.MinSeats))
		c.slot = 1_000
		c.begin(c.p.Roster())
		began := c.now()
		k.Hear(&program.SeasonBegun{At: began})
		c.slot = 1_000_000
		c.change(func(r *program.Roster) { r.Entries[0].Stake -= onchain.LamportsPerSOL })
		due := time.Duration(params.SeasonSeconds)*time.Second + 2*time.Minute
		for time.Since(c.began) < due {
			k.Hear(&program.StakeMoved{Kind: program.StakeJoined})
			runFor(t, k, cfg.Step-time.Second)
		}
		if len(c.acts) != 1 {
			t.Errorf("%d seasons in %s", len(c.acts), due)
		}
	})
}

// TestAttackMemoryWithoutTheRoster: a spammer fills the memory of all nodes with tasks that are
// due sooner than the next season. No node forgets the Roster.
func TestAttackMemoryWithoutTheRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		k := c.crank(DefaultConfig())
		roster := c.roster(int(program.DefaultParams().MinSeats))
		k.Hear(&program.SeasonBegun{At: c.now() + 86_400})
		for n := range uint64(2 * maxMarks) {
			k.Hear(&program.TaskMoved{Task: c.p.Task(onchain.Address{4}, n), To: program.Created, At: genesis, Deadline: genesis + 60, Amount: onchain.LamportsPerSOL})
		}
		if !k.knows(roster) {
			t.Error("the Roster is forgotten")
		}
	})
}

// TestAttackSeasonsOfSmallCourts: a court with too few judges may begin a season every 512 slots,
// so somebody changes a stake every ten minutes. No node pays for a season that leaves the court
// with too few.
func TestAttackSeasonsOfSmallCourts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		k := c.crank(cfg)
		c.roster(1)
		c.slot = 1_000_000
		k.Hear(&program.StakeMoved{Kind: program.StakeJoined})
		for range 60 {
			runFor(t, k, cfg.Delay)
			k.Hear(&program.StakeMoved{Kind: program.StakeJoined})
			c.change(func(r *program.Roster) { r.Entries[0].Stake++ })
		}
		if len(c.acts) != 0 {
			t.Errorf("%d seasons", len(c.acts))
		}
	})
}
