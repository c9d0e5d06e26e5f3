package program

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"path/filepath"
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

// drawing is a draw with all that it depends on.
type drawing struct {
	name               string
	roster             Roster
	task               Task
	lot                rules.Lot
	seedSlot           uint64
	minStake, maxSeat  uint64
	panelSeats, atMost uint8
}

type drawnVector struct {
	Name          string   `json:"name"`
	Roster        string   `json:"roster"`
	Task          string   `json:"task"` // the Task account
	Address       string   `json:"task_address"`
	Program       string   `json:"program"`
	Round         uint8    `json:"round"`
	SeedSlot      string   `json:"seed_slot"`
	DrawnSlot     string   `json:"drawn_slot"`
	SlotHash      string   `json:"slot_hash"`
	MinStake      string   `json:"min_stake"`
	MaxSeatWeight string   `json:"max_seat_weight"`
	PanelSeats    uint8    `json:"panel_seats"`
	Seed          string   `json:"seed"`
	Eligible      []uint16 `json:"eligible"`
	Rejected      int      `json:"rejected"` // numbers of the hash chain that would have favoured somebody
	Seats         []uint16 `json:"seats"`
	Weights       []string `json:"weights"`
	Total         string   `json:"seated_weight"`
}

func bench(name string, judges int, most uint64, stake func(d *dice, i int) uint64) Roster {
	r, d := Roster{Bump: 255}, &dice{name: name}
	for i := range judges {
		id := name + " judge " + string(rune('a'+i%26)) + string(rune('a'+i/26))
		e := RosterEntry{Authority: pub(id), Peer: peer(id), Stake: stake(d, i), State: EntryActive, JoinedAt: int64(i), Owned: OwnWeight}
		e.Weight = min(e.Stake, most)
		r.Entries = append(r.Entries, e)
		r.TotalStake += e.Stake
		r.Active++
	}
	r.SeasonSlot = 1_000
	r.sum()
	return r
}

func drawings() []drawing {
	equal := func(*dice, int) uint64 { return 1_000_000_000 }
	skewed := func(d *dice, _ int) uint64 { return 1_000_000_000 + d.below(40_000_000_000) }
	heavy := func(d *dice, _ int) uint64 { return 1<<50 - d.below(1<<48) }
	lot := rules.Lot{Program: voting.Key(pub("program")), Task: voting.Key(pub("task")), Round: 1, DrawnSlot: 400_000_003, SlotHash: sum("slot")}
	other := lot
	other.Round, other.DrawnSlot = 2, 400_001_777
	unfair := lot // a slot whose hash chain has a number that would favour somebody
	unfair.DrawnSlot = 400_002_000
	mixed := bench("mixed", 40, 10_000_000_000, skewed)
	mixed.Entries[3].Authority, mixed.Entries[4].Authority = pub("creator"), pub("worker")
	mixed.Entries[5].Operator, mixed.Entries[6].Operator = pub("operator"), pub("worker operator")
	mixed.Entries[7].State, mixed.Entries[8] = EntryExiting, RosterEntry{Weight: mixed.Entries[8].Weight}
	mixed.Entries[9].Stake, mixed.Entries[10].Authority = 999_999_999, pub("operator")
	mixed.Entries[11].Operator, mixed.Entries[12].Operator = pub("creator"), pub("somebody else")
	seed := uint64(400_000_001) // in the window that begins at 400,000,000
	later := bench("later", 40, 10_000_000_000, equal)
	changed(&later, seed)
	busy := bench("busy", 60, 10_000_000_000, skewed)
	for i := range busy.Entries {
		busy.Entries[i].Locked = busy.Entries[i].Stake - min(39_998+uint64(i%6), busy.Entries[i].Stake)
	}
	return []drawing{
		{"seven of seven", bench("seven", 7, 10_000_000_000, equal), *judiciaryTask(), lot, seed, 1_000_000_000, 10_000_000_000, 28, 7},
		{"all of 28", bench("all", 28, 10_000_000_000, equal), *judiciaryTask(), lot, seed, 1_000_000_000, 10_000_000_000, 28, 28},
		{"28 of 100", bench("hundred", 100, 10_000_000_000, skewed), *judiciaryTask(), lot, seed, 1_000_000_000, 10_000_000_000, 28, 28},
		{"28 of 100, second round", bench("hundred", 100, 10_000_000_000, skewed), *judiciaryTask(), other, other.DrawnSlot, 1_000_000_000, 10_000_000_000, 28, 28},
		{"parties, exiting, free and poor", mixed, *judiciaryTask(), lot, seed, 1_000_000_000, 10_000_000_000, 28, 28},
		{"3 of 5", bench("five", 5, 1<<50, skewed), *judiciaryTask(), other, other.DrawnSlot, 1_000_000_000, 1 << 50, 3, 3},
		{"what came after the seed slot", later, *judiciaryTask(), lot, seed, 1_000_000_000, 10_000_000_000, 28, 28},
		{"some could lose too much already", busy, *judiciaryTask(), lot, seed, 1_000_000_000, 10_000_000_000, 28, 28},
		{"512 of the heaviest", bench("heavy", 512, 1<<50, heavy), *judiciaryTask(), unfair, unfair.DrawnSlot, 1_000_000_000, 1 << 50, 28, 28},
	}
}

