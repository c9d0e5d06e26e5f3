package brain

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"ojud/ledger/onchain"
)

// errMalformed means that the data is no account of the program.
var errMalformed = errors.New("brain: not an account of the program of MegaBrain")

// Stage is where a task stands.
type Stage uint8

// The program's states of a task, in the order of its life.
const (
	DrawWorkers    Stage = iota + 1 // waits for the draw of its workers
	Working                         // workers commit to results
	Revealing                       // workers reveal results
	DrawEvaluators                  // waits for the draw of evaluators
	Evaluating                      // evaluators commit to scores
	RevealScores                    // evaluators reveal scores
	AwaitOutcome                    // waits for an outcome
	Posted                          // the outcome may be disputed
	Disputed                        // the court has the dispute
	Ready                           // may be settled
	Settled                         // a cluster was paid
	Inconclusive                    // settled without a cluster
	Expired                         // nobody was drawn
)

// Phase is the TaskStatus of section C.5, as the program's view getTaskState tells it: Created,
// Open, Evaluating, Settled or Disputed.
func (s Stage) Phase() string {
	switch {
	case s == DrawWorkers:
		return "Created"
	case s == Working || s == Revealing:
		return "Open"
	case s == Disputed:
		return "Disputed"
	case s >= Settled:
		return "Settled"
	}
	return "Evaluating"
}

var statusWords = [...]string{
	"", "waits for workers", "workers work", "workers reveal", "waits for evaluators", "evaluators evaluate", "evaluators reveal",
	"waits for an outcome", "outcome posted", "in court", "ready to settle", "settled", "inconclusive", "expired",
}

// String says it in words.
func (s Stage) String() string {
	if int(s) >= len(statusWords) || s == 0 {
		return fmt.Sprintf("status %d", uint8(s))
	}
	return statusWords[s]
}

// Role is what a member does.
type Role uint8

// The roles.
const (
	WorkerRole    Role = 1
	EvaluatorRole Role = 2
)

// Shares are the basis points of a class, and its small numbers.
type Shares struct {
	WorkerPool, EvaluatorPool, BonusPool uint16
	Consensus, Pass, Sigma               uint16
	MaxEvaluators, Effort                uint16
	WorkerStake, EvaluatorStake          uint16
	Missed, LowEffort                    uint16
	Deviation, RubberStamp               uint16
	FreezeDays, RestoreTasks, Extension  uint16
	Poster                               uint16
}

// Times are the seconds of a class.
type Times struct {
	Submission, Evaluation, Dispute, Arbitration, Reveal, Draw uint32
}

// Parameters are the numbers of a class.
type Parameters struct {
	Shares Shares
	Times  Times
	Reject uint16 // basis points of the weight that has to reject a cluster; 0: its mean score decides
	Golden uint16 // the alarm at which an evaluator has stamped; 0: the class has no golden tasks

	MaxWorkers uint16 // how many workers are asked before a task is inconclusive; 0: none is called later
	_          [6]byte
	Bond       uint64
}

// Defaults are those of the specification, appendix A, where it has one.
func Defaults() Parameters {
	return Parameters{
		Shares: Shares{
			WorkerPool: 7000, EvaluatorPool: 2000, BonusPool: 1000, Consensus: 6600, Pass: 50, Sigma: 10, MaxEvaluators: 7, Effort: 1000,
			WorkerStake: 500, EvaluatorStake: 300, Missed: whole, LowEffort: 5000, Deviation: 2500, RubberStamp: 7500, FreezeDays: 30,
			RestoreTasks: 5, Extension: 1000, Poster: 1000,
		},
		Times:  Times{Submission: 86_400, Evaluation: 43_200, Dispute: 21_600, Arbitration: 172_800, Reveal: 3_600, Draw: 600},
		Reject: 8000, MaxWorkers: 7, Bond: 50_000_000,
	}
}

// Head begins every account.
type Head struct {
	Kind    [8]byte
	Version uint8
	Bump    uint8
}

// Treasury is where slashes go.
type Treasury struct {
	Head      Head
	_         [6]byte
	Authority onchain.Address
	Court     onchain.Address // the program that disputes are brought to
	Slashed   uint64          // in all
}

// classHead is a class without its members.
type classHead struct {
	Head       Head
	Count      uint16
	_          [4]byte
	Creator    onchain.Address
	ID         [32]byte
	Parameters Parameters
	Near       [MaxNear]onchain.Address
}

