package program

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// version is the number of a version of the rules.
const version uint32 = 0x01020304

// call is an instruction as a client sends it: the last of the list; before it comes what it needs.
type call struct {
	name string
	list []onchain.Instruction
}

func (c call) last() onchain.Instruction { return c.list[len(c.list)-1] }

func sampleCalls(t testing.TB) []call {
	t.Helper()
	p := sampleProgram()
	creator, worker, task := pub("creator"), pub("worker"), pub("task")
	one := func(name string, i onchain.Instruction) call { return call{name, []onchain.Instruction{i}} }
	data, err := p.Data(creator, "memory")
	if err != nil {
		t.Fatal(err)
	}
	owned, err := p.WriteData(creator, creator, onchain.Address{}, WriteData{DataName: "memory", Len: 5, Bytes: []byte("hello")})
	if err != nil {
		t.Fatal(err)
	}
	granted, err := p.WriteData(worker, creator, task, WriteData{DataName: "memory", Offset: 3, Len: 5, Bytes: []byte{0xff}})
	if err != nil {
		t.Fatal(err)
	}
	calls := []call{
		one("init_config", p.InitConfig(pub("config authority"), InitConfig{sum("network"), 1, oddParams()})),
		one("propose_rules", p.ProposeRules(pub("config authority"), 0x01020304, ProposeRules{oddParams()})),
		one("withdraw_rules", p.WithdrawRules(pub("config authority"), 0x01020304)),
		one("propose_authority", p.ProposeAuthority(pub("config authority"), ProposeAuthority{pub("next authority")})),
		one("accept_authority", p.AcceptAuthority(pub("next authority"))),
		one("give_up", p.GiveUp(pub("config authority"))),
		one("pause", p.Pause(pub("config authority"), Pause{1})),
		one("open_court", p.OpenCourt(pub("config authority"))),
		one("admit_judge", p.AdmitJudge(pub("config authority"), AdmitJudge{pub("judge 0")})),
		one("revoke_admission", p.RevokeAdmission(pub("config authority"), pub("judge 0"), pub("friend"))),
		one("admit_proctor", p.AdmitProctor(pub("config authority"), AdmitProctor{pub("proctor")})),
		one("revoke_proctor", p.RevokeProctor(pub("config authority"), pub("proctor"), pub("friend"))),
		one("register_agent", p.RegisterAgent(creator, RegisterAgent{pub("operator"), sum("card"), 0x01020304})),
		one("register_agent_alone", p.RegisterAgent(creator, RegisterAgent{onchain.Address{}, sum("card"), 0x01020304})),
		one("update_agent", p.UpdateAgent(creator, onchain.Address{}, UpdateAgent{pub("operator"), sum("card")})),
		one("update_agent_same_operator", p.UpdateAgent(creator, pub("operator"), UpdateAgent{pub("operator"), sum("card")})),
		one("deposit", p.Deposit(pub("friend"), creator, Deposit{0x0102030405060708})),
		one("withdraw", p.Withdraw(creator, Withdraw{0x1112131415161718})),
		one("withdraw_tokens", TokenAccounts{pub("mint"), pub("token account"), pub("own token account"), pub("token program")}.Withdraw(p, creator, 0x2122232425262728)),
		one("pledge_tokens", TokenAccounts{pub("mint"), pub("token account"), pub("holding"), pub("token program")}.Pledge(p, creator, task, 0x3132333435363738)),
		one("pay_pledge", TokenAccounts{pub("mint"), pub("holding"), pub("token account"), pub("token program")}.PayPledge(p, task, creator, worker)),
		one("write_data", owned),
		one("write_data_granted", granted),
		one("grant", p.Grant(creator, data, Grant{task, worker, GrantRead | GrantWrite})),
		one("revoke", p.Revoke(creator, data, pub("third"), Revoke{task, worker, 0x0102030405060708})),
		one("close_data", p.CloseData(creator, data)),
		one("create_task", p.CreateTask(creator, 0x0102030405060708, version, CreateTask{sum("task"), 2_000_000_001, 3_000_000_002,
			voting.ReverseDutch, 3_601, 7_201, 1_790_086_403, voting.SplitEscrow, sum("seal"), onchain.Address{}, onchain.Address{}, onchain.Address{}, 0, 0, CourtDecides, 0, 0})),
		one("create_task_with_engine", p.CreateTask(creator, 0x0102030405060708, version, CreateTask{sum("task"), 2_000_000_001, 3_000_000_002,
			voting.ReverseDutch, 3_601, 7_201, 1_790_086_403, voting.SplitEscrow, sum("seal"), pub("engine"), pub("engine group"), pub("engine agent"), 4_000_001, 86_401, EndByTerm, 14, 2_000_011})),
		one("cancel_task", p.CancelTask(creator, task)),
		one("claim_task", p.ClaimTask(worker, task, version, ClaimTask{2_000_000_007})),
		one("release_task", p.ReleaseTask(worker, task)),
		one("start_task", p.StartTask(worker, task)),
		one("submit_result", p.SubmitResult(worker, creator, task, version, SubmitResult{sum("result")})),
		one("accept", p.Accept(creator, worker, task)),
		one("object", p.Object(creator, task, version, Object{sum("objection")})),
		one("rework", p.Rework(worker, creator, task, version)),
		one("counter_object", p.CounterObject(worker, task, version, CounterObject{sum("counter")})),
		one("expire", p.Expire(task, creator, worker)),
		one("expire_unclaimed", p.Expire(task, creator, onchain.Address{})),
	}
	return append(calls, judgeCalls(t)...)
}

