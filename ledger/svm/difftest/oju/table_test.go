package oju_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
)

// note records the outcome of each instruction of the program.
func (s *suite) note(t *testing.T, c difftest.Case, raw difftest.Transaction, failure any) {
	tx, err := solana.TransactionFromBytes(raw.Raw)
	if err != nil {
		t.Fatal(err)
	}
	failed := program.Failure{Index: len(tx.Message.Instructions)}
	if failure != nil {
		if failed, err = program.ParseFailure(failure); err != nil {
			t.Fatal(err)
		}
	}
	for i, ix := range tx.Message.Instructions {
		if i > failed.Index || failed.Index < 0 || tx.Message.AccountKeys[ix.ProgramIDIndex] != c.Programs[0].ID {
			continue
		}
		name := nameless
		if decoded, err := program.DecodeInstruction(ix.Data); err == nil {
			name = decoded.InstructionName()
		}
		result := outcome(0)
		if i == failed.Index {
			result = outcome(failed.Custom)
		}
		if s.seen[name] == nil {
			s.seen[name] = map[outcome]bool{}
		}
		s.seen[name][result] = true
	}
}

// table checks that every instruction succeeded once and every code occurred, and logs which
// instruction gave it.
func (s *suite) table(t *testing.T) {
	names, codes := instructionNames(), 0
	for _, name := range names {
		if !s.seen[name][0] {
			t.Errorf("%s was never seen to succeed", name)
		}
	}
	for name := range s.seen {
		if name != nameless && !slices.Contains(names, name) {
			t.Errorf("%s is not in the list of instructions", name)
		}
	}
	for code := program.ErrBadInstruction; code.Known(); code++ {
		by := s.givers(code)
		t.Logf("%d %-20s %s", uint32(code), code.Name(), strings.Join(by, " "))
		if len(by) == 0 {
			t.Errorf("code %d, %s, was never seen", uint32(code), code.Name())
			continue
		}
		codes++
	}
	t.Logf("%d instructions, %d codes seen", len(names), codes)
}

// givers returns the instructions that failed with the code.
func (s *suite) givers(code program.Code) (by []string) {
	for _, name := range sorted(s.seen) {
		if s.seen[name][outcome(code)] {
			by = append(by, name)
		}
	}
	return by
}

// nameless stands for data that is no instruction.
const nameless = "no instruction"

// instructionNames returns the instructions of protocol section 5, in its order.
func instructionNames() []string {
	return strings.Fields(`init_config propose_rules withdraw_rules propose_authority accept_authority give_up pause open_court admit_judge revoke_admission admit_proctor revoke_proctor register_agent update_agent deposit withdraw withdraw_tokens pledge_tokens pay_pledge
		write_data grant revoke close_data create_task cancel_task claim_task release_task start_task submit_result accept
		object rework counter_object expire join_roster top_up begin_exit withdraw_stake change_withdraw begin_season draw commit relay_commit reveal settle appeal finish_case expire_case
		slash_equivocation claim_reward close_task close_case pull_payment publish_verdict settle_by_engine open_case
		open_dispute join_dispute settle_dispute
		commit_batch open_leaf apply_leaf close_batch uphold_challenge appeal_challenge`)
}
