package console

import (
	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/ledger/program"
	"ojud/voting"
)

// Scenery is what the pages show. Its methods may be called from several goroutines.
type Scenery interface {
	// Court returns the state of the court as the node sees it.
	Court() Court
	// Case returns what the node knows of a case. The error is casefile.ErrNoCase if it knows
	// nothing.
	Case(task voting.Key) (Scene, error)
	// Changed returns a channel that is closed when a case changes.
	Changed() <-chan struct{}
}

// Court is the state of a court as a node sees it.
type Court struct {
	Name     string
	Self     voting.Key // the node's judge
	Now      int64      // the chain's time, Unix seconds; 0: not known
	Peers    int
	Problems []string        // what keeps the node from judging
	Roster   *program.Roster // nil: not seen yet
	// Cases are the tasks whose cases are known, in no order.
	Cases []voting.Key
}

// Scene is what is known of a case. Any part may be missing.
type Scene struct {
	Look    voting.Case         // Status 0: the chain's account is not known
	Terms   *casefile.TaskTerms // nil: not known
	Record  reading.Record
	Content func(casefile.Digest) ([]byte, error) // nil: no content is here
	Now     int64                                 // the chain's time, Unix seconds; 0: not known
	Self    voting.Key                            // the node's judge; zero: there is none
	Whose   string                                // who says this: "this node", or the name of a file
}