func judgeCalls(t testing.TB) []call {
	t.Helper()
	p, d := sampleProgram(), domain()
	creator, worker, task, judge, cold := pub("creator"), pub("worker"), pub("task"), pub("judge 0"), pub("cold")
	one := func(name string, i onchain.Instruction) call { return call{name, []onchain.Instruction{i}} }
	proof := sign(t, "judge 0", d.JoinProof(voting.Key(judge)))
	slash, err := p.SlashEquivocation(5, d.Network, sampleEvidence(t))
	if err != nil {
		t.Fatal(err)
	}
	pull, err := p.PullPayment(pub("friend"), sampleVoucher(), voucherSignature(t, sampleVoucher()))
	if err != nil {
		t.Fatal(err)
	}
	sealed := bytes.Repeat([]byte{0xa5}, 93)
	relayed, err := p.RelayCommit(d.Network, peer("judge 0"), sampleRelay(t, sealed))
	if err != nil {
		t.Fatal(err)
	}
	unsealed, err := p.RelayCommit(d.Network, peer("judge 0"), sampleRelay(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	return []call{
		{"join_roster", p.JoinRoster(judge, version, d.Network, proof, JoinRoster{peer("judge 0"), pub("operator"), cold, 1_000_000_007})},
		{"join_roster_alone", p.JoinRoster(judge, version, d.Network, proof, JoinRoster{peer("judge 0"), onchain.Address{}, judge, 1_000_000_007})},
		one("top_up", p.TopUp(judge, TopUp{0x0102030405060708})),
		one("begin_exit", p.BeginExit(cold, version, BeginExit{judge})),
		one("withdraw_stake", p.WithdrawStake(cold, pub("wallet"), WithdrawStake{judge})),
		one("change_withdraw", p.ChangeWithdraw(cold, ChangeWithdraw{judge, pub("colder")})),
		one("begin_season", p.BeginSeason(version)),
		one("draw", p.Draw(task)),
		one("commit", p.Commit(judge, task, Commit{2, sum("commitment"), sealed})),
		one("commit_unsealed", p.Commit(judge, task, Commit{3, sum("commitment"), nil})),
		{"relay_commit", relayed},
		{"relay_commit_unsealed", unsealed},
		one("reveal", p.Reveal(task, judge, 2, sampleOpening())),
		one("settle", p.Settle(task, creator, worker)),
		one("appeal", p.Appeal(worker, task)),
		one("finish_case", p.FinishCase(task, creator, worker, onchain.Address{})),
		one("finish_case_early", p.FinishCase(task, creator, worker, worker)),
		one("expire_case", p.ExpireCase(task, creator, worker)),
		{"slash_equivocation", slash},
		one("claim_reward", p.ClaimReward(cold, cold, ClaimReward{judge})),
		one("claim_reward_elsewhere", p.ClaimReward(cold, pub("wallet"), ClaimReward{judge})),
		one("close_task", p.CloseTask(task, creator, version)),
		one("close_case_appealed", p.CloseCase(task, worker, creator)),
		one("close_case", p.CloseCase(task, worker, onchain.Address{})),
		{"pull_payment", pull},
		one("publish_verdict", p.PublishVerdict(pub("friend"), task)),
		one("settle_by_engine", p.SettleByEngine(task, engineTask())),
		one("open_case", p.OpenCase(pub("friend"), task, version)),
		one("open_dispute", p.OpenDispute(pub("friend"), pub("claimant"), task, version, OpenDispute{pub("respondent"), sum("terms"), sum("claim"), 2_000_000_021, 14})),
		one("join_dispute", p.JoinDispute(pub("respondent"), task, JoinDispute{sum("answer")})),
		one("settle_dispute", p.SettleDispute(task, pub("friend"))),
		one("commit_batch", p.BatchCalls(0x2122232425262728).Commit(pub("proctor"), version, CommitBatch{sum("root"), 11, 6_160_000_001})),
		one("open_leaf", p.BatchCalls(7).OpenLeaf(pub("proctor"), task, false, sampleLeaf())),
		one("open_leaf_void", p.BatchCalls(7).OpenLeaf(pub("proctor"), task, true, sampleLeaf())),
		one("apply_leaf", p.BatchCalls(7).ApplyLeaf(task)),
		one("close_batch", p.BatchCalls(7).Close(pub("proctor"))),
		one("uphold_challenge", p.BatchCalls(7).Uphold(Challenge{pub("proctor"), task, pub("challenge"), worker}, sum("generator"), sum("seed"))),
		one("appeal_challenge", p.BatchCalls(7).AppealChallenge(Challenge{pub("proctor"), task, pub("challenge"), worker}, sum("generator"), sum("seed"))),
	}
}

func sampleLeaf() OpenLeaf {
	return OpenLeaf{
		Index: 10, TaskHash: sum("task"), ResultHash: sum("result"), ObjectionHash: sum("objection"), CounterHash: sum("counter"),
		Answer: voting.Reject, Generator: sum("generator"), Seed: sum("seed"), Path: bytes.Repeat([]byte{0x5a}, 4*32),
	}
}

func sampleRelay(t testing.TB, sealed []byte) voting.Relay {
	t.Helper()
	d, judge, task := domain(), voting.Key(pub("judge 0")), voting.Key(pub("task"))
	n := voting.Relay{Commit: voting.Commit{Task: task, Round: 2, Judge: judge}, Sealed: sealed}
	n.Commitment = sum("commitment")
	n.Request = sign(t, "judge 0", d.RelayRequest(task, 2, judge, n.Commitment, sealed))
	return n
}

func sampleEvidence(t testing.TB) voting.Evidence {
	t.Helper()
	d, judge, task := domain(), voting.Key(pub("judge 0")), voting.Key(pub("task"))
	signed := func(commitment voting.Hash) voting.Signed {
		return voting.Signed{Commitment: commitment, Signature: sign(t, "judge 0", d.Statement(task, 2, judge, commitment))}
	}
	return voting.Evidence{Task: task, Round: 2, Judge: judge, Peer: peer("judge 0"), A: signed(sum("one")), B: signed(sum("two"))}
}

// payerKey is the Solana key of the agent that pays.
func payerKey() ed25519.PrivateKey { return node("payer") }

func sampleVoucher() Voucher {
	return Voucher{Domain: domain(), Payer: onchain.Address(payerKey().Public().(ed25519.PublicKey)), Payee: pub("holder"), Cumulative: 0x1112131415161718, Expires: 1_790_009_000}
}

func voucherSignature(t testing.TB, v Voucher) voting.Signature {
	t.Helper()
	signature, err := v.Sign(payerKey())
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

type namedEvent struct {
	name string
	Event
}

func sampleEvents() []namedEvent {
	task, judge := pub("task"), pub("judge 0")
	o := sampleOpening()
	full := &RoundSettled{Task: task, Round: 1, At: 1_790_008_701}
	for i := range voting.MaxSeats {
		full.Seats = append(full.Seats, SeatSettled{voting.Result(i % 7), uint64(1_000 + i), uint64(2_000 + i)})
	}
	finished := &CaseFinished{Task: task, Verdict: voting.ForWorker, Level: 2, Bond: 7_006, Golden: 7_007, At: 1_790_008_702}
	for i := range 2 * voting.MaxSeats {
		finished.Seats = append(finished.Seats, SeatEnd{uint64(1_100 + i), uint64(2_100 + i)})
	}
	applied := &LeafApplied{Task: task, Batch: 3, Answer: voting.Accept, Taken: 20_000_003, Paid: 5_000_004, Fee: 28_000_005, At: 1_790_050_001}
	for i := range 2 * voting.MaxSeats {
		applied.Seats = append(applied.Seats, SeatApplied{uint8(i % 3), uint64(1_200 + i), uint64(2_200 + i)})
	}
	return []namedEvent{
		{"config_set", &ConfigSet{pub("config authority"), pub("next authority"), 1, 1}},
		{"admission_set", &AdmissionSet{judge, 1}},
		{"proctor_set", &ProctorSet{pub("proctor"), 1}},
		{"rules_set", &RulesSet{0x01020304, 1_790_172_801}},
		{"agent_set", &AgentSet{pub("creator"), pub("creator agent"), pub("operator"), sum("card"), 0x01020304}},
		{"vault_moved", &VaultMoved{pub("creator"), -2_000_000_001, 3_000_000_002}},
		{"data_set", &DataSet{pub("creator"), pub("data"), 0x01020304}},
		{"grant_set", &GrantSet{pub("data"), task, pub("worker"), 3}},
		{"task_moved", &TaskMoved{task, pub("creator"), Verification, Disputed, voting.NoOutcome, Unresolved, sum("objection"),
			125_000_005, 1_790_036_800, 1_790_008_000}},
		{"task_moved_verdict", &TaskMoved{task, onchain.Address{}, Judiciary, Complete, voting.Paid, ByVerdict, voting.Hash{}, 0, 0, 1_790_008_700}},
		{"paid", &Paid{task, pub("worker"), voting.PayBondBack, 125_000_006}},
		{"paid_pot", &Paid{task, onchain.Address{}, voting.PayTrade, 625_007}},
		{"paid_engine", &Paid{task, pub("engine agent"), voting.PayEngineFee, 4_000_000}},
		{"paid_silence", &Paid{task, onchain.Address{}, voting.PaySilence, 90_000_007}},
		{"paid_claim", &Paid{task, pub("creator"), voting.PayClaimLost, 60_000_007}},
		{"stake_moved", &StakeMoved{judge, 0x0102, -1_000_000_007, 0x0102030405060708, StakeWithdrawn}},
		{"judge_exiting", &JudgeExiting{judge, 1_790_172_800}},
		{"withdraw_key_set", &WithdrawKeySet{judge, pub("cold")}},
		{"season_begun", &SeasonBegun{28_000_000_007, 1_790_008_000, 1}},
		{"case_opened", &CaseOpened{task, 1, 400_000_001, 1_790_009_801, 1_790_008_000}},
		{"drawn", &Drawn{task, 2, 400_000_003, sum("slot"), 28_000_000_378, 1_790_008_500, []SeatDrawn{{511, 1_000_000_001}, {0, 10_000_000_000}, {258, 3}}}},
		{"committed", &Committed{task, 2, 27, judge, sum("commitment")}},
		{"revealed", &Revealed{task, 2, 26, judge, o.Choice, o.Opinion, o.Receipts, o.Salt}},
		{"round_settled", &RoundSettled{task, 3, voting.ForCreator, 7_001, 7_002, 7_003, 21_006, 7_004, 7_005, 1_790_008_700,
			[]SeatSettled{{voting.Majority, 0, 601}, {voting.Minority, 502, 0}}}},
		{"round_settled_full", full},
		{"appealable", &Appealable{task, voting.ForCreator, 1_790_012_300}},
		{"appealed", &Appealed{task, pub("worker"), 21, 28_000_007, 1_790_012_299}},
		{"case_finished", &CaseFinished{task, voting.ForCreator, 1, 7_008, 7_009, 1_790_012_301, []SeatEnd{{0, 603}, {504, 0}}}},
		{"case_finished_full", finished},
		{"slashed", &Slashed{task, 2, 25, judge, 1_000_000_000}},
		{"reward_claimed", &RewardClaimed{judge, 3_001}},
		{"closed", &Closed{pub("case"), pub("worker"), 21_000_000}},
		{"data_paid", &DataPaid{judge, pub("holder"), 5_001, 0x0102030405060708}},
		{"batch_committed", &BatchCommitted{0x2122232425262728, pub("proctor"), sum("root"), 11, 6_160_000_001, 1_790_043_204, 1_790_000_004}},
		{"leaf_opened", &LeafOpened{0x2122232425262728, 10, task, voting.Reject, sum("generator"), sum("seed"), 1, 1_790_030_005}},
		{"leaf_applied", &LeafApplied{task, 0x2122232425262728, voting.Reject, 20_000_001, 5_000_002, 28_000_003, 1_790_050_000,
			[]SeatApplied{{0, 0, 0}, {1, 0, 5_000_002}, {2, 20_000_001, 0}}}},
		{"leaf_applied_full", applied},
		{"batch_closed", &BatchClosed{0x2122232425262728, pub("proctor"), 4, 2_345_000}},
		{"challenge_upheld", &ChallengeUpheld{0x2122232425262728, task, pub("challenge"), pub("worker"), 616_000_000}},
	}
}
