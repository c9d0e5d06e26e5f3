package brain

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"ojud/ledger/onchain"
)

// spec is an instruction: its accounts with their roles (s signs, w is written to), and its
// arguments.
type spec struct {
	name, doc, accounts string
	args                any
}

// The arguments of the instructions.
type (
	// Init names the court.
	Init struct{ Court onchain.Address }
	// WithdrawTreasury pays slashes out.
	WithdrawTreasury struct{ Amount uint64 }
	// CreateClass makes a class.
	CreateClass struct {
		ID         [32]byte
		Parameters Parameters
		Near       []byte // keys of classes whose records count in part, one after the other
	}
	// Register joins a class, or adds to the stake.
	Register struct {
		Role     Role
		Operator onchain.Address
		Stake    uint64
	}
	// Vouch offers to stand in for another member.
	Vouch struct {
		Role  Role
		Agent onchain.Address
		Stake uint64
		Share uint16 // basis points of the sponsor's reputation
	}
	// Agree takes such an offer.
	Agree struct {
		Role    Role
		Sponsor onchain.Address
	}
	// Release takes an offer back, or ends what was agreed.
	Release struct {
		Role           Role
		Sponsor, Agent onchain.Address
	}
	// LinkArgs shows where a member's record in a near class is.
	LinkArgs struct {
		Role  Role
		Agent onchain.Address
	}
	// CreateTask makes a task.
	CreateTask struct {
		TaskID             [32]byte
		WorkerCount        uint8
		EvaluatorCount     uint8
		TotalBudget        uint64
		WorkerStake        uint64
		EvaluatorStake     uint64
		SubmissionDeadline int64
		Difficulty         uint16 // hundredths
		Undistributed      uint8  // 0: to the requester; 1: to the treasury
		Seal               [32]byte
		Operator           onchain.Address
		Description        string
		Metadata           []byte
	}
	// ExtendTask gives workers more time.
	ExtendTask struct {
		Seconds uint32
		Budget  uint64
	}
	// SubmitResult reveals a result.
	SubmitResult struct {
		ResultHash [32]byte
		Summary    string
		Proof      []byte
		Salt       [32]byte
	}
	// SubmitEvaluation reveals evaluations: scores has pairs of score and confidence.
	SubmitEvaluation struct {
		Scores         []byte
		EvaluationHash [32]byte
		Metadata       []byte
		Salt           [32]byte
	}
	// OutcomeArgs is what the chain cannot compute.
	OutcomeArgs struct {
		Facts    []byte // five bytes a worker: complete u16, cluster, low_effort, copy_of
		Rubber   []byte // a byte an evaluator
		Evidence [32]byte
	}
	// DisputeResult brings another outcome to the court.
	DisputeResult struct {
		DisputedWorker   onchain.Address
		Outcome          OutcomeArgs
		Rationale        string
		ArbitrationStake uint64
	}
	// OpenGolden shows the right result of a golden task, by its hash.
	OpenGolden struct {
		Answer, Salt [32]byte
	}
	// AppealGolden brings what a golden task says of the result of a worker, counted from 1, to the
	// court. The claim is the hash of a document.
	AppealGolden struct {
		Worker uint8
		Claim  [32]byte
		Stake  uint64
	}
	roleArg       struct{ Role Role }
	commitmentArg struct{ Commitment [32]byte }
	workerArg     struct{ Worker onchain.Address }
	agentArg      struct{ Agent onchain.Address }
)

