package megabrain

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/library"
)

// accounts is a chain with these accounts, and a court.
type accounts struct {
	client.Reads
	court program.Program
	all   map[onchain.Address]*ledger.Account
}

func (a accounts) Program() program.Program { return a.court }

func (a accounts) Accounts(_ context.Context, at ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	for _, one := range at {
		out = append(out, a.all[one])
	}
	return out, 1, nil
}

// appealed is a chain on which an appeal against a golden task of a class is open.
type appealed struct {
	d      *Desk
	s      Seen
	chain  accounts
	rules  program.Params
	joined []library.Document // of the last answer
	times  int
	fails  error
}

const asksLong = "When did the bridge open? Read all of the plaque."

func openAppeal(t *testing.T, creator onchain.Address) *appealed {
	t.Helper()
	d, s, _, _ := asking(t, asksLong)
	a := &appealed{d: d, s: s, rules: program.DefaultParams(), chain: accounts{court: program.New(onchain.Address{90}), all: map[onchain.Address]*ledger.Account{}}}
	k, class := s.Task, onchain.Address{8}
	k.Status, k.Marks.Opened, k.Parties.Class = brain.Settled, brain.Appealed, class
	k.Appeal = brain.Appeal{Appellant: onchain.Address{12}, Dispute: onchain.Address{11}, Worker: 1}
	k.Head.Kind, k.Head.Version = brain.Kind("Task"), brain.Version
	here := func(at onchain.Address, parts ...any) {
		var data []byte
		for _, part := range parts {
			var err error
			if data, err = binary.Append(data, binary.LittleEndian, part); err != nil {
				t.Fatal(err)
			}
		}
		a.chain.all[at] = &ledger.Account{Address: at, Owner: brain.Devnet().ID(), Data: data}
	}
	here(s.At, k)
	here(class, brain.Kind("Class"), [2]uint8{brain.Version, 255}, uint16(0), [4]byte{}, creator, [32]byte{}, brain.Defaults(), [brain.MaxNear]onchain.Address{})
	court := a.chain.court
	a.court(court.Config(), (&program.Config{Rules: 1}).Encode())
	a.court(court.Rules(1), (&program.Rules{Number: 1, Params: a.rules}).Encode())
	a.s.Now = 1_000_000
	clock := make([]byte, looks.ClockSize)
	binary.LittleEndian.PutUint64(clock[timeAt:], uint64(a.s.Now))
	a.chain.all[onchain.ClockAccount()] = &ledger.Account{Data: clock}
	d.office = client.Office{Reads: a.chain}
	d.join = func(_ context.Context, at onchain.Address, answer library.Document, more ...library.Document) (client.Sent, []library.Publication, error) {
		if at != k.Appeal.Dispute {
			t.Errorf("it answers %s", at)
		}
		a.times, a.joined = a.times+1, append([]library.Document{answer}, more...)
		return client.Sent{}, nil, a.fails
	}
	return a
}

func (a *appealed) court(at onchain.Address, data []byte) {
	a.chain.all[at] = &ledger.Account{Address: at, Owner: a.chain.court.ID(), Data: data}
}

// waits sets the dispute as the court has it, and how many seconds are left to answer.
func (a *appealed) waits(left int64, k program.Task) {
	k.Status, k.OnUndecided = 1, 1 // any that the account may have
	if k.Dispute == program.DisputeUnanswered {
		k.Deadline = a.s.Now + left
	}
	a.court(a.s.Task.Appeal.Dispute, k.Encode())
}

// TestAnswers: the crank of a class's creator answers an appeal whose question stands on memory
// nodes, when half of the time for that is over, and shows the question. A person may answer
// before. It answers no other appeal, and tells when it is too late.
func TestAnswers(t *testing.T) {
	me, unanswered := onchain.Address{1}, program.Task{Dispute: program.DisputeUnanswered}
	half := int64(program.DefaultParams().AnswerSeconds / 2)
	// look looks once, and says how often the crank has answered so far.
	look := func(t *testing.T, a *appealed, next map[share]time.Time, want int) error {
		t.Helper()
		did, err := answers(t.Context(), a.d, a.s, next)
		if a.times != want || err == nil && (did != "") != (a.times > 0 && len(a.joined) > 0) {
			t.Errorf("it answered %d times instead of %d: %q, %v", a.times, want, did, err)
		}
		a.joined = nil
		return err
	}
	for name, x := range map[string]func(t *testing.T, a *appealed, next map[share]time.Time) error{
		"at half of the time": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			a.waits(half+1, unanswered)
			if err := look(t, a, next, 0); err != nil || len(next) != 0 {
				t.Errorf("a second before: %v, %v", next, err)
			}
			a.waits(half, unanswered)
			did, err := answers(t.Context(), a.d, a.s, next)
			if did == "" || err != nil || len(a.joined) != 3 || string(a.joined[2].Content) != asksLong || !strings.Contains(string(a.joined[0].Content), a.joined[2].Hash.String()) {
				t.Errorf("%q with %d documents, %v", did, len(a.joined), err)
			}
			a.joined = nil
			return look(t, a, next, 1) // once
		},
		"too late": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			a.waits(0, unanswered)
			if err := look(t, a, next, 0); err == nil || !strings.Contains(err.Error(), "is over") {
				t.Errorf("it says %v", err)
			}
			return look(t, a, next, 0) // it says so once a minute
		},
		"the RPC node fails": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			a.waits(1, unanswered)
			a.fails = ledger.ErrUnavailable
			if err := look(t, a, next, 1); !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("it says %v", err)
			}
			a.fails = nil
			if err := look(t, a, next, 1); err != nil {
				t.Error(err)
			}
			time.Sleep(shareAgain + time.Second)
			return look(t, a, next, 2)
		},
		"a person answered": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			a.waits(0, program.Task{Dispute: program.DisputeJoined, ObjectionHash: [32]byte{5}})
			return look(t, a, next, 0)
		},
		"it answered before it was killed": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			told, err := termsOf(t.Context(), a.d, a.s.At, a.s.Task)
			if err != nil {
				return err
			}
			answer, _, err := reply(t.Context(), a.d, a.s, told, "")
			if err != nil {
				return err
			}
			a.waits(0, program.Task{Dispute: program.DisputeJoined, ObjectionHash: answer.Hash})
			return look(t, a, next, 1) // its documents are given again
		},
		"the dispute is over": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			return look(t, a, next, 0)
		},
		"another creator's": func(t *testing.T, _ *appealed, next map[share]time.Time) error {
			a := openAppeal(t, onchain.Address{2})
			a.waits(1, unanswered)
			return look(t, a, next, 0)
		},
		"a short question": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			told := brain.Told{There: true, Description: "When?"}
			a.s.Task.Terms = brain.TermsHash(told.Description, told.Metadata)
			a.d.nodes.made = func(context.Context, onchain.Address, *brain.TaskAccount) (brain.Told, error) { return told, nil }
			a.waits(1, unanswered)
			return look(t, a, next, 0)
		},
		"no appeal": func(t *testing.T, a *appealed, next map[share]time.Time) error {
			a.s.Task.Marks.Opened = brain.Shown
			a.waits(1, unanswered)
			return look(t, a, next, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := x(t, openAppeal(t, me), map[share]time.Time{}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
