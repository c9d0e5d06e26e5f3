package brainview

import (
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// TestExam: a task shows how its seal stands, until when who failed may appeal, and which
// results were opened as right. Of these, it tells the answer from what only means the same:
// the checks of a question decide an appeal about the answer alone.
func TestExam(t *testing.T) {
	k := &brain.TaskAccount{Status: brain.Settled, Counts: brain.Counts{Drawn: 4}, Seal: [32]byte{1}, Clock: brain.Clock{Deadline: 86_400}}
	for i := range 2 {
		k.Work[i].State, k.Work[i].ResultHash = revealed, [32]byte{byte(i + 1)}
	}
	k.Work[3].State, k.Work[3].ResultHash = revealed, [32]byte{9}
	k.Finding.Facts[0].Cluster, k.Finding.Facts[3].Cluster = 1, 1
	if e := exam(k); e != nil || e.Opened(1) != "" {
		t.Errorf("a sealed task: %+v", e)
	}
	k.Appeal = brain.Appeal{Appellant: onchain.Address{4}, Dispute: onchain.Address{5}, Refused: 1}
	for opened, want := range map[uint8]string{
		brain.Shown: "open to appeals until 1970-01-02 00:00:00 UTC", brain.Appealed: "in court", brain.Overturned: "overturned", brain.Void: "overturned", brain.Opened: "final",
	} {
		k.Marks.Opened = opened
		e := exam(k)
		if e == nil || !strings.HasSuffix(e.String(), ": "+want) || e.Opened(1) != "right, as the answer itself" || e.Opened(4) != "right" || e.Opened(2) != "wrong" || e.Opened(3) != "" || e.Appeal == "" || e.Refused != 1 {
			t.Errorf("opened %d: %+v", opened, e)
		}
	}
	if k.Marks.Opened = 9; exam(k) != nil {
		t.Error("a state that is unknown is shown")
	}
}
