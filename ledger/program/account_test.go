package program

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"ojud/voting"
)

// caseHeadSize is where the seats of a case begin.

func TestAccountsRoundTrip(t *testing.T) {
	for _, a := range sampleAccounts() {
		data := a.Encode()
		got, err := DecodeAccount(data)
		if err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		if !bytes.Equal(got.Encode(), data) {
			t.Errorf("%s: decoding and encoding changes the bytes", a.name)
		}
		if !reflect.DeepEqual(normal(got), normal(a.Account)) {
			t.Errorf("%s:\n got %+v\nwant %+v", a.name, got, a.Account)
		}
	}
}

// normal makes empty lists equal to missing ones.
func normal(a Account) Account {
	switch a := a.(type) {
	case *RegistryPage:
		if len(a.Entries) == 0 {
			return &RegistryPage{Bump: a.Bump, Page: a.Page}
		}
	case *Roster:
		if len(a.Entries) == 0 {
			return &Roster{Bump: a.Bump}
		}
	case *AgentData:
		b := *a
		b.Grants, b.Content = append([]DataGrant{}, a.Grants...), append([]byte{}, a.Content...)
		return &b
	case *Case:
		b := *a
		b.Seats = append([]Seat{}, a.Seats...)
		b.First = append([]Seat{}, a.First...)
		return &b
	}
	return a
}

func TestTypedDecoders(t *testing.T) {
	decoders := map[string]func([]byte) (any, error){
		"Config":         func(b []byte) (any, error) { return DecodeConfig(b) },
		"Admission":      func(b []byte) (any, error) { return DecodeAdmission(b) },
		"Rules":          func(b []byte) (any, error) { return DecodeRules(b) },
		"RegistryPage":   func(b []byte) (any, error) { return DecodeRegistryPage(b) },
		"Agent":          func(b []byte) (any, error) { return DecodeAgent(b) },
		"AgentData":      func(b []byte) (any, error) { return DecodeAgentData(b) },
		"Task":           func(b []byte) (any, error) { return DecodeTask(b) },
		"Roster":         func(b []byte) (any, error) { return DecodeRoster(b) },
		"Case":           func(b []byte) (any, error) { return DecodeCase(b) },
		"Channel":        func(b []byte) (any, error) { return DecodeChannel(b) },
		"Proctor":        func(b []byte) (any, error) { return DecodeProctor(b) },
		"Batch":          func(b []byte) (any, error) { return DecodeBatch(b) },
		"Pledge":         func(b []byte) (any, error) { return DecodePledge(b) },
		"VerdictAccount": func(b []byte) (any, error) { return DecodeVerdictAccount(b) },
	}
	for _, a := range sampleAccounts() {
		for name, decode := range decoders {
			_, err := decode(a.Encode())
			if name == a.AccountName() && err != nil {
				t.Errorf("%s: %v", a.name, err)
			}
			if name != a.AccountName() && !errors.Is(err, errAccount) {
				t.Errorf("%s decoded as %s: %v", a.name, name, err)
			}
		}
	}
}

// sizes are those of the table of protocol section 4.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		a    Account
		want int
	}{
		{&Config{}, 144}, {&Rules{}, 192}, {&RegistryPage{}, 24}, {&RegistryPage{Entries: make([]RegistryEntry, 128)}, 24 + 64*128}, {&Agent{}, 192},
		{&AgentData{}, 664}, {&AgentData{Content: make([]byte, 9_216)}, 664 + 9_216}, {&Task{}, 600}, {&Pot{}, 40}, {&Proctor{}, 80}, {&Batch{}, 208}, {&Roster{}, 1_352},
		{&Roster{Entries: make([]RosterEntry, 512)}, 1_352 + 224*512}, {&Case{}, 360}, {&Case{Rules: voting.Rules{PanelSeats: 7}, Seats: make([]Seat, 5)}, 360 + 96*7},
		{&Case{Rules: voting.Rules{PanelSeats: 7}, AppealSeats: 9, First: make([]Seat, 5), Seats: make([]Seat, 8)}, 360 + 96*16}, {&Channel{}, 88}, {&Admission{}, 80}, {&VerdictAccount{}, 256}, {&Pledge{}, 88},
	} {
		if got := len(c.a.Encode()); got != c.want {
			t.Errorf("%s: %d bytes, not %d", c.a.AccountName(), got, c.want)
		}
	}
	if RegistryPageSize(128) != 24+64*128 || RosterSize(512) != 1_352+224*512 || CaseSize(28) != 360+96*28 || agentDataSize(9_216) != 664+9_216 {
		t.Error("the size functions disagree with the table")
	}
	if ConfigSize != 144 || RulesSize != 192 || AgentSize != 192 || TaskSize != 600 || ChannelSize != 88 || AdmissionSize != 80 || VerdictAccountSize != 256 || PledgeSize != 88 {
		t.Error("the size constants disagree with the table")
	}
}

