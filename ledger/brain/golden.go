package brain

import "ojud/ledger/onchain"

// Appeal is the last one against what a golden task showed, and how many the court rejected.
type Appeal struct {
	Appellant onchain.Address
	Dispute   onchain.Address // in the court
	Refused   uint8
	Worker    uint8 // whose result it is about, counted from 1
	Cleared   uint8 // a bit for each worker whose result was opened as wrong, and is not
	_         [5]byte
}

// What is known of the seal of a task: Marks.Opened.
const (
	Sealed     uint8 = iota
	Opened           // records have learned from it
	Shown            // who failed may appeal
	Appealed         // the court has an appeal
	Overturned       // an appeal was upheld: end_golden makes it Void, and nobody learns from it
	Void             // that was done
)

// Open reports whether the seal was opened, and that is not final.
func (t *TaskAccount) Open() bool { return t.Marks.Opened >= Shown && t.Marks.Opened <= Overturned }

// InCourt is what of the task the court has, and who brought it: a dispute about the outcome, or an
// appeal.
func (t *TaskAccount) InCourt() (dispute, by onchain.Address, ok bool) {
	if t.Status == Settled {
		return t.Appeal.Dispute, t.Appeal.Appellant, t.Marks.Opened == Appealed
	}
	return t.Dispute, t.Disputant, t.Status == Disputed
}

// OpenGolden builds the opening of a golden task.
func (p Megabrain) OpenGolden(creator, class, task onchain.Address, i OpenGolden) onchain.Instruction {
	return p.call("open_golden", i, creator, class, task)
}

// AppealGolden builds an appeal.
func (p Megabrain) AppealGolden(appellant, class, task onchain.Address, at CourtAccounts, i AppealGolden) onchain.Instruction {
	return p.call("appeal_golden", i, appellant, class, task, p.Treasury(), at.Program, at.Config, at.Rules, at.Roster, at.Dispute, at.Verdict)
}

// EndGolden builds the end of an opened golden task.
func (p Megabrain) EndGolden(class, task, creator onchain.Address) onchain.Instruction {
	return p.call("end_golden", nil, class, task, p.Treasury(), creator)
}
