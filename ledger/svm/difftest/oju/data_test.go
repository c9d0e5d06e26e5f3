package oju_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
)

// write writes to alice's data.
func (s *scene) write(writer string, k task, name, content string, offset, size int) onchain.Instruction {
	s.t.Helper()
	i, err := s.prog.WriteData(s.at(writer), s.at("alice"), k.at, program.WriteData{
		DataName: name, Offset: uint32(offset), Len: uint32(size), Bytes: []byte(content),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return i
}

// notes writes alice's notes.
func (s *scene) notes(content string) onchain.Instruction {
	return s.write("alice", task{}, "notes", content, 0, len(content))
}

func (s *scene) notesAt() onchain.Address {
	at, err := s.prog.Data(s.at("alice"), "notes")
	if err != nil {
		s.t.Fatal(err)
	}
	return at
}

func (s *scene) grant(k task, grantee onchain.Address, flags uint8) onchain.Instruction {
	return s.prog.Grant(s.at("alice"), s.notesAt(), program.Grant{Task: k.at, Grantee: grantee, Flags: flags})
}

// numberOf returns the number of a task among those of alice, or of the next one.
func (s *scene) numberOf(k task) uint64 {
	next := s.agentOf("alice").TasksCreated
	for id := range next {
		if s.prog.Task(s.at("alice"), id) == k.at {
			return id
		}
	}
	return next
}

func (s *scene) revoke(signer string, k task, grantee onchain.Address) onchain.Instruction {
	return s.prog.Revoke(s.at(signer), s.notesAt(), s.at("alice"), program.Revoke{Task: k.at, Grantee: grantee, ID: s.numberOf(k)})
}

func dataScenes() map[string]func(*scene) {
	nobody := onchain.Address{}
	return map[string]func(*scene){
		"write": func(s *scene) {
			s.cast(7)
			s.ok(s.notes("hello"))
			s.ok(s.write("alice", task{}, "notes", " world", 5, 12))
			s.ok(s.write("alice", task{}, "notes", "J", 0, 5))
			s.ok(s.write("alice", task{}, "notes", "", 0, 0))
			s.ok(s.write("alice", task{}, "notes", "", 0, 3))
			s.ok(s.write("alice", task{}, "a.b_c-9", "", 0, 9_216))
			s.ok(s.write("alice", task{}, strings.Repeat("z", 32), strings.Repeat("x", 800), 8_416, 9_216))
			s.no(program.ErrDataTooLarge, s.write("alice", task{}, "notes", "", 0, 9_217))
			s.no(program.ErrDataTooLarge, s.write("alice", task{}, "notes", strings.Repeat("x", 901), 0, 901))
			s.no(program.ErrDataTooLarge, s.write("alice", task{}, "notes", "xx", 4, 5))
			s.no(program.ErrDataTooLarge, s.write("alice", task{}, "notes", "x", 1<<32-1, 5))
			for _, name := range []string{"", "A", "a b", "é", "a/b", strings.Repeat("z", 33)} {
				s.no(program.ErrBadName, with(s.notes("x"), program.EncodeInstruction(&program.WriteData{DataName: name, Len: 1, Bytes: []byte("x")})))
			}
		},
		"grants": func(s *scene) {
			s.cast(7)
			k, bob := s.claimed(), s.at("bob")
			theft := s.write("bob", k, "notes", "mine!", 0, 5)
			s.no(program.ErrNotAuthority, theft)
			s.ok(s.notes("hello"))
			s.no(program.ErrNoGrant, theft)
			s.ok(s.grant(k, bob, program.GrantRead))
			s.no(program.ErrNoGrant, theft)
			s.ok(s.grant(k, bob, program.GrantRead|program.GrantWrite))
			s.no(program.ErrNotAuthority, s.write("bob", k, "notes", "mine!", 0, 6))
			s.no(program.ErrNoGrant, s.write("carol", k, "notes", "mine!", 0, 5))
			s.ok(theft)
			s.ok(s.revoke("alice", k, bob))
			s.no(program.ErrNoGrant, theft)
			s.no(program.ErrNoGrant, s.revoke("alice", k, bob))
			for _, flags := range []uint8{0, 4, 255} {
				s.no(program.ErrBadFlags, s.grant(k, bob, flags))
			}
			s.no(program.ErrNotAuthority, swap(s.grant(k, bob, 1), 0, bob))
		},
		"the worker's grant ends with the task": func(s *scene) {
			s.cast(7)
			k := s.created()
			s.ok(s.notes("hello"))
			s.ok(s.grant(k, nobody, program.GrantWrite))
			theft := s.write("bob", k, "notes", "mine!", 0, 5)
			s.no(program.ErrNoGrant, theft)
			s.ok(s.claim(k, "bob", 0))
			k.worker = "bob"
			s.ok(theft)
			s.no(program.ErrNotAuthority, s.revoke("carol", k, nobody))
			s.ok(s.start(k))
			s.ok(s.submit(k))
			s.ok(s.accept(k))
			s.no(program.ErrNoGrant, theft)
			s.ok(s.revoke("carol", k, nobody))
		},
		"eight grants": func(s *scene) {
			s.cast(7)
			k := s.created()
			s.ok(s.notes("x"))
			for i := range 8 {
				s.ok(s.grant(k, s.at(fmt.Sprint("friend ", i)), 1))
			}
			s.no(program.ErrGrantsFull, s.grant(k, s.at("friend 8"), 1))
			s.ok(s.grant(k, s.at("friend 3"), 3))
			s.ok(s.prog.CancelTask(s.at("alice"), k.at))
			s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
			s.ok(s.revoke("carol", k, s.at("friend 0")))
			s.ok(s.grant(k, s.at("friend 8"), 2))
		},
		"close": func(s *scene) {
			s.cast(7)
			s.ok(s.notes("x"))
			i := s.prog.CloseData(s.at("alice"), s.notesAt())
			s.no(program.ErrNotAuthority, swap(i, 0, s.at("bob")))
			s.ok(i)
			s.ok(s.notes("y"))
		},
		"prefunded": func(s *scene) {
			s.cast(7)
			s.put(s.notesAt(), difftest.Wallet(solana.PublicKey(s.notesAt()), sol).Account)
			s.ok(s.notes("hello"))
			s.ok(s.write("alice", task{}, "notes", "", 0, 10))
			s.ok(s.notes(string(bytes.Repeat([]byte("h"), 4))))
		},
	}
}
