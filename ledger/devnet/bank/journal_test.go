package bank

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// slowStore holds every write until the test releases it, and fails on demand.
type slowStore struct {
	memory
	release chan error
	batches [][]entry
}

func (s *slowStore) commit(batch []entry) error {
	if err := <-s.release; err != nil {
		return err
	}
	s.batches = append(s.batches, batch)
	return nil
}

func TestWaitersShareAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{release: make(chan error)}
		var told []uint64
		j := &journal{store: s, publish: func(e Event) { told = append(told, e.Slot) }}
		var group sync.WaitGroup
		wait := func(slot uint64) {
			j.add(entry{events: []Event{{Slot: slot}}})
			group.Go(func() {
				if err := j.sync(); err != nil {
					t.Error(err)
				}
			})
		}
		wait(0)
		synctest.Wait() // the first is writing
		for slot := range uint64(28) {
			j.add(entry{events: []Event{{Slot: slot + 1}}})
		}
		if len(told) != 0 {
			t.Error("told before it was written")
		}
		s.release <- nil
		group.Wait()
		for range 28 {
			group.Go(func() {
				if err := j.sync(); err != nil {
					t.Error(err)
				}
			})
		}
		s.release <- nil
		group.Wait()
		if len(s.batches) != 2 || len(s.batches[1]) != 28 {
			t.Errorf("%d writes, the second of %d entries", len(s.batches), len(s.batches[1]))
		}
		for i, slot := range told {
			if slot != uint64(i) {
				t.Fatalf("told of %v", told)
			}
		}
	})
}

func TestFailedWriteStopsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{release: make(chan error, 1)}
		told := 0
		j := &journal{store: s, publish: func(Event) { told++ }}
		j.add(entry{events: []Event{{}}})
		full := errors.New("no space left")
		s.release <- full
		for range 3 {
			if err := j.sync(); !errors.Is(err, ErrBroken) || !errors.Is(err, full) {
				t.Errorf("error %v", err)
			}
		}
		if told != 0 {
			t.Error("told of what was not written")
		}
		if err := j.close(); !errors.Is(err, ErrBroken) {
			t.Errorf("close: %v", err)
		}
	})
}
