package check_test

import (
	"fmt"
	"testing"
)

// TestPays: recipient, amount and memo of a transaction, as a source of the kind "solana" shows it.
func TestPays(t *testing.T) {
	const to, payer = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "4Nd1mYxJx2bqE4M1WQh6wC3yq9Nn2v5c8oZB1rLq7uTK"
	const began, ended = `"Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr invoke [1]"`, `"Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr success"`
	const other, logged = `"Program 11111111111111111111111111111111 invoke [1]"`, `"Program log: Memo (len 5): \"INV-7\""`
	shown := func(first, second, after, logs string) string {
		return fmt.Sprintf(`{"exists":true,"error":null,"accounts":[%q,%q],"balances_before":["900","5"],"balances_after":["640",%q],"logs":[%s]}`, first, second, after, logs)
	}
	good := shown(payer, to, "255", began+","+logged+","+ended)
	for _, c := range []struct{ answer, more, want string }{
		{good, `,"memo":"INV-7"`, met},
		{good, "", met},
		{good, `,"memo":"INV-8"`, `no memo "INV-8"`},
		{shown(payer, to, "254", ""), "", "got 249 lamports instead of 250"},
		{shown(payer, to, "1", ""), "", "got -4 lamports"},
		{shown(payer, payer, "255", ""), "", "does not mention"},
		{shown(to, payer, "255", ""), "", unknown},
		{shown(payer, to, "255", ""), `,"memo":"INV-7"`, unknown},
		{shown(payer, to, "255", other+`,"Log truncated"`), `,"memo":"INV-7"`, unknown},
		{shown(payer, to, "x", ""), "", unknown},
		{`{"exists":false,"error":null}`, "", "no finalized block"},
		{`{"exists":true,"error":{"InstructionError":[0,1]}}`, "", "the transaction failed"},
		{`{"exists":true,"error":null}`, "", unknown},
		{`{"exists":true}`, "", unknown},
		{`[]`, "", unknown},
	} {
		found, err := made(t, fmt.Sprintf(`{"path":"","data":{"data_source":"s","request":{}},"pays":{"to":%q,"lamports":"250"%s}}`, to, c.more), `{}`, c.answer)
		say(t, c.answer+c.more, c.want, found, err)
	}
}

// TestAttackForgedMemo: a payer who did not write the memo lets a program of its own log the line
// of the memo program, before, after and around it. None of these passes.
func TestAttackForgedMemo(t *testing.T) {
	const to = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
	const began, ended = `"Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr invoke [2]"`, `"Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr success"`
	const own, logged = `"Program 4Nd1mYxJx2bqE4M1WQh6wC3yq9Nn2v5c8oZB1rLq7uTK invoke [1]"`, `"Program log: Memo (len 5): \"INV-7\""`
	const says = `"Program log: MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr invoke [1]"`
	for _, logs := range []string{
		own + "," + logged, own + "," + began + "," + ended + "," + logged, logged + "," + began + "," + ended, own + "," + says + "," + logged,
		own + "," + began + `,"Program log: Memo (len 5): \"INV-8\"",` + ended + "," + logged,
	} {
		answer := fmt.Sprintf(`{"exists":true,"error":null,"accounts":["x",%q],"balances_before":["900","5"],"balances_after":["640","255"],"logs":[%s]}`, to, logs)
		found, err := made(t, fmt.Sprintf(`{"path":"","data":{"data_source":"s","request":{}},"pays":{"to":%q,"lamports":"250","memo":"INV-7"}}`, to), `{}`, answer)
		say(t, logs, "no memo", found, err)
	}
}

// TestAttackOldPayment: a worker hands in a payment that somebody made before, or that another one
// made, such as the creator's own of last year. The task can say who pays, and since when.
func TestAttackOldPayment(t *testing.T) {
	const to, payer, other = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "4Nd1mYxJx2bqE4M1WQh6wC3yq9Nn2v5c8oZB1rLq7uTK", "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"
	const from, after = `,"from":"` + payer + `"`, `,"after":"2026-11-28T00:00:00Z"`
	shown := func(who, left, when string) string {
		return fmt.Sprintf(`{"exists":true,"error":null,"accounts":[%q,%q,%q],"balances_before":["900","5","77"],"balances_after":[%q,"255","77"],"logs":[]%s}`, who, to, other, left, when)
	}
	for _, c := range []struct{ answer, more, want string }{
		{shown(payer, "640", `,"time":1795824000`), from + after, met},
		{shown(payer, "640", `,"time":1795823999`), from + after, "before 2026-11-28"},
		{shown(payer, "640", `,"time":1500000000`), after, "is of 2017-07-14"},
		{shown(payer, "640", `,"time":1500000000`), from, met},
		{shown(payer, "640", ""), after, unknown},
		{shown(payer, "640", `,"time":null`), after, unknown},
		{shown(payer, "640", `,"time":"soon"`), after, unknown},
		{shown(payer, "651", ""), from, "has 249 lamports less instead of 250"},
		{shown(payer, "x", ""), from, unknown},
		{shown("x", "640", ""), from, "does not mention " + payer},
		{shown(payer, "640", ""), `,"from":"` + other + `"`, "has 0 lamports less instead of 250"},
		{shown(payer, "640", ""), "", met},
	} {
		found, err := made(t, fmt.Sprintf(`{"path":"","data":{"data_source":"s","request":{}},"pays":{"to":%q,"lamports":"250"%s}}`, to, c.more), `{}`, c.answer)
		say(t, c.answer+c.more, c.want, found, err)
	}
}
