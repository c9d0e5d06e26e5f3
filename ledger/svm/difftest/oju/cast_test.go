package oju_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// params are the default ones, without a limit of rewards, because most courts of the tests are
// small, and with room for as many judges as the program takes.
func params() program.Params {
	p := program.DefaultParams()
	p.MaxJudges = program.MaxJudges
	p.AppealSeconds = 3_600
	p.CoverBps = 0
	return p
}

// deployed sets the program's upgrade authority. If the name is empty, there is none.
func (s *scene) deployed(authority string) {
	data := make([]byte, 45, 45+len(s.suite.elf))
	binary.LittleEndian.PutUint32(data, 3)
	if authority != "" {
		key := s.at(authority)
		data[12] = 1
		copy(data[13:], key[:])
	}
	data = append(data, s.suite.elf...)
	s.put(s.prog.ProgramData(), difftest.Owned(solana.PublicKey(s.prog.ProgramData()), solana.BPFLoaderUpgradeableProgramID, s.env.Rent.MinimumBalance(len(data)), data).Account)
}

func (s *scene) init(change ...func(*program.Params)) onchain.Instruction {
	p := params()
	for _, f := range change {
		f(&p)
	}
	return s.prog.InitConfig(s.at("authority"), program.InitConfig{Network: hash(network), Listed: s.listed, Params: p})
}

// begin makes Config and Roster, and alice, bob and carol with 100 SOL each.
func (s *scene) begin(change ...func(*program.Params)) {
	s.t.Helper()
	s.fund("authority", 1_000*sol)
	s.deployed("authority")
	s.ok(s.init(change...))
	s.put(s.prog.ProgramData(), accounts.Account{}) // the judge has it by itself
	for _, name := range []string{"alice", "bob", "carol"} {
		s.agent(name, onchain.Address{})
	}
}

// cast is begin with judges j0, j1, … of one SOL.
func (s *scene) cast(judges int, change ...func(*program.Params)) {
	s.t.Helper()
	s.begin(change...)
	for i := range judges {
		s.fund(judgeName(i), 20*sol)
	}
	for i := range judges {
		s.admitted(judgeName(i))
		s.ok(s.join(judgeName(i), sol)...)
	}
	if judges > 0 {
		s.ok(s.season())
	}
}

// weighed gives all judges their weight.
func (s *scene) weighed() {
	s.t.Helper()
	if !s.roster().SeasonOver(s.law().Params, s.env.Clock.Slot, s.now()) {
		s.pass(int64(s.law().SeasonSeconds))
	}
	s.ok(limited(s.season())...)
}

// season returns the beginning of the next season.
func (s *scene) season() onchain.Instruction { return s.prog.BeginSeason(s.law().Number) }

func judgeName(i int) string { return fmt.Sprint("j", i) }

func (s *scene) agent(name string, operator onchain.Address) {
	s.t.Helper()
	key := s.fund(name, 200*sol)
	page := uint32(s.config().AgentCount / program.PageEntries)
	s.ok(s.prog.RegisterAgent(key, program.RegisterAgent{Operator: operator, CardHash: hash("card " + name), Page: page}))
	s.ok(s.prog.Deposit(key, key, program.Deposit{Amount: 100 * sol}))
}

// read decodes an account of the program.
func read[T any](s *scene, at onchain.Address, decode func([]byte) (*T, error)) *T {
	s.t.Helper()
	v, err := decode(s.accounts[at].Data)
	if err != nil {
		s.t.Fatalf("%s: %v", at, err)
	}
	return v
}

func (s *scene) config() *program.Config { return read(s, s.prog.Config(), program.DecodeConfig) }
func (s *scene) roster() *program.Roster { return read(s, s.prog.Roster(), program.DecodeRoster) }
func (s *scene) pot() *program.Pot       { return read(s, s.prog.Pot(), program.DecodePot) }
func (s *scene) agentOf(name string) *program.Agent {
	return read(s, s.prog.Agent(s.at(name)), program.DecodeAgent)
}

// version returns a version of the rules.
func (s *scene) version(number uint32) *program.Rules {
	return read(s, s.prog.Rules(number), program.DecodeRules)
}

// law returns the version of the rules that is in force.
func (s *scene) law() *program.Rules {
	for n := s.config().Rules; n > program.FirstRules; n-- {
		if v := s.version(n); v.InForce(s.now()) {
			return v
		}
	}
	return s.version(program.FirstRules)
}

