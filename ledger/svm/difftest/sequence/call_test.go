package sequence_test

import (
	"cmp"
	"crypto/ed25519"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// call is an instruction of the program as sent, in a transaction with only the proof before it.
type call struct {
	ix    program.Instruction
	metas []onchain.AccountMeta // only the last one may be missing
	data  []byte                // nil: as ix is encoded
	proof []program.SelfContained
	wrong string // a description of the deliberate fault
}

func (c *call) name() string { return c.ix.InstructionName() }

// who has the people and accounts of a call. Zero fields are derived from the others.
type who struct {
	actor, task, wallet, payer, payee, data, agent, operator key
	creator                                                  key // of a task that is gone
	judge                                                    key // who is admitted; zero: the actor
	proctor                                                  key // who is admitted; zero: the actor
	golden                                                   key // the task of a leaf
	batch                                                    uint64
	claimant                                                 key // of a dispute; zero: the actor, who pays
	loser                                                    key // who gives up its appeal
	page                                                     uint32
	coin, name                                               string // a mint, and whose tokens
	vaults                                                   bool   // they go into the vault
	foreign                                                  bool   // the verdict of the engine
	latest                                                   bool   // the latest rules, instead of the task's or those in force
	back                                                     bool   // the latest rules are withdrawn
}

// call puts the accounts of an instruction in their places.
func (a *arena) call(i program.Instruction, w who) *call {
	c := &call{ix: i}
	for _, role := range a.rolesOf(i) {
		at := a.resolve(role.Name, w)
		if at.IsZero() && role.Optional {
			break
		}
		c.metas = append(c.metas, onchain.AccountMeta{Address: at, Signer: role.Signer, Writable: role.Writable})
	}
	return c
}

// resolve returns the right account for a place.
func (a *arena) resolve(role string, w who) key {
	task := get[program.Task](a, w.task)
	if task == nil {
		task = &program.Task{Creator: w.actor, Worker: w.actor}
	}
	switch role {
	case "rules":
		return a.rulesFor(w)
	case "next":
		n := a.config().Rules + 1
		if w.back {
			n--
		}
		return a.at(place{kind: "rules", n: uint64(n)})
	case "config", "roster", "pot":
		return a.at(place{kind: role})
	case "admission":
		return a.at(place{kind: "admission", a: cmp.Or(w.judge, w.actor)})
	case "party", "authority", "from", "worker", "creator", "judge", "signer", "payer", "writer", "withdraw", "respondent":
		return w.actor
	case "mint":
		return mintAt(w.coin)
	case "source", "destination":
		return purse(w.coin, w.name, role == "source" || w.vaults)
	case "pledge":
		return a.at(place{kind: "pledge", a: w.task})
	case "holding":
		return a.holding(w.task, coins()[w.coin], mintAt(w.coin))
	case "token_program":
		return coins()[w.coin]
	case "claimant":
		return cmp.Or(w.claimant, w.actor)
	case "operator":
		return w.operator
	case "loser":
		return w.loser
	case "appellant":
		if k := a.caseOf(w.task); k != nil && k.Appellant != k.Payer {
			return k.Appellant
		}
		return key{}
	case "agent":
		if !w.agent.IsZero() {
			return w.agent
		}
		return a.at(place{kind: "agent", a: w.actor})
	case "creator_agent":
		if !w.creator.IsZero() {
			return a.at(place{kind: "agent", a: w.creator})
		}
		return a.at(place{kind: "agent", a: task.Creator})
	case "worker_agent":
		return a.workerAgent(task, w)
	case "page":
		return a.at(place{kind: "registry", n: uint64(w.page)})
	case "task":
		return w.task
	case "case":
		return a.at(place{kind: "case", a: w.task})
	case "engine_agent":
		if !task.EngineAgent.IsZero() {
			return a.at(place{kind: "agent", a: task.EngineAgent})
		}
		if w.payee.IsZero() {
			return key{}
		}
		return a.at(place{kind: "agent", a: w.payee})
	case "proctor":
		return a.at(place{kind: "proctor", a: cmp.Or(w.proctor, w.actor)})
	case "batch":
		return a.at(place{kind: "batch", n: w.batch})
	case "golden_task":
		return w.golden
	case "golden_case":
		return a.at(place{kind: "case", a: w.golden})
	case "verdict":
		if w.foreign {
			return program.EngineVerdict(engine, task.EngineGroup, w.task)
		}
		return a.at(place{kind: "verdict", a: w.task})
	case "data":
		return w.data
	case "wallet":
		return w.wallet
	case "payer_agent":
		return a.at(place{kind: "agent", a: w.payer})
	case "payee_agent":
		return a.at(place{kind: "agent", a: w.payee})
	case "channel":
		return a.at(place{kind: "channel", a: w.payer, b: w.payee})
	case "instructions":
		return onchain.InstructionsAccount()
	case "system":
		return onchain.SystemProgram()
	case "program":
		return a.prog.ID()
	case "program_data":
		return a.prog.ProgramData()
	}
	panic(fmt.Sprintf("an instruction has an account %q, which is not known here: add it to resolve", role))
}

// rulesFor returns the version of the rules that counts: the task's, or else the one in force.
func (a *arena) rulesFor(w who) key {
	number, c, task := program.FirstRules, a.config(), get[program.Task](a, w.task)
	switch {
	case c == nil:
	case w.back:
		number = c.Rules - 1
	case w.latest:
		number = c.Rules
	case task != nil:
		number = task.Rules
	default:
		number = a.law().Number
	}
	return a.at(place{kind: "rules", n: uint64(number)})
}

// workerAgent returns the agent of the task's worker. If there is none yet, it is the actor's,
// which claims the task.
func (a *arena) workerAgent(task *program.Task, w who) key {
	switch {
	case !task.Worker.IsZero():
		return a.at(place{kind: "agent", a: task.Worker})
	case w.actor.IsZero():
		return key{}
	}
	return a.at(place{kind: "agent", a: w.actor})
}

// says returns a message signed with a person's key. It is made once.
func (s *stage) says(name string, message []byte) program.SelfContained {
	k, id := s.keys[s.person(name)], name+string(message)
	if _, ok := s.signed[id]; !ok {
		s.signed[id] = voting.Signature(ed25519.Sign(ed25519.PrivateKey(k), message))
	}
	return program.SelfContained{Peer: voting.Key(k.PublicKey()), Signature: s.signed[id], Message: message}
}

// instructions returns the instructions of the call's transaction.
func (c *call) instructions(id key) []onchain.Instruction {
	data := c.data
	if data == nil {
		data = program.EncodeInstruction(c.ix)
	}
	list := []onchain.Instruction{{Program: id, Accounts: c.metas, Data: data}}
	if c.proof != nil {
		list = append([]onchain.Instruction{program.Ed25519(c.proof...)}, list...)
	}
	return list
}

// signs reports whether a key signs the call's transaction. The fee payer always does.
func (c *call) signs(k key) bool {
	return slices.ContainsFunc(c.metas, func(m onchain.AccountMeta) bool { return m.Signer && m.Address == k })
}

// writes reports whether the call's transaction may write an account. One writable place is enough
// for all places of it. The runtime lets nobody write a sysvar or a program of its own.
func (c *call) writes(k key) bool {
	reserved := k == onchain.InstructionsAccount() || k == onchain.SystemProgram()
	return !reserved && slices.ContainsFunc(c.metas, func(m onchain.AccountMeta) bool { return m.Writable && m.Address == k })
}

// compile returns the transaction without signatures, because signatures are not tested here.
func compile(payer key, list []onchain.Instruction, blockhash onchain.Hash) (*solana.Transaction, error) {
	type account struct {
		key              key
		signer, writable bool
	}
	all := []account{{payer, true, true}}
	add := func(k key, signer, writable bool) {
		for i := range all {
			if all[i].key == k {
				all[i].signer, all[i].writable = all[i].signer || signer, all[i].writable || writable
				return
			}
		}
		all = append(all, account{k, signer, writable})
	}
	for _, i := range list {
		for _, m := range i.Accounts {
			add(m.Address, m.Signer, m.Writable)
		}
		add(i.Program, false, false)
	}
	tx := &solana.Transaction{}
	m := &tx.Message
	m.RecentBlockhash = solana.Hash(blockhash)
	order := func(signer, writable bool) int {
		n := 0
		for _, v := range all {
			if v.signer == signer && v.writable == writable {
				m.AccountKeys, n = append(m.AccountKeys, solana.PublicKey(v.key)), n+1
			}
		}
		return n
	}
	signers := order(true, true)
	readonly := order(true, false)
	order(false, true)
	rest := order(false, false)
	m.Header = solana.MessageHeader{NumRequiredSignatures: uint8(signers + readonly), NumReadonlySignedAccounts: uint8(readonly), NumReadonlyUnsignedAccounts: uint8(rest)}
	tx.Signatures = make([]solana.Signature, signers+readonly)
	for _, i := range list {
		ix := solana.CompiledInstruction{ProgramIDIndex: uint16(slices.Index(m.AccountKeys, solana.PublicKey(i.Program))), Data: i.Data}
		for _, meta := range i.Accounts {
			ix.Accounts = append(ix.Accounts, uint16(slices.Index(m.AccountKeys, solana.PublicKey(meta.Address))))
		}
		m.Instructions = append(m.Instructions, ix)
	}
	return tx, nil
}