// ClassAccount is a class with its members.
type ClassAccount struct {
	Creator    onchain.Address
	ID         [32]byte
	Parameters Parameters
	Near       []onchain.Address // the classes whose records count in part
	Members    []Member
}

// Member is a worker or an evaluator of a class. State is 0 (a free place), 1 or 2 (leaving).
type Member struct {
	Agent, Operator       onchain.Address
	Stake, Locked, Earned uint64
	Deposits
	ExitSlot                        uint64
	ExitAt, FrozenUntil, LastActive int64
	Reputation, Owed                uint16
	Role                            Role
	State, Restore, Alarm           uint8
	Past                            Past
	Ties
}

// Ties are what binds a member to others, and to near classes.
type Ties struct {
	Surety Surety // what a sponsor put in for it
	Offer  Surety // what it would put in for another, if that agrees
	Links  [MaxNear]Link
}

// Link is where the record of a member in a near class is.
type Link struct {
	Since uint64 // the slot in which somebody showed it
	Place uint16 // from 1; 0: nobody did
	_     [6]byte
}

// Deposits are the last two of a member: how much the last one was, and their slots.
type Deposits struct{ Fresh, Since, Earlier uint64 }

// Surety is what one member, the sponsor, puts in for another. It is over when it ends.
type Surety struct {
	Stake uint64
	Ends  int64  // Unix seconds; 0: nobody ended it
	Since uint64 // the slot in which the other agreed
	Place uint16 // of the other of the two, from 1; 0: there is none
	Share uint16 // basis points of the sponsor's reputation
	_     [4]byte
}

// Past is what a member did in golden tasks, and how tasks ended for it. It has decayed up to a
// month: a period of 30 days.
type Past struct {
	Golden, Outcomes Successes
	Month            uint16
	Pending          uint8 // golden tasks that it failed, and whose opening is not final
	_                [5]byte
}

// Successes is how many tasks there were, and in how many a member succeeded, in thousandths.
type Successes struct{ Good, All uint32 }

// WorkSeat is a worker of a task. State is 0 drawn, 1 committed, 2 revealed, 3 absent.
type WorkSeat struct {
	Agent                  onchain.Address
	Commitment, ResultHash [32]byte
	CommittedAt            int64
	Paid, Slashed          uint64
	Index, Score           uint16
	State, Inside          uint8
	Later                  uint8 // 1: was called when the results of others could be read
	Unheard                uint8 // 1: fewer than half of those who spoke had scored it when further workers were called
}

// Rating is what an evaluator says of a result.
type Rating struct{ Score, Confidence uint8 }

// Evaluator is an evaluator of a task.
type Evaluator struct {
	Agent                      onchain.Address
	Commitment, EvaluationHash [32]byte
	Paid, Slashed              uint64
	Said                       [MaxSeats]Rating
	Index, Reputation          uint16
	State                      uint8
	Later                      uint8 // 1: was called when the scores of others could be read
	Asked                      uint8 // it was asked about so many workers before further ones were called
	Past                       uint8 // see PastSpoke and those after it
}

// Fact is what an outcome says of a worker. Cluster and copy are the number of a worker, from 1.
type Fact struct {
	Complete                   uint16
	Cluster, LowEffort, CopyOf uint8
	_                          uint8
}

// Conclusion is an outcome.
type Conclusion struct {
	Facts    [MaxSeats]Fact
	Rubber   [MaxSeats]uint8
	Evidence [32]byte
}

// Counts are how many a task needs, and how many were drawn.
type Counts struct{ Workers, Evaluators, Seated, Drawn uint8 }

// Parties have to do with a task.
type Parties struct{ Requester, Operator, Class onchain.Address }

// Money is that of a task, in lamports.
type Money struct {
	Budget, WorkerStake, EvaluatorStake, Bond, CounterBond, Paid, Slashed uint64
}

// Clock has the times of a task.
type Clock struct {
	CreatedSlot, SeedSlot                                       uint64
	Deadline, SubmissionDeadline, EvaluationDeadline, SettledAt int64
}

// Marks are the small numbers of a task.
type Marks struct {
	Difficulty                                 uint16
	Extended, Last, Posted, Disputed, Rejected uint8
	Opened                                     uint8
}

