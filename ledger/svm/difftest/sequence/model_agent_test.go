package sequence_test

import (
	"bytes"
	"math"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// byAuthority opens Config for its authority.
func (s *step) byAuthority() *program.Config {
	c := open[program.Config](s, "config")
	s.need(c.Authority == s.at("authority") && !c.Authority.IsZero(), "not the authority")
	return c
}

func (s *step) proposeRules() {
	i, c := s.c.ix.(*program.ProposeRules), s.byAuthority()
	r, at := open[program.Rules](s, "rules"), s.at("next")
	s.fixed("system")
	s.need(r.Number == c.Rules, "not the latest rules")
	s.vacant("next", s.a.at(place{kind: "rules", n: uint64(c.Rules + 1)}))
	s.need(r.From <= s.now(), "rules are announced")
	s.need(i.Params.Follows(r.Params) == nil, "bad parameters")
	c.Rules++
	r.Until = s.now() + int64(r.CooldownSeconds)
	s.make(c.Authority, at, program.RulesSize, &program.Rules{Bump: s.a.bumps[at], Number: c.Rules, From: r.Until, Params: i.Params})
}

func (s *step) withdrawRules() {
	c := s.byAuthority()
	last, announced := open[program.Rules](s, "rules"), read[program.Rules](s, "next")
	s.need(announced.Number == c.Rules && last.Number+1 == c.Rules, "not the announced rules")
	s.need(s.now() < announced.From, "too late")
	last.Until, c.Rules = 0, last.Number
	s.close(s.at("next"), c.Authority)
}

func (s *step) proposeAuthority() {
	s.byAuthority().PendingAuthority = s.c.ix.(*program.ProposeAuthority).Authority
}

func (s *step) acceptAuthority() {
	c := open[program.Config](s, "config")
	s.need(c.PendingAuthority == s.at("authority") && !c.PendingAuthority.IsZero(), "not named")
	c.Authority, c.PendingAuthority = c.PendingAuthority, key{}
}

func (s *step) giveUp() {
	c := s.byAuthority()
	s.need(c.Paused == 0, "paused")
	s.need(c.Listed == 0, "listed")
	c.Authority, c.PendingAuthority = key{}, key{}
}

func (s *step) pause() {
	c := s.byAuthority()
	paused := s.c.ix.(*program.Pause).Paused
	s.need(paused <= 1, "neither paused nor not")
	switch {
	case c.Paused < paused:
		c.PausedAt = s.now()
	case c.Paused > paused:
		c.ResumedAt = s.now()
		c.PausedSeconds += uint32(s.now() - c.PausedAt)
	}
	c.Paused = paused
}

func (s *step) openCourt() {
	c := s.byAuthority()
	s.need(c.Listed == 1, "open already")
	c.Listed = 0
}

func (s *step) admitJudge() {
	judge, c, at := s.c.ix.(*program.AdmitJudge).Judge, read[program.Config](s, "config"), s.at("admission")
	s.fixed("system")
	s.vacant("admission", s.a.at(place{kind: "admission", a: judge}))
	s.need(c.Authority == s.at("authority") && !c.Authority.IsZero(), "not the authority")
	s.need(c.Listed == 1, "an open court")
	s.make(c.Authority, at, program.AdmissionSize, &program.Admission{Bump: s.a.bumps[at], Judge: judge, Payer: c.Authority})
}

func (s *step) revokeAdmission() {
	c, v := read[program.Config](s, "config"), read[program.Admission](s, "admission")
	s.is("wallet", v.Payer)
	s.need(c.Listed == 0 || c.Authority == s.at("signer") && !c.Authority.IsZero(), "not the authority")
	s.close(s.at("admission"), v.Payer)
}

func (s *step) registerAgent() {
	i, c := s.c.ix.(*program.RegisterAgent), open[program.Config](s, "config")
	authority, at, page := s.at("authority"), s.at("agent"), s.at("page")
	s.fixed("system")
	s.cosigned("operator", i.Operator)
	s.vacant("agent", s.a.at(place{kind: "agent", a: authority}))
	s.is("page", s.a.at(place{kind: "registry", n: uint64(i.Page)}))
	s.need(uint64(i.Page) == c.AgentCount/program.PageEntries, "another page")
	c.AgentCount++
	s.make(authority, at, program.AgentSize, &program.Agent{
		Bump: s.a.bumps[at], Page: i.Page, Authority: authority, Operator: i.Operator, CardHash: i.CardHash, RegisteredAt: s.now(),
	})
	entry := program.RegistryEntry{Authority: authority, Agent: at}
	if get[program.RegistryPage](s.a, page) == nil {
		s.make(authority, page, program.RegistryPageSize(1), &program.RegistryPage{Bump: s.a.bumps[page], Page: i.Page, Entries: []program.RegistryEntry{entry}})
		return
	}
	p := open[program.RegistryPage](s, "page")
	s.move(authority, page, s.a.rent(program.RegistryPageSize(1))-s.a.rent(program.RegistryPageSize(0)))
	p.Entries = append(p.Entries, entry)
	s.grown[page] = program.RegistryPageSize(len(p.Entries))
}

func (s *step) updateAgent() {
	i, a := s.c.ix.(*program.UpdateAgent), open[program.Agent](s, "agent")
	s.need(a.Authority == s.at("authority"), "not the agent")
	s.cosigned("operator", i.Operator)
	a.Operator, a.CardHash = i.Operator, i.CardHash
}

func (s *step) deposit() {
	amount, a := s.c.ix.(*program.Deposit).Amount, open[program.Agent](s, "agent")
	s.fixed("system")
	s.need(amount > 0, "nothing")
	s.need(amount <= math.MaxUint64-a.Vault, "too much")
	a.Vault += amount
	s.move(s.at("from"), s.at("agent"), amount)
}

func (s *step) withdraw() {
	amount, a := s.c.ix.(*program.Withdraw).Amount, open[program.Agent](s, "agent")
	s.need(a.Authority == s.at("authority"), "not the agent")
	s.need(amount > 0, "nothing")
	s.debit(a, amount)
	s.move(s.at("agent"), s.at("authority"), amount)
}

func (s *step) debit(a *program.Agent, amount uint64) {
	s.need(a.Vault >= amount, "not so much in the vault")
	a.Vault -= amount
}

const dataHead = 664

func (s *step) writeData() {
	i, agent := s.c.ix.(*program.WriteData), read[program.Agent](s, "agent")
	writer, at := s.at("writer"), s.at("data")
	s.fixed("system")
	s.need(goodName(i.DataName), "no name")
	own := agent.Authority == writer
	s.is("data", s.a.at(place{kind: "data", a: agent.Authority, name: i.DataName}))
	old := get[program.AgentData](s.a, at)
	s.need(own || old != nil && s.granted(old, i), "no grant")
	s.need(i.Len <= program.MaxData && len(i.Bytes) <= program.MaxWrite && uint64(i.Offset)+uint64(len(i.Bytes)) <= uint64(i.Len), "too large")
	size := dataHead + int(i.Len)
	if old == nil {
		s.make(writer, at, size, &program.AgentData{
			Bump: s.a.bumps[at], Authority: agent.Authority, Name: i.DataName, Grants: []program.DataGrant{},
		})
	} else {
		s.resize(writer, at, size, dataHead+len(old.Content))
	}
	d := s.post[at].(*program.AgentData)
	content := make([]byte, i.Len)
	copy(content, d.Content)
	copy(content[i.Offset:], i.Bytes)
	d.Content, d.UpdatedAt = append([]byte(nil), content...), s.now() // nil if empty, as from a decoder
}

// granted reports whether the writer has a write grant of a task that is not over, and the length
// stays the same.
func (s *step) granted(d *program.AgentData, i *program.WriteData) bool {
	task, writer := get[program.Task](s.a, s.at("task")), s.at("writer")
	if task == nil || task.Status.Over() || len(d.Content) != int(i.Len) {
		return false
	}
	for _, g := range d.Grants {
		to := g.Grantee
		if to.IsZero() {
			to = task.Worker
		}
		if g.Task == s.at("task") && to == writer && g.Flags&program.GrantWrite != 0 {
			return true
		}
	}
	return false
}

func (s *step) resize(writer, at key, size, was int) {
	s.post[at] = clone(s.a.book[at])
	held, rent := s.a.lamports(at), s.a.rent(size)
	if size != was && held < rent {
		s.move(writer, at, rent-held)
	}
	if size < was && held > rent {
		s.move(at, writer, held-rent)
	}
	s.grown[at] = size
}

func goodName(name string) bool {
	if len(name) < 1 || len(name) > program.MaxDataName {
		return false
	}
	return len(bytes.Trim([]byte(name), "abcdefghijklmnopqrstuvwxyz0123456789._-")) == 0
}

func (s *step) grant() {
	i, d := s.c.ix.(*program.Grant), open[program.AgentData](s, "data")
	s.need(d.Authority == s.at("authority"), "not the agent")
	s.need(i.Flags >= 1 && i.Flags <= 3, "no such flags")
	for n := range d.Grants {
		if d.Grants[n].Task == i.Task && d.Grants[n].Grantee == i.Grantee {
			d.Grants[n].Flags = i.Flags
			return
		}
	}
	s.need(len(d.Grants) < program.MaxGrants, "no room")
	d.Grants = append(d.Grants, program.DataGrant{Task: i.Task, Grantee: i.Grantee, Flags: i.Flags})
}

func (s *step) revoke() {
	i, d := s.c.ix.(*program.Revoke), open[program.AgentData](s, "data")
	s.is("task", i.Task)
	s.need(d.Authority == s.at("signer") || s.over(i.Task, i.ID), "neither the agent nor over")
	for n, g := range d.Grants {
		if g.Task == i.Task && g.Grantee == i.Grantee {
			d.Grants = append(d.Grants[:n:n], d.Grants[n+1:]...)
			return
		}
	}
	s.need(false, "no such grant")
}

// over reports whether a task is over, or gone after it was there.
func (s *step) over(at key, id uint64) bool {
	if onchain.Address(s.a.accounts[at].Owner) != s.a.prog.ID() {
		creator := read[program.Agent](s, "creator_agent")
		return id < creator.TasksCreated && at == s.a.at(place{kind: "task", a: creator.Authority, n: id})
	}
	task := get[program.Task](s.a, at)
	return task != nil && task.Status.Over()
}

func (s *step) closeData() {
	d := read[program.AgentData](s, "data")
	s.need(d.Authority == s.at("authority"), "not the agent")
	s.close(s.at("data"), s.at("authority"))
}

func (s *step) pullPayment() {
	s.fixed("system", "instructions")
	read[program.Config](s, "config")
	payer, payee := open[program.Agent](s, "payer_agent"), open[program.Agent](s, "payee_agent")
	at := s.at("channel")
	s.is("channel", s.a.at(place{kind: "channel", a: payer.Authority, b: payee.Authority}))
	old := get[program.Channel](s.a, at)
	proof, ok := s.proof()
	v := s.voucher(payer.Authority, payee.Authority, proof.Message)
	s.need(ok && key(proof.Peer) == payer.Authority && bytes.Equal(proof.Message, v.Statement()), "no such voucher")
	paid := uint64(0)
	if old != nil {
		paid = old.Paid
	}
	s.need(s.now() < v.Expires, "expired")
	s.need(v.Cumulative > paid, "spent")
	s.need(payer.Vault > 0, "an empty vault")
	if old == nil {
		s.make(s.at("signer"), at, program.ChannelSize, &program.Channel{Bump: s.a.bumps[at], Payer: payer.Authority, Payee: payee.Authority})
	} else {
		open[program.Channel](s, "channel")
	}
	amount := min(v.Cumulative-paid, payer.Vault)
	s.post[at].(*program.Channel).Paid += amount
	payer.Vault -= amount
	payee.Vault += amount
	s.move(s.at("payer_agent"), s.at("payee_agent"), amount)
}