// under returns the number of the rules that a task is under; the first if there is no such task.
func (s *scene) under(k task) uint32 {
	t, err := program.DecodeTask(s.accounts[k.at].Data)
	if err != nil {
		return program.FirstRules
	}
	return t.Rules
}

// announce proposes a version of the rules that follows the latest.
func (s *scene) announce(change ...func(*program.Params)) onchain.Instruction {
	c := s.config()
	p := s.version(c.Rules).Params
	for _, f := range change {
		f(&p)
	}
	return s.prog.ProposeRules(c.Authority, c.Rules, program.ProposeRules{Params: p})
}

// takeBack withdraws the announced version.
func (s *scene) takeBack() onchain.Instruction {
	c := s.config()
	return s.prog.WithdrawRules(c.Authority, c.Rules)
}

// enact announces a version of the rules and waits until it is in force.
func (s *scene) enact(change ...func(*program.Params)) {
	s.t.Helper()
	s.ok(s.announce(change...))
	s.until(s.version(s.config().Rules).From)
}

func (s *scene) pause(paused uint8) onchain.Instruction {
	return s.prog.Pause(s.config().Authority, program.Pause{Paused: paused})
}

// idle returns an instruction of the program that changes nothing.
func (s *scene) idle() onchain.Instruction { return s.pause(s.config().Paused) }

// node returns the key with which a judge's node signs.
func node(name string) ed25519.PrivateKey { return ed25519.PrivateKey(difftest.Key("node " + name)) }

func peer(name string) voting.Key { return voting.Key(difftest.Key("node " + name).PublicKey()) }

func (s *scene) domain() voting.Domain {
	return voting.Domain{Network: hash(network), Program: voting.Key(s.prog.ID())}
}

// says returns a message signed by a node.
func says(name string, message []byte) program.SelfContained {
	return program.SelfContained{Peer: peer(name), Signature: voting.Signature(ed25519.Sign(node(name), message)), Message: message}
}

// join returns the proof and the joining of a judge. The node has the judge's name.
func (s *scene) join(name string, stake uint64) []onchain.Instruction {
	return s.joinAs(name, name, stake, onchain.Address{})
}

// exit begins the exit of a judge that has its own key as withdraw key, as all do by default.
func (s *scene) exit(name string) onchain.Instruction {
	return s.prog.BeginExit(s.at(name), s.law().Number, program.BeginExit{Judge: s.at(name)})
}

// leave takes the stake of such a judge.
func (s *scene) leave(name string) onchain.Instruction {
	return s.prog.WithdrawStake(s.at(name), s.at(name), program.WithdrawStake{Judge: s.at(name)})
}

// reward takes what such a judge earned.
func (s *scene) reward(name string) onchain.Instruction {
	return s.prog.ClaimReward(s.at(name), s.at(name), program.ClaimReward{Judge: s.at(name)})
}

func (s *scene) joinAs(name, nodeName string, stake uint64, operator onchain.Address) []onchain.Instruction {
	return s.joinWith(name, nodeName, program.JoinRoster{Operator: operator, Withdraw: s.at(name), Stake: stake})
}

// joinWith fills in the node's key.
func (s *scene) joinWith(name, nodeName string, i program.JoinRoster) []onchain.Instruction {
	key := s.at(name)
	proof := says(nodeName, s.domain().JoinProof(voting.Key(key)))
	i.Peer = peer(nodeName)
	return s.prog.JoinRoster(key, s.law().Number, hash(network), proof.Signature, i)
}

// with returns an instruction with other data.
func with(i onchain.Instruction, data []byte) onchain.Instruction {
	i.Data = data
	return i
}

// cut returns an instruction with the first n of its accounts.
func cut(i onchain.Instruction, n int) onchain.Instruction {
	i.Accounts = i.Accounts[:n]
	return i
}

// swap returns an instruction with another account in one place.
func swap(i onchain.Instruction, at int, key onchain.Address) onchain.Instruction {
	meta := i.Accounts[at]
	meta.Address = key
	return replace(i, at, meta)
}

func replace(i onchain.Instruction, at int, meta onchain.AccountMeta) onchain.Instruction {
	i.Accounts = slices.Clone(i.Accounts)
	i.Accounts[at] = meta
	return i
}