// specs are the instructions, in the order of the program.
var specs = []spec{
	{"init", "Makes the Treasury, once, and names the court. Only the program's upgrade authority may.",
		"authority sw, treasury w, program_data, system", Init{}},
	{"withdraw_treasury", "Pays slashes out. Only the treasury's authority may.", "authority s, treasury w, to w", WithdrawTreasury{}},
	{"create_class", "Makes a task class. Anybody may; nothing changes its numbers.", "creator sw, class w, system", CreateClass{}},
	{"register", "Registers for a class in a role, or adds to the stake once in 600 slots. An operator that is named signs behind the other accounts.",
		"agent sw, class w, system", Register{}},
	{"leave", "Begins to leave a class.", "agent s, class w", roleArg{}},
	{"withdraw", "Pays a member what it earned, and its stake if it has left.", "agent sw, class w", roleArg{}},
	{"vouch", "Offers to stand in for another member with a stake and a share of the reputation.", "sponsor sw, class w, system", Vouch{}},
	{"agree", "Takes the offer of a sponsor.", "agent s, class w", Agree{}},
	{"release", "Takes an offer back, or ends in 30 days what was agreed. Sponsor and agent both may.", "signer s, class w", Release{}},
	{"link", "Shows where a member's record in a near class is, so that it counts in part. Anyone may send it.", "class w, near", LinkArgs{}},
	{"create_task", "C.1 createTask. An operator that is named signs behind the other accounts.", "requester sw, class, task w, system", CreateTask{}},
	{"extend_task", "Gives workers more time for more budget, once.", "requester sw, class, task w, system", ExtendTask{}},
	{"draw", "Seats workers or evaluators by a slot hash. The near classes stand behind the other accounts. Anyone may send it.", "class w, task w", nil},
	{"advance", "Ends a phase whose time is over. Anyone may send it.", "class, task w", nil},
	{"commit_result", "A worker commits to its result.", "worker s, class, task w", commitmentArg{}},
	{"submit_result", "C.2 submitResult, which opens the commitment.", "worker s, class, task w", SubmitResult{}},
	{"commit_evaluation", "An evaluator commits to what it says of all results.", "evaluator s, class, task w", commitmentArg{}},
	{"submit_evaluation", "C.3 submitEvaluation for all results, which opens the commitment.", "evaluator s, class, task w", SubmitEvaluation{}},
	{"post_outcome", "An evaluator posts the outcome with a bond: 3 % of the budget, and at least that of the class.", "evaluator sw, class, task w, system", OutcomeArgs{}},
	{"dispute_result", "C.4 disputeResult: brings another outcome to the court by its open_dispute.",
		"disputant sw, class, task w, treasury, system, court, config, rules, roster, dispute w, verdict w", DisputeResult{}},
	{"resolve_dispute", "Ends a dispute or an appeal by the court's verdict. After a rejection there may be another one. Anyone may send it.",
		"class, task w, treasury w, verdict, disputant w", nil},
	{"settle_task", "C.4 settleTask. Anyone may send it.", "class w, task w, treasury w", nil},
	{"open_golden", "Shows the right result of a settled golden task, by its hash, with the bond of an outcome. Only the class's creator may.",
		"creator sw, class w, task w, system", OpenGolden{}},
	{"appeal_golden", "Brings an opened golden task to the court by its open_dispute. Who failed it may.",
		"appellant sw, class, task w, treasury, system, court, config, rules, roster, dispute w, verdict w", AppealGolden{}},
	{"end_golden", "Ends an opened golden task when nobody may appeal any more. Anyone may send it.", "class w, task w, treasury w, creator w", nil},
	{"close_task", "Closes a task that is over: what nobody earned, and the rent, go back.", "requester sw, task w", nil},
	{"get_task_state", "C.5: return data is status u8, submission_deadline i64, evaluation_deadline i64, remaining_budget u64.", "task", nil},
	{"get_task_participants", "C.5: return data is the keys of workers and of evaluators, each behind a number u32.", "task", nil},
	{"get_result", "C.5: return data is result_hash, final_score u8, in_consensus u8, payment u64.", "task", workerArg{}},
	{"get_reputation", "C.5: return data is worker_score u64, evaluator_score u64, last_active i64. The near classes stand behind the class.", "class", agentArg{}},
}

// role is an account of an instruction.
type role struct {
	name             string
	signer, writable bool
}

func (s spec) roles() []role {
	var out []role
	for _, part := range strings.Split(s.accounts, ", ") {
		name, marks, _ := strings.Cut(part, " ")
		out = append(out, role{name, strings.Contains(marks, "s"), strings.Contains(marks, "w")})
	}
	return out
}

// call builds an instruction. The addresses are those of its accounts without the System program,
// and those behind them, which sign.
func (p Megabrain) call(name string, args any, at ...onchain.Address) onchain.Instruction {
	for _, s := range specs {
		if s.name != name {
			continue
		}
		kind := discriminator("global", name)
		out := onchain.Instruction{Program: p.id, Data: append([]byte(nil), kind[:]...)}
		if args != nil {
			out.Data = appendArgs(out.Data, reflect.ValueOf(args))
		}
		for _, r := range s.roles() {
			if r.name == "system" {
				out.Accounts = append(out.Accounts, onchain.AccountMeta{Address: onchain.SystemProgram()})
				continue
			}
			out.Accounts = append(out.Accounts, onchain.AccountMeta{Address: at[0], Signer: r.signer, Writable: r.writable})
			at = at[1:]
		}
		for _, key := range at {
			out.Accounts = append(out.Accounts, onchain.AccountMeta{Address: key, Signer: true})
		}
		return out
	}
	panic("brain: no instruction " + name)
}

