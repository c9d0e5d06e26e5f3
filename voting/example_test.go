package voting_test

import (
	"crypto/ed25519"
	"fmt"

	"ojud/voting"
)

// shell stands for package node: everything that an effect needs.
type shell struct {
	machine *voting.Machine
	view    *voting.View
	events  chan voting.Event
}

// execute does one effect. An error means that the node must stop.
func (s *shell) execute(e voting.Effect) error {
	switch e := e.(type) {
	case voting.Persist:
		fmt.Println("journal:", e.Record) // returns its error: nothing that follows may happen then
	case voting.AskJudge, voting.AskAbstain: // starts a judge, which sends OpinionReady or OpinionFailed to s.events
	case voting.StopJudge: // cancels it
	case voting.Announce: // e.Notice.Encode() over streams to e.To and to the topic
	case voting.Submit: // starts a transaction, which sends SubmitDone to s.events
	case voting.CatchUp: // asks e.To, which sends NoticeReceived … CaughtUp to s.events
	case voting.RecoverOpening: // looks through the chain's history and sends OpeningRecovered to s.events
	case voting.Testify: // appends to the case file
	case voting.Forget: // drops the journal's records of e.Task
	case voting.Conflict:
		return fmt.Errorf("another copy of this node is running: %s", e.Evidence)
	}
	return nil
}

// loop is the one goroutine that steps the machine.
func (s *shell) loop() error {
	for e := range s.events {
		effects, err := s.machine.Step(e)
		if err != nil {
			fmt.Println("log:", err) // the event was refused; effects may still be there
		}
		for _, f := range effects {
			if err := s.execute(f); err != nil {
				return err
			}
		}
		s.view = s.machine.View() // for the goroutines that validate gossip
		_, _ = s.machine.Next()   // sets the timer that sends the next Tick
	}
	return nil
}

// The loop of a node.
func Example() {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	machine, err := voting.New(voting.Config{
		Domain: voting.Domain{Network: voting.Hash{1}, Program: voting.Key{2}},
		Judge:  voting.Key{3},
		Peer:   voting.Key(key.Public().(ed25519.PublicKey)),
		Sign:   func(statement []byte) voting.Signature { return voting.Signature(ed25519.Sign(key, statement)) },
		Params: voting.DefaultParams(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := &shell{machine: machine, events: make(chan voting.Event, 2)}
	s.events <- voting.Restored{At: 1_800_000_000, Fresh: true}
	s.events <- voting.Tick{At: 1_800_000_001}
	close(s.events)
	if err := s.loop(); err != nil {
		fmt.Println(err)
	}
	// Output: journal: born at=1800000000
}