// changed puts what a draw must not see, or must pass over, into the entries.
func changed(r *Roster, seed uint64) {
	r.SeasonSlot, r.BeforeSlot = seed, seed-1 // so the season before counts
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Owned, e.WeightBefore = OwnWeight|ownWeightBefore, e.Weight+uint64(i)
		switch e.Weight = 9_000_000_000; i % 8 {
		case 0: // topped up after the season began
			e.Stake += 5_000_000_000
		case 1: // slashed, and above and below half of the least stake
			e.Stake = 600_000_000
		case 2:
			e.Stake = 499_999_999
		case 3: // joined in the season before, or since
			e.WeightBefore, e.Owned = 0, OwnWeight
		case 4: // began to leave just before, in the seed slot
			e.State, e.ExitSlot = EntryExiting, seed-1
		case 5:
			e.State, e.ExitSlot = EntryExiting, seed
		case 6: // has left; another has its entry
			e.Owned = OwnWeight
		case 7:
			*e = RosterEntry{Weight: e.Weight, WeightBefore: e.WeightBefore}
		}
	}
	r.sum()
}

// sum computes the sums of the pages.
func (r *Roster) sum() {
	r.Pages, r.PagesBefore, r.Weight = [80]uint64{}, [80]uint64{}, 0
	for i := range r.Entries {
		r.Pages[i/PageEntries] += r.Entries[i].Weight
		r.PagesBefore[i/PageEntries] += r.Entries[i].WeightBefore
		r.Weight += r.Entries[i].Weight
	}
}

func TestDrawVectors(t *testing.T) {
	var all []drawnVector
	rejected := 0
	for _, c := range drawings() {
		// What a seat can lose is a tenth of its weight, at most 40 times 1,000 lamports.
		law := rules.Law{FeeMin: 2_000, RiskBps: 1_000, GoldenGain: 10, GoldenLoss: 4}.Staked(c.minStake, c.maxSeat)
		eligible, err := rules.Eligible(c.roster.Candidates(c.seedSlot), c.task.Parties(), law)
		if err != nil {
			t.Fatal(err)
		}
		seats, err := rules.Draw(c.lot.Seed(), eligible, c.panelSeats, 1)
		if err != nil {
			t.Fatal(err)
		}
		v := drawnVector{Name: c.name, Roster: hex.EncodeToString(c.roster.Encode()), Task: hex.EncodeToString(c.task.Encode()), Address: onchain.Address(c.lot.Task).String(),
			Program: onchain.Address(c.lot.Program).String(), Round: c.lot.Round, SeedSlot: dec(c.seedSlot), DrawnSlot: dec(c.lot.DrawnSlot), SlotHash: c.lot.SlotHash.String(),
			MinStake: dec(c.minStake), MaxSeatWeight: dec(c.maxSeat), PanelSeats: c.panelSeats, Seed: c.lot.Seed().String()}
		var total uint64
		for _, e := range eligible {
			v.Eligible = append(v.Eligible, e.Index)
		}
		for _, s := range seats {
			v.Seats, v.Weights = append(v.Seats, s.Index), append(v.Weights, dec(s.Weight))
			total += s.Weight
		}
		v.Total = dec(total)
		slow, again := slowDraw(c.lot.Seed(), eligible, int(c.atMost))
		if !slices.Equal(slow, v.Seats) {
			t.Errorf("%s: package voting draws %v, the slow way %v", c.name, v.Seats, slow)
		}
		v.Rejected, rejected = again, rejected+again
		all = append(all, v)
	}
	if rejected == 0 {
		t.Error("no draw had to reject a number; change a seed")
	}
	golden(t, filepath.Join(vectorDir, "draws.json"), all)
}

// slowDraw is the draw of protocol section 6 with big numbers, one ticket a lamport.
func slowDraw(seed voting.Hash, eligible []voting.Candidate, seats int) (drawn []uint16, rejected int) {
	left := slices.Clone(eligible)
	space := new(big.Int).Lsh(big.NewInt(1), 64)
	counter := uint32(0)
	for len(drawn) < seats && len(left) > 0 {
		total := new(big.Int)
		for _, c := range left {
			total.Add(total, new(big.Int).SetUint64(c.Weight))
		}
		limit := new(big.Int).Sub(space, new(big.Int).Mod(space, total))
		digest := sha256.Sum256(binary.LittleEndian.AppendUint32(seed[:], counter))
		counter++
		x := new(big.Int).SetUint64(binary.LittleEndian.Uint64(digest[:]))
		if x.Cmp(limit) >= 0 {
			rejected++
			continue
		}
		r := x.Mod(x, total)
		for i, c := range left {
			w := new(big.Int).SetUint64(c.Weight)
			if r.Cmp(w) < 0 {
				left = slices.Delete(left, i, i+1)
				if c.Seat > 0 {
					drawn = append(drawn, c.Index)
				}
				break
			}
			r.Sub(r, w)
		}
	}
	return drawn, rejected
}