// appendArgs encodes arguments as Borsh does.
func appendArgs(data []byte, v reflect.Value) []byte {
	switch kind := v.Kind(); {
	case kind == reflect.Struct && binary.Size(v.Interface()) < 0:
		for i := range v.NumField() {
			data = appendArgs(data, v.Field(i))
		}
		return data
	case kind == reflect.String:
		data = binary.LittleEndian.AppendUint32(data, uint32(v.Len()))
		return append(data, v.String()...)
	case kind == reflect.Slice:
		data = binary.LittleEndian.AppendUint32(data, uint32(v.Len()))
		return append(data, v.Bytes()...)
	}
	out, err := binary.Append(data, binary.LittleEndian, v.Interface())
	if err != nil {
		panic(fmt.Sprintf("brain: %v", err))
	}
	return out
}

// operators are the keys that sign besides an agent's.
func operators(agent, operator onchain.Address) []onchain.Address {
	if operator.IsZero() || operator == agent {
		return nil
	}
	return []onchain.Address{operator}
}

// Init builds the first instruction. The upgrade authority signs.
func (p Megabrain) Init(authority onchain.Address, i Init) onchain.Instruction {
	return p.call("init", i, authority, p.Treasury(), p.ProgramData())
}

// WithdrawTreasury builds the payment of slashes to a wallet.
func (p Megabrain) WithdrawTreasury(authority, to onchain.Address, i WithdrawTreasury) onchain.Instruction {
	return p.call("withdraw_treasury", i, authority, p.Treasury(), to)
}

// CreateClass builds the making of a class.
func (p Megabrain) CreateClass(creator onchain.Address, i CreateClass) onchain.Instruction {
	return p.call("create_class", i, creator, p.Class(creator, i.ID))
}

// Register builds the joining of a class.
func (p Megabrain) Register(agent, class onchain.Address, i Register) onchain.Instruction {
	return p.call("register", i, append([]onchain.Address{agent, class}, operators(agent, i.Operator)...)...)
}

// Leave builds the leaving of a class.
func (p Megabrain) Leave(agent, class onchain.Address, r Role) onchain.Instruction {
	return p.call("leave", roleArg{r}, agent, class)
}

// Withdraw builds the payment of a member.
func (p Megabrain) Withdraw(agent, class onchain.Address, r Role) onchain.Instruction {
	return p.call("withdraw", roleArg{r}, agent, class)
}

// Vouch builds the offer of a sponsor.
func (p Megabrain) Vouch(sponsor, class onchain.Address, i Vouch) onchain.Instruction {
	return p.call("vouch", i, sponsor, class)
}

// Agree builds the taking of an offer.
func (p Megabrain) Agree(agent, class onchain.Address, i Agree) onchain.Instruction {
	return p.call("agree", i, agent, class)
}

// Release builds the end of an offer, or of what was agreed.
func (p Megabrain) Release(signer, class onchain.Address, i Release) onchain.Instruction {
	return p.call("release", i, signer, class)
}

// CreateTask builds the creation of a task.
func (p Megabrain) CreateTask(requester, class onchain.Address, i CreateTask) onchain.Instruction {
	return p.call("create_task", i, append([]onchain.Address{requester, class, p.Task(requester, i.TaskID)}, operators(requester, i.Operator)...)...)
}

// ExtendTask builds the extension of a task.
func (p Megabrain) ExtendTask(requester, class, task onchain.Address, i ExtendTask) onchain.Instruction {
	return p.call("extend_task", i, requester, class, task)
}

// Keys are addresses one after the other, as the making of a class has near ones.
func Keys(all []onchain.Address) (out []byte) {
	for _, key := range all {
		out = append(out, key[:]...)
	}
	return out
}

// Link builds the showing of a record in a near class.
func (p Megabrain) Link(class, near onchain.Address, i LinkArgs) onchain.Instruction {
	return p.call("link", i, class, near)
}

// Draw builds the draw of workers or evaluators. It needs the near classes of the class.
func (p Megabrain) Draw(class, task onchain.Address, near []onchain.Address) onchain.Instruction {
	return reading(p.call("draw", nil, class, task), near)
}