// TaskAccount is a task.
type TaskAccount struct {
	Head          Head
	Status        Stage
	Counts        Counts
	Undistributed uint8
	Parties       Parties
	ID, Terms     [32]byte
	Seal          [32]byte // of the right result, if the task is a golden one; opened, the hash of that
	SlotHash      [32]byte
	Poster        onchain.Address
	Disputant     onchain.Address
	Dispute       onchain.Address
	Money         Money
	Clock         Clock
	Marks         Marks
	Appeal        Appeal
	Work          [MaxSeats]WorkSeat
	Judges        [MaxSeats]Evaluator
	Finding       Conclusion
	Counter       Conclusion
}

// Who is not called any more, because too few members were there. Marks.Last adds them.
const (
	LastEvaluator uint8 = 1
	LastWorker    uint8 = 2
)

// Which outcome of a task counts.
const (
	PostedByNobody uint8 = iota
	PostedByPoster
	PostedByDisputant
	CourtUndecided // none: the court did not decide
	ShownInDispute // that of the disputant, with results that were shown in the dispute alone
)

// What an evaluator did in a task before, which Evaluator.Past adds.
const (
	PastLost   uint8 = 2  // it lost a dispute about its outcome
	PastTested uint8 = 4  // it was tested when the seal was opened, and was a member then
	PastFailed uint8 = 16 // and it did not tell right results from wrong ones
)

// Asked reports whether an evaluator was asked about a result before further workers were called,
// and not again.
func (t *TaskAccount) Asked(e, w int) bool {
	return w < int(t.Judges[e].Asked) && t.Work[w].Unheard == 0
}

// Found reports whether an outcome of the task counts.
func (t *TaskAccount) Found() bool {
	return t.Marks.Posted == PostedByPoster || t.Upheld()
}

// Upheld reports whether the outcome of the disputant counts.
func (t *TaskAccount) Upheld() bool {
	return t.Marks.Posted == PostedByDisputant || t.Marks.Posted == ShownInDispute
}

// Where a task has the address of its dispute, and of an appeal.
const (
	DisputeAt = 16 + 3*32 + 4*32 + 2*32
	AppealAt  = DisputeAt + 32 + 7*8 + 6*8 + 8 + 32
)

// raw encodes a value of fixed size.
func raw(v any) ([]byte, error) { return binary.Append(nil, binary.LittleEndian, v) }

// decode reads an account that is exactly as long as v.
func decode(data []byte, v any, head *Head) error {
	name := strings.TrimSuffix(reflect.TypeOf(v).Elem().Name(), "Account")
	if n, err := binary.Decode(data, binary.LittleEndian, v); err != nil || n != len(data) {
		return fmt.Errorf("%w: no %s: %d bytes", errMalformed, name, len(data))
	}
	if head.Kind != discriminator("account", name) || head.Version != Version {
		return fmt.Errorf("%w: no %s", errMalformed, name)
	}
	return nil
}

// Kind begins the accounts of a type, such as "Task".
func Kind(name string) [8]byte { return discriminator("account", name) }

// DecodeTreasury reads the treasury.
func DecodeTreasury(data []byte) (*Treasury, error) {
	var t Treasury
	return &t, decode(data, &t, &t.Head)
}

// DecodeTask reads a task.
func DecodeTask(data []byte) (*TaskAccount, error) {
	var t TaskAccount
	if err := decode(data, &t, &t.Head); err != nil {
		return nil, err
	}
	if c := t.Counts; max(c.Seated, c.Drawn) > MaxSeats || t.Status < DrawWorkers || t.Status > Expired {
		return nil, fmt.Errorf("%w: %d workers, %d evaluators, %v", errMalformed, c.Drawn, c.Seated, t.Status)
	}
	return &t, nil
}

// DecodeClass reads a class and its members.
func DecodeClass(data []byte) (*ClassAccount, error) {
	var head classHead
	n, err := binary.Decode(data, binary.LittleEndian, &head)
	if err != nil || head.Head.Kind != discriminator("account", "Class") || head.Head.Version != Version {
		return nil, fmt.Errorf("%w: no Class", errMalformed)
	}
	size := binary.Size(Member{})
	if rest := len(data) - n; rest != int(head.Count)*size {
		return nil, fmt.Errorf("%w: a class of %d members in %d bytes", errMalformed, head.Count, rest)
	}
	c := &ClassAccount{Creator: head.Creator, ID: head.ID, Parameters: head.Parameters, Members: make([]Member, head.Count)}
	for _, key := range head.Near {
		if !key.IsZero() {
			c.Near = append(c.Near, key)
		}
	}
	err = binary.Read(bytes.NewReader(data[n:]), binary.LittleEndian, c.Members)
	return c, err
}
