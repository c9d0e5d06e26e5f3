package console

import (
	"context"
	"time"

	"ojud/casefile/picture"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/node/market"
	"ojud/node/status"
	"ojud/voting"
)

// Scenery is what the pages show. Its methods may be called from several goroutines.
type Scenery interface {
	// Court returns the state of the court as the node sees it.
	Court() Court
	// Case returns what the node knows of a case. The error is casefile.ErrNoCase if it knows
	// nothing.
	Case(task voting.Key) (picture.Scene, error)
	// Glance returns a case that the node follows without its record, at once; false: read Case.
	Glance(task voting.Key) (picture.Scene, bool)
	// Export returns the case file of a case that the node knows. missing are the contents that
	// are not here. The error is casefile.ErrNoCase if it knows nothing.
	Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error)
	// Market reads what is for work. It asks the chain for long lists, which it may refuse.
	Market(ctx context.Context) (market.Market, error)
	// Agents lists the agents of the court. It asks the chain for a long list.
	Agents(ctx context.Context) (agents.Directory, error)
	// Brain returns the tasks of MegaBrain. It asks the chain.
	Brain() Thoughts
	// Requests returns the latest requests for data of this node, the oldest first.
	Requests(ctx context.Context) ([]DataRequest, error)
	// Claims returns what the nodes of other judges say with whom they are linked, by the peer IDs
	// of both. It returns at once what was last heard. What they say is no proof.
	Claims() map[string][]string
	// Still says that the chain stands still, and why; empty: it does not.
	Still() string
	// Changed returns a channel that is closed when a case changes.
	Changed() <-chan struct{}
	// Findings looks for what would keep the node from judging. It asks the chain.
	Findings(ctx context.Context) ([]status.Finding, error)
	// Rules reads the court's rules. It asks the chain.
	Rules(ctx context.Context) (*law.Rules, error)
}

// Court is the state of a court as a node sees it.
type Court struct {
	State  status.Status   // of the node
	Self   voting.Key      // the node's judge
	Chain  onchain.Hash    // genesis hash
	Roster *program.Roster // nil: not seen yet
	Links  []Link          // the judges that the node knows, itself included
	// Cases are the tasks whose cases are known, in no order.
	Cases []voting.Key
	// Models are those of this node's judge, in the order of use.
	Models []Model
	// Setting says who runs the court's judges; empty: nobody says so.
	Setting string
}

// Model is a model of this node's judge, and what it did since the node's start.
type Model struct {
	Name, Family     string
	Median           time.Duration // of an answer in the last minutes; 0: not known
	Resting, Failing bool          // it is asked last for a while; its last call failed
	Last             string        // result of its last call; empty: it was not called
	Cases            int           // that asked it
	Answered, Failed int           // calls
	Tokens           int
	Cost             uint64 // millionths of a US dollar
}

// Link is a judge that announces itself, and whether this node is linked to it. All its texts are
// the words of its node.
type Link struct {
	Peer, Judge                string // libp2p peer ID, and the authority in base58
	Family, Dimension, Version string
	Sources, RPC               []string // data sources, and RPC nodes of the chain, that it offers
	Linked, Own                bool
	Staked                     bool // the Roster has that judge with this node, and it is active
}