// reading adds accounts that are read.
func reading(i onchain.Instruction, more []onchain.Address) onchain.Instruction {
	for _, key := range more {
		i.Accounts = append(i.Accounts, onchain.AccountMeta{Address: key})
	}
	return i
}

// Advance builds the end of a phase.
func (p Megabrain) Advance(class, task onchain.Address) onchain.Instruction {
	return p.call("advance", nil, class, task)
}

// CommitResult builds the commitment to a result.
func (p Megabrain) CommitResult(worker, class, task onchain.Address, s SubmitResult) onchain.Instruction {
	return p.call("commit_result", commitmentArg{ResultCommitment(task, worker, s)}, worker, class, task)
}

// SubmitResult builds the opening of a result.
func (p Megabrain) SubmitResult(worker, class, task onchain.Address, s SubmitResult) onchain.Instruction {
	return p.call("submit_result", s, worker, class, task)
}

// CommitEvaluation builds the commitment to evaluations.
func (p Megabrain) CommitEvaluation(evaluator, class, task onchain.Address, s SubmitEvaluation) onchain.Instruction {
	return p.call("commit_evaluation", commitmentArg{EvaluationCommitment(task, evaluator, s)}, evaluator, class, task)
}

// SubmitEvaluation builds the opening of evaluations.
func (p Megabrain) SubmitEvaluation(evaluator, class, task onchain.Address, s SubmitEvaluation) onchain.Instruction {
	return p.call("submit_evaluation", s, evaluator, class, task)
}

// PostOutcome builds the posting of an outcome.
func (p Megabrain) PostOutcome(evaluator, class, task onchain.Address, o OutcomeArgs) onchain.Instruction {
	return p.call("post_outcome", o, evaluator, class, task)
}

// CourtAccounts are the accounts of the court that a dispute needs.
type CourtAccounts struct{ Program, Config, Rules, Roster, Dispute, Verdict onchain.Address }

// DisputeResult builds the bringing of another outcome to the court.
func (p Megabrain) DisputeResult(disputant, class, task onchain.Address, at CourtAccounts, i DisputeResult) onchain.Instruction {
	return p.call("dispute_result", i, disputant, class, task, p.Treasury(), at.Program, at.Config, at.Rules, at.Roster, at.Dispute, at.Verdict)
}

// ResolveDispute builds the end of a dispute by a verdict.
func (p Megabrain) ResolveDispute(class, task, verdict, disputant onchain.Address) onchain.Instruction {
	return p.call("resolve_dispute", nil, class, task, p.Treasury(), verdict, disputant)
}

// SettleTask builds the settlement.
func (p Megabrain) SettleTask(class, task onchain.Address) onchain.Instruction {
	return p.call("settle_task", nil, class, task, p.Treasury())
}

// CloseTask builds the closing of a task.
func (p Megabrain) CloseTask(requester, task onchain.Address) onchain.Instruction {
	return p.call("close_task", nil, requester, task)
}

// GetTaskState builds the first view.
func (p Megabrain) GetTaskState(task onchain.Address) onchain.Instruction {
	return p.call("get_task_state", nil, task)
}

// GetTaskParticipants builds the second view.
func (p Megabrain) GetTaskParticipants(task onchain.Address) onchain.Instruction {
	return p.call("get_task_participants", nil, task)
}

// GetResult builds the third view.
func (p Megabrain) GetResult(task, worker onchain.Address) onchain.Instruction {
	return p.call("get_result", workerArg{worker}, task)
}

// GetReputation builds the fourth view. It needs the near classes of the class.
func (p Megabrain) GetReputation(class, agent onchain.Address, near []onchain.Address) onchain.Instruction {
	return reading(p.call("get_reputation", agentArg{agent}, class), near)
}

// Outcome encodes a finding about so many workers and evaluators.
func (f Conclusion) Outcome(workers, evaluators int) OutcomeArgs {
	o := OutcomeArgs{Rubber: append([]byte(nil), f.Rubber[:evaluators]...), Evidence: f.Evidence}
	for _, fact := range f.Facts[:workers] {
		o.Facts = binary.LittleEndian.AppendUint16(o.Facts, fact.Complete)
		o.Facts = append(o.Facts, fact.Cluster, fact.LowEffort, fact.CopyOf)
	}
	return o
}
