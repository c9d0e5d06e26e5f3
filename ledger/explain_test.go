package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/ledger/program"
)

// TestExplain: a refusal names the limit of this court, and other errors stay as they are.
func TestExplain(t *testing.T) {
	node := newFakeNode()
	params := program.DefaultParams()
	params.MinReward, params.MinStake = 77, 88
	node.set(node.program.Config(), &program.Config{Params: params})
	c := node.open(t, testConfig())
	refused := func(code program.Code, ours bool) error {
		return fmt.Errorf("outside: %w", &Rejection{Failure: program.Failure{Kind: "Custom", HasCustom: true, Custom: uint32(code)}, Ours: ours})
	}
	for code, want := range map[program.Code]string{program.ErrBadReward: "77 lamports", program.ErrStakeTooSmall: "88 lamports"} {
		err := c.Explain(t.Context(), refused(code, true))
		if !strings.Contains(err.Error(), want) || !errors.Is(err, code) {
			t.Errorf("%s: %v", code.Name(), err)
		}
	}
	for _, err := range []error{errors.New("x"), refused(program.ErrTooLate, true), refused(program.ErrBadReward, false)} {
		if got := c.Explain(t.Context(), err); got.Error() != err.Error() {
			t.Errorf("%v became %v", err, got)
		}
	}
}
