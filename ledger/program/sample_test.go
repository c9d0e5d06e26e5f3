package program

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// The world of the golden vectors. Every value is different, so that two fields that are mixed up
// show.

func pub(name string) onchain.Address { return onchain.Address(sha256.Sum256([]byte("key " + name))) }

func sum(name string) voting.Hash { return sha256.Sum256([]byte("hash " + name)) }

// node returns the node key of a name.
func node(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("node " + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func peer(name string) voting.Key { return voting.Key(node(name).Public().(ed25519.PublicKey)) }

func sampleProgram() Program { return New(pub("program")) }

func domain() voting.Domain {
	return voting.Domain{Network: sum("network"), Program: voting.Key(pub("program"))}
}

func sampleParams() Params {
	p := DefaultParams()
	p.MaxJudges = MaxJudges
	return p
}

// oddParams differ in every field from each other, not only from the defaults.
func oddParams() Params {
	return Params{
		MinStake: 1_000_000_007, MaxSeatWeight: 1 << 50, FeeMin: 1_000_003, MinReward: 1_000_019,
		CommitSeconds: 421, RevealSeconds: 181, VerifySeconds: 28_801, AnswerSeconds: 28_802, CooldownSeconds: 172_801,
		DrawSeconds: 1_801, EvidenceSeconds: 86_401, MinWorkSeconds: 61, SeasonSeconds: 85_403, AppealSeconds: 3_602, FeeBps: 11, CreatorBps: 2_001, WorkerBps: 1_001, RiskBps: 999,
		GoldenGain: 12, GoldenLoss: 5, Absence: 3, Minority: 9, Preset: 2, MaxJudges: 10_239, DrawDelaySlots: 3, TradeBps: 52, ClaimBps: 202, CoverBps: 502, Reversal: 19, MaxRounds: 2, PanelSeats: 27, MinSeats: 8, MaxReworks: 4,
		LeafFee: 27_000_001, BatchSeconds: 43_199, ChallengeSeconds: 14_401, GoldenBps: 1_003, Credential: 1,
	}
}

type namedAccount struct {
	name string
	Account
}

func sampleAccounts() []namedAccount {
	return []namedAccount{
		{"config", &Config{Bump: 255, Rules: 1, Authority: pub("config authority"), AgentCount: 3, Network: sum("network")}},
		{"config_paused", &Config{Bump: 254, Paused: 1, Listed: 1, Rules: 0x01020304, Authority: pub("config authority"), PendingAuthority: pub("next authority"),
			AgentCount: 0x0102030405060708, ResumedAt: 1_790_000_099, PausedAt: 1_790_000_101, PausedSeconds: 0x21222324, Network: sum("network")}},
		{"rules_default", &Rules{Bump: 243, Number: 1, From: 1_790_000_000, Params: sampleParams()}},
		{"rules_odd", &Rules{Bump: 242, Number: 0x01020304, From: 1_790_000_001, Until: 1_790_172_801, Params: oddParams()}},
		{"registry_page_empty", &RegistryPage{Bump: 253}},
		{"registry_page", &RegistryPage{Bump: 252, Page: 0x01020304, Entries: []RegistryEntry{
			{pub("creator"), pub("creator agent")}, {pub("worker"), pub("worker agent")}, {pub("third"), pub("third agent")}}}},
		{"agent", &Agent{Bump: 251, Page: 7, Authority: pub("creator"), Operator: pub("operator"), CardHash: sum("card"),
			Vault: 5_000_000_001, RegisteredAt: 1_790_000_001, TasksCreated: 11, TasksClaimed: 12, TasksPaid: 13, TasksMissed: 14,
			CasesWon: 15, CasesLost: 16}},
		{"agent_data_empty", &AgentData{Bump: 250, Authority: pub("creator"), Name: "a", UpdatedAt: -1}},
		{"agent_data", &AgentData{Bump: 249, Authority: pub("creator"), Name: "memory.of-agent_0123456789abcdef", UpdatedAt: 1_790_000_002,
			Grants:  []DataGrant{{pub("task"), pub("worker"), GrantRead | GrantWrite}, {pub("other task"), onchain.Address{}, GrantRead}},
			Content: []byte("the bytes of the agent\x00")}},
		{"task_created", createdTask()},
		{"task_judiciary", judiciaryTask()},
		{"task_undecided", undecidedTask()},
		{"task_engine", engineTask()},
		{"task_dispute", disputeTask()},
		{"roster_empty", &Roster{Bump: 248}},
		{"roster", sampleRoster()},
		{"case_draw", drawCase()},
		{"case_reveal", revealCase()},
		{"case_decided", decidedCase()},
		{"case_appealable", appealableCase()},
		{"case_appealed", appealedCase()},
		{"pot", &Pot{Bump: 243, Golden: 0x0102030405060708, Batches: 0x1112131415161718, Allowance: 0x2122232425262728}},
		{"admission", &Admission{Bump: 241, Judge: pub("judge 0"), Payer: pub("config authority")}},
		{"pledge", &Pledge{Bump: 239, WorkerPaid: 1, Task: pub("task"), Mint: pub("mint"), Amount: 0x0102030405060708}},
		{"proctor", &Proctor{Bump: 240, Proctor: pub("proctor"), Payer: pub("config authority")}},
		{"batch", sampleBatch()},
		{"verdict", sampleVerdict()},
		{"channel", &Channel{Bump: 244, Payer: pub("judge 0"), Payee: pub("holder"), Paid: 0x0102030405060708}},
	}
}

func createdTask() *Task {
	return &Task{
		Bump: 247, Status: Created, Auction: voting.ReverseDutch, OnUndecided: voting.SplitEscrow, ID: 0x1112131415161718,
		Creator: pub("creator"), CreatorOperator: pub("operator"), TaskHash: sum("task"),
		RewardMin: 2_000_000_001, RewardMax: 3_000_000_002, Escrow: 3_000_000_002,
		CreatedAt: 1_790_000_003, ClaimBy: 1_790_086_403, AuctionSeconds: 3_601, WorkSeconds: 7_201, TradeBps: 53, ClaimBps: 203,
		AuctionFrom: 1_790_000_013, ReleasedSeconds: 17, Rules: 0x01020304, Seal: sum("seal"), Seats: 14, FeeMin: 2_000_011,
	}
}

func judiciaryTask() *Task {
	t := createdTask()
	t.Status = Judiciary
	t.Worker, t.WorkerOperator, t.LastWorker = pub("worker"), pub("worker operator"), pub("last worker")
	t.ResultHash, t.ObjectionHash, t.CounterHash = sum("result"), sum("objection"), sum("counter")
	t.Reward, t.Escrow, t.CreatorBond, t.WorkerBond = 2_500_000_003, 2_500_000_004, 125_000_005, 125_000_006
	t.SubmittedAt, t.Reworks, t.Claims = 1_790_007_204, 2, 3
	t.ClaimBond, t.ClaimedAt, t.AuctionRun = 60_000_007, 1_790_004_005, 3_001
	return t
}

// engineTask is a task that waits for another program.
func engineTask() *Task {
	t := judiciaryTask()
	t.Deadline, t.OnSilence = 1_790_095_004, EndByTerm
	t.Engine, t.EngineGroup, t.EngineAgent = pub("engine"), pub("engine group"), pub("engine agent")
	t.EngineFee, t.EngineSeconds = 4_000_001, 86_401
	return t
}

// disputeTask is a dispute of others whose respondent has answered.
func disputeTask() *Task {
	unanswered, unreplied := disputeHashes()
	return &Task{
		Bump: 230, Status: Judiciary, OnUndecided: voting.SplitEscrow, Dispute: DisputeJoined,
		Creator: pub("respondent"), Worker: pub("claimant"), WorkerOperator: pub("friend"),
		TaskHash: sum("terms"), ResultHash: sum("claim"), ObjectionHash: unanswered, CounterHash: unreplied,
		RewardMin: 2_000_000_021, RewardMax: 2_000_000_021, Reward: 2_000_000_021, WorkerBond: 28_000_001,
		CreatedAt: 1_790_000_031, Deadline: 1_790_028_831, TradeBps: 53, Rules: 0x01020304, Seats: 14,
	}
}

func undecidedTask() *Task {
	t := judiciaryTask()
	t.Status, t.Outcome, t.Resolution, t.Auction, t.OnUndecided = Undecided, voting.Split, ByUndecided, voting.FirstCome, voting.PayWorker
	t.Escrow, t.CreatorBond, t.WorkerBond, t.ClaimBond, t.FinishedAt, t.Deadline = 0, 0, 0, 0, 1_790_009_999, 1_790_000_777
	return t
}

// sampleRoster has five judges: active, exiting, free, with an operator, a party.
func sampleRoster() *Roster {
	entry := func(name string, n uint64, state EntryState) RosterEntry {
		return RosterEntry{
			Authority: pub(name), Peer: peer(name), Operator: pub(name + " operator"), Withdraw: pub(name + " withdraw"),
			Stake: 2_000_000_000 + n, Rewards: 3_000 + n,
			Locked: 4_000 + n, ExitAt: 5_000 + int64(n), JoinedAt: 6_000 + int64(n), Seated: uint32(700 + n), Majority: uint32(800 + n),
			Minority: uint32(900 + n), Absent: uint32(1_000 + n), Abstained: uint32(1_100 + n), Equivocated: uint32(1_200 + n),
			Live: uint16(n + 1), State: state, Right: uint8(20 + n), Wrong: uint8(10 + n), Seen: uint8(40 + n), Since: uint8(50 + n), Owned: OwnWeight | ownWeightBefore, Weight: 1_999_999_000 + n,
			WeightBefore: 1_888_888_000 + n, ExitSlot: 400_000_100 + n,
		}
	}
	return &Roster{
		Bump: 246, Active: 3, Season: 1_793, TotalStake: 8_000_000_001, TotalRewards: 12_002, Weight: 7_999_996_008, SeasonAt: 1_790_000_500,
		SeasonSlot: 399_999_001, BeforeSlot: 399_784_002, Pages: [80]uint64{7_999_996_008, 2, 3, 79: 4}, PagesBefore: [80]uint64{7_555_552_008, 6, 7, 79: 8},
		Entries: []RosterEntry{entry("judge 0", 0, EntryActive), entry("judge 1", 1, EntryExiting), {},
			entry("judge 3", 3, EntryActive), entry("worker", 4, EntryActive)},
	}
}

func drawCase() *Case {
	return &Case{
		Bump: 245, Status: voting.AwaitingDraw, Round: 1, Rules: oddParams().Rules(2_750_003), Task: pub("task"), Payer: pub("worker"),
		OpenedAt: 1_790_008_000, SeedSlot: 400_000_001, DrawBy: 1_790_009_801, GoldenBps: 1_003, MinStake: 1_000_000_007, MaxSeatWeight: 1 << 50,
	}
}

// revealCase has 28 seats, the most there can be, with every choice and flag.
func revealCase() *Case {
	c := drawCase()
	c.Status, c.Round, c.Committed, c.Revealed = voting.Revealing, 2, 27, 21
	c.Rules.PanelSeats = voting.MaxSeats
	c.DrawnSlot, c.SlotHash, c.CommitEnds, c.RevealEnds = 400_000_003, sum("slot"), 1_790_008_500, 1_790_008_681
	c.SeatedWeight, c.AcceptWeight, c.RejectWeight, c.AbstainWeight = 28_000_000_378, 7_001, 7_002, 7_003
	for i := range voting.MaxSeats {
		s := Seat{Judge: pub("seat " + string(rune('A'+i))), Weight: 1_000_000_000 + uint64(i), Index: uint16(300 + i)}
		if i > 0 {
			s.Flags, s.Commitment = SeatCommitted, sum("commitment "+string(rune('A'+i)))
		}
		if i > 6 {
			s.Flags, s.Choice = s.Flags|SeatRevealed, voting.Choice(i%3+1)
		}
		if i == 27 {
			s.Flags |= SeatEquivocated
		}
		c.Seats = append(c.Seats, s)
	}
	return c
}

func decidedCase() *Case {
	c := revealCase()
	c.Status, c.Verdict, c.SettledAt, c.Level = voting.Decided, voting.ForCreator, 1_790_008_700, 1
	c.Seats = c.Seats[:7]
	c.Committed, c.Revealed = 6, 0
	c.Golden, c.Applied, c.Batch = voting.Reject, 1, 0x2122232425262728
	for i := range c.Seats {
		c.Seats[i].Result = voting.Result(i)
		c.Seats[i].Slashed, c.Seats[i].Earned = uint64(500+i), uint64(600+i)
	}
	return c
}

// appealableCase is one whose first panel has a verdict.
func appealableCase() *Case {
	c := decidedCase()
	c.Status, c.SettledAt, c.AppealBy = voting.Appealable, 0, 1_790_012_300
	for i := range c.Seats {
		c.Seats[i].Slashed, c.Seats[i].Earned = 0, 0
		if i%2 == 1 {
			c.Seats[i].Flags |= SeatHeld
		}
	}
	return c
}

// appealedCase is one in the second round of its appeal, which has 21 seats.
func appealedCase() *Case {
	first, c := appealableCase(), revealCase()
	c.Round, c.Verdict, c.AppealBy = 4, first.Verdict, first.AppealBy
	c.First, c.FirstRound, c.FirstVerdict, c.AppealSeats, c.Season = first.Seats, 2, first.Verdict, 21, 253
	c.FirstSeatedWeight, c.FirstAcceptWeight, c.FirstRejectWeight, c.FirstAbstainWeight = 7_000_000_042, 8_001, 8_002, 8_003
	c.AppealRent, c.Appellant = 14_031_369, pub("worker")
	c.Seats, c.Committed, c.Revealed = c.Seats[:19], 18, 12
	return c
}

// sampleVerdict is that of judiciaryTask and decidedCase.
func sampleVerdict() *VerdictAccount {
	return &VerdictAccount{
		Bump: 241, IsFinal: 1, Verdict: voting.ForCreator, Level: 1, Round: 2, Subject: pub("task"), DecidedAt: 1_790_008_700,
		AcceptWeight: 7_001, RejectWeight: 7_002, AbstainWeight: 7_003, SeatedWeight: 28_000_000_378,
		Facts:   sampleProgram().Facts(judiciaryTask(), decidedCase()),
		Creator: judiciaryTask().Creator, Worker: judiciaryTask().Worker, ResultHash: judiciaryTask().ResultHash, Reward: judiciaryTask().Reward,
	}
}

// sampleBatch has two leaves, of which one is open.
func sampleBatch() *Batch {
	return &Batch{
		Bump: 239, Leaves: 11, Number: 0x2122232425262728, Proctor: pub("proctor"), Root: sum("root"), Deposit: 6_160_000_001, Earned: 28_000_002,
		Exposed: 560_000_003, CommittedAt: 1_790_000_004, OpenBy: 1_790_043_204, CompleteAt: 1_790_030_005, KeepUntil: 1_790_086_404,
		LeafFee: 28_000_006, ChallengeSeconds: 14_401, Opened: 10, Void: 1, Accepts: 5, Applied: 3, Open: voting.Hash{0xff, 0x03},
	}
}

func sampleOpening() voting.Opening {
	return voting.Opening{Choice: voting.Reject, Opinion: sum("opinion"), Receipts: sum("receipts"), Salt: sum("salt")}
}

func sign(t testing.TB, name string, message []byte) voting.Signature {
	t.Helper()
	return voting.Signature(ed25519.Sign(node(name), message))
}