func TestEveryOtherLengthIsRefused(t *testing.T) {
	for _, a := range sampleAccounts() {
		data := a.Encode()
		for n := range data {
			if _, err := DecodeAccount(data[:n]); !errors.Is(err, errAccount) {
				t.Fatalf("%s cut to %d of %d bytes: %v", a.name, n, len(data), err)
			}
		}
		if _, err := DecodeAccount(append(data, 0)); !errors.Is(err, errAccount) {
			t.Errorf("%s with a byte too many: %v", a.name, err)
		}
	}
}

// TestOlderLayouts: Roster and Case of a court before ADR 0219 are known by their lengths, whatever
// their number of entries.
func TestOlderLayouts(t *testing.T) {
	roster, c := (&Roster{}).Encode()[:8:8], (&Case{}).Encode()[:8:8]
	for n := range 600 {
		_, old := DecodeRoster(append(append(roster, accountVersion), make([]byte, 136+224*n-9)...))
		_, older := DecodeCase(append(append(c, accountVersion), make([]byte, 424+96*(n%29)-9)...))
		if !errors.Is(old, ErrVersion) || !errors.Is(older, ErrVersion) {
			t.Fatal(n, old, older)
		}
	}
}

func TestPadHasToBeZero(t *testing.T) {
	for _, a := range sampleAccounts() {
		data := a.Encode()
		for _, f := range flatten("", list(a.Account)) {
			for i := range f.Size {
				if f.Type != "pad" || inUnused(a.Account, f.Offset) {
					continue
				}
				data[f.Offset+i] = 1
				if _, err := DecodeAccount(data); !errors.Is(err, errAccount) {
					t.Errorf("%s: pad at %d is not checked: %v", a.name, f.Offset+i, err)
				}
				data[f.Offset+i] = 0
			}
		}
	}
}

// inUnused says whether an offset is in a seat or grant that is not in use.
func inUnused(a Account, offset int) bool {
	switch a := a.(type) {
	case *Case:
		return offset >= caseHeadSize+seatSize*len(a.Seats) && a.AppealSeats == 0 || unusedAppealed(a, offset)
	case *AgentData:
		return offset >= 88+grantSize*len(a.Grants)
	}
	return false
}

// unusedAppealed does so for a case with two levels.
func unusedAppealed(c *Case, offset int) bool {
	base := caseHeadSize + seatSize*int(c.Rules.PanelSeats)
	first := offset >= caseHeadSize+seatSize*len(c.First) && offset < base
	return c.AppealSeats > 0 && (first || offset >= base+seatSize*len(c.Seats))
}

func TestUnusedPlacesAreNotLookedAt(t *testing.T) {
	c := decidedCase()
	data := c.Encode()
	for i := caseHeadSize + seatSize*len(c.Seats); i < len(data); i++ {
		data[i] = 0xff
	}
	got, err := DecodeCase(data)
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("stale seats: %v", err)
	}
}

