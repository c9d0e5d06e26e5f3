package looks

import (
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Touched calls f with the task of every case that an event is about.
func Touched(e program.Event, f func(task onchain.Address)) {
	switch e := e.(type) {
	case *program.CaseOpened:
		f(e.Task)
	case *program.Drawn:
		f(e.Task)
	case *program.Committed:
		f(e.Task)
	case *program.Revealed:
		f(e.Task)
	case *program.RoundSettled:
		f(e.Task)
	case *program.Appealable:
		f(e.Task)
	case *program.Appealed:
		f(e.Task)
	case *program.CaseFinished:
		f(e.Task)
	case *program.Slashed:
		f(e.Task)
	case *program.TaskMoved:
		if e.From == program.Judiciary || e.To == program.Judiciary {
			f(e.Task)
		}
	}
}
