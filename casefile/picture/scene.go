package picture

import (
	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/voting"
)

// Scene is what is known of a case. Any part may be missing.
type Scene struct {
	Look    voting.Case         // Status 0: the chain's account is not known
	Terms   *casefile.TaskTerms // nil: not known
	Record  reading.Record
	Content func(casefile.Digest) ([]byte, error) // nil: no content is here
	Now     int64                                 // the chain's time, Unix seconds; 0: not known
	Self    voting.Key                            // the node's judge; zero: there is none
	Whose   string                                // who says this: "this node", or the name of a file
	// Links: the page has links to the pages of the judges.
	Links bool
	// Archived: nothing of the case will change any more.
	Archived bool

	known map[saidKey]reading.Statements // of a replay; nil: they are read each time
}