func TestNumbersOutOfRange(t *testing.T) {
	for _, c := range []struct {
		a      Account
		offset int
		value  byte
	}{
		{&Config{}, 8, 1}, {&Config{}, 8, 3}, {&Config{}, 8, 0}, {&Config{}, 10, 2}, {&Config{}, 11, 2},
		{&Rules{Params: sampleParams()}, 10, 0}, {&Rules{Params: sampleParams()}, 10, 4}, {&Rules{Params: sampleParams()}, 11, 29},
		{createdTask(), 10, 0}, {createdTask(), 10, 12}, {createdTask(), 11, 2}, {createdTask(), 12, 2}, {createdTask(), 13, 0},
		{createdTask(), 13, 4}, {createdTask(), 14, 4}, {createdTask(), 15, 10},
		{sampleRoster(), 1_352 + 194, 3}, {sampleRoster(), 12, 6}, {sampleRoster(), 14, 1},
		{revealCase(), 10, 0}, {revealCase(), 10, 7}, {revealCase(), 11, 0}, {revealCase(), 11, 7}, {revealCase(), 22, 3}, {revealCase(), 281, 1}, {revealCase(), 282, 29}, {appealedCase(), 280, 4}, {revealCase(), 12, 4},
		{revealCase(), 13, 29}, {revealCase(), 14, 29}, {revealCase(), 15, 29}, {revealCase(), caseHeadSize + 90, 4}, {revealCase(), caseHeadSize + 91, 16},
		{revealCase(), caseHeadSize + 92, 7},
		{sampleVerdict(), 10, 2}, {sampleVerdict(), 11, 4}, {sampleVerdict(), 12, 3}, {sampleVerdict(), 13, 7},
		{sampleAccounts()[8], 10, 0}, {sampleAccounts()[8], 10, 33}, {sampleAccounts()[8], 10, 31}, {sampleAccounts()[8], 11, 9},
		{sampleAccounts()[8], 48, ' '}, {sampleAccounts()[8], 15, 0xff},
	} {
		data := c.a.Encode()
		if _, err := DecodeAccount(data); err != nil {
			t.Fatalf("%s: %v", c.a.AccountName(), err)
		}
		data[c.offset] = c.value
		if _, err := DecodeAccount(data); !errors.Is(err, errAccount) {
			t.Errorf("%s: %d at offset %d is taken: %v", c.a.AccountName(), c.value, c.offset, err)
		}
	}
}

// checkTyped: of the decoders of one type, that of the account's own takes it, and no other does.
func checkTyped(t *testing.T, data []byte, a Account) {
	t.Helper()
	for name, decode := range map[string]func([]byte) error{
		"Config": errOf(DecodeConfig), "Rules": errOf(DecodeRules), "RegistryPage": errOf(DecodeRegistryPage), "Agent": errOf(DecodeAgent), "AgentData": errOf(DecodeAgentData),
		"Task": errOf(DecodeTask), "Roster": errOf(DecodeRoster), "Case": errOf(DecodeCase), "Channel": errOf(DecodeChannel), "Pot": errOf(DecodePot), "Admission": errOf(DecodeAdmission), "Proctor": errOf(DecodeProctor), "Batch": errOf(DecodeBatch), "VerdictAccount": errOf(DecodeVerdictAccount), "Pledge": errOf(DecodePledge),
	} {
		if err := decode(data); (err == nil) != (a != nil && a.AccountName() == name) {
			t.Fatalf("as %s: %v", name, err)
		}
	}
}

func errOf[T any](decode func([]byte) (*T, error)) func([]byte) error {
	return func(data []byte) error {
		_, err := decode(data)
		return err
	}
}

func FuzzDecodeAccount(f *testing.F) {
	for _, a := range sampleAccounts() {
		f.Add(a.Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kept := bytes.Clone(data)
		a, err := DecodeAccount(data)
		if !bytes.Equal(kept, data) {
			t.Fatal("the input was changed")
		}
		checkTyped(t, data, a)
		if err != nil {
			return
		}
		again, err := DecodeAccount(a.Encode())
		if err != nil || !bytes.Equal(again.Encode(), a.Encode()) {
			t.Fatalf("%s does not survive encoding: %v", a.AccountName(), err)
		}
		if c, ok := a.(*Case); ok {
			c.Voting(1, sampleRoster())
			sampleRoster().Standings(c)
		}
	})
}
