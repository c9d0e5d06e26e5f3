package work

// News is what a machine hears. Market, Made, Weighed and Released are for a worker, Books,
// Inspected and Withdrawn for a creator, Failed and Restarted for both.
type News interface{ news() }

// Market is a look at the chain for a worker.
type Market struct {
	Vault  uint64
	Offers []Vacancy // tasks that can be claimed now
	Held   []Held    // tasks of this worker
}

// Vacancy is a task that can be claimed.
type Vacancy struct {
	Task        string
	Creator     Reputation
	Price       uint64 // that a claim gets now
	Beside      Beside // tokens
	ClaimBond   uint64
	AnswerBond  uint64 // of an answer to an objection
	WorkSeconds uint32
	Undecided   string // refund, pay or split
	Foreign     bool   // another program than the court decides it
	Barred      bool   // this worker may not claim it
	Text        string // what the creator asks for; empty if no node has sent it
	Loose       string // what of its data somebody can change after the result; empty: none
}

// Beside is what tokens beside a price are worth to an agent, by its owner's settings.
type Beside struct {
	Worth uint64 `json:"worth,string"` // lamports
	Text  string `json:"text"`         // the tokens, for people
}

// Reputation says how an agent did before the court.
type Reputation struct {
	Agent     string
	Won, Lost uint32 // cases
}

// Held is a task that this worker has claimed, as the chain has it.
type Held struct {
	Task       string
	Text       string // what the creator asks for, if this worker did not expect the task
	Status     Phase  // of the chain: Making, Waiting, Disputed, Judged or Over
	Price      uint64
	ClaimBond  uint64
	AnswerBond uint64
	Reworks    int
	Most       int  // reworks that the court allows
	Late       bool // the time of the one who has to act is over
	Lost       bool // the first verdict is against this party, which may appeal
	Free       bool // the claim can be given back for nothing
	Outcome    End
	Ruling     Ruling
}

// Ruling says how the court ended a task. The zero value is that it had no say.
type Ruling string

// The rulings.
const (
	Decided   Ruling = "decided"
	Undecided Ruling = "undecided"
)

// End is how a task ended. The zero value is no end.
type End string

// The ends of a task. Missed means that the worker was too late and the task is open again, and
// Returned that it gave its claim back in time.
const (
	Paid     End = "paid"
	Refunded End = "refunded"
	Split    End = "split"
	Gone     End = "gone" // its account is closed, and the end is not known
	Missed   End = "missed"
	Returned End = "returned"
)

// Made says what came of Make.
type Made struct {
	Task    string
	Attempt int
	Result  string // hash in hex; empty if there is none
	Fault   string // why the result would be refused, or why there is none; empty if nothing is wrong
	Unable  bool   // something that may pass, such as a chain that does not answer, kept it from working
	Use     Use
}

// Use is what an agent's models have cost.
type Use struct {
	Tokens int    `json:"tokens"`
	Micros uint64 `json:"cost_micros"` // millionths of a dollar
}

// Weighed says what came of Weigh: the chance, in percent, that the court accepts the result.
type Weighed struct {
	Task   string
	Chance int
	Why    string
	Unable bool // something that may pass, such as a model that does not answer, kept it from telling
	Use    Use
}

// Released says that a claim was given back.
type Released struct{ Task string }

// Withdrawn says that the document of an order is gone, and that the order was never sent.
type Withdrawn struct{ ID string }

// Failed says that an act on the chain failed and will not come true by itself.
type Failed struct {
	Task string // or the item of a creator that has no task yet
	Why  string
}

// Restarted says that nothing runs in the background.
type Restarted struct{}

// Books is a look at the chain and the queue for a creator.
type Books struct {
	Now    int64
	Vault  uint64
	Wallet uint64
	Next   uint64 // the number of its next task
	// Silence is the least seconds from a result until silence pays for it, and Kept the least
	// seconds for which a task that had a case can be seen after its end.
	Silence, Kept int64
	Queue         []Order // in the order in which they should be posted
	Posted        []Posted
}

// Order is an order for work that waits in the queue.
type Order struct {
	ID       string
	Document string // hash of the task's document in hex
	Reward   uint64
	Bond     uint64 // of an objection to its result
	Tokens   Tokens // beside the reward
}

// Tokens are tokens of one kind. The zero value is none.
type Tokens struct {
	Mint   string `json:"mint,omitempty"` // address
	Amount string `json:"amount,omitempty"`
}

// Posted is a task of this creator, as the chain has it.
type Posted struct {
	Number     uint64
	Task       string
	Document   string // hash in hex
	Status     Phase  // Open, Making, Waiting, Disputed, Judged or Over
	Price      uint64
	ObjectBond uint64
	Result     string // hash in hex
	CreatedAt  int64
	Late       bool
	Lost       bool
	Outcome    End
	Ruling     Ruling
}

// Inspected says what came of Check: the chance, in percent, that the court accepts the result.
type Inspected struct {
	ID     string
	Result string
	Chance int
	Why    string
	Unable bool // as in Weighed
	Use    Use
}

func (Market) news()    {}
func (Made) news()      {}
func (Weighed) news()   {}
func (Released) news()  {}
func (Withdrawn) news() {}
func (Failed) news()    {}
func (Restarted) news() {}
func (Books) news()     {}
func (Inspected) news() {}
