package program

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/voting"
)

func data(t testing.TB, i onchain.Instruction) []byte {
	t.Helper()
	return i.Data
}

func TestInstructionsRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range sampleCalls(t) {
		raw := data(t, c.last())
		i, err := DecodeInstruction(raw)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		seen[i.InstructionName()] = true
		if !bytes.Equal(EncodeInstruction(i), raw) {
			t.Errorf("%s: decoding and encoding changes the bytes", c.name)
		}
		for n := range raw {
			if _, err := DecodeInstruction(raw[:n]); !errors.Is(err, errInstruction) {
				t.Fatalf("%s cut to %d of %d bytes: %v", c.name, n, len(raw), err)
			}
		}
		if _, err := DecodeInstruction(append(raw, 0)); !errors.Is(err, errInstruction) {
			t.Errorf("%s with a byte too many: %v", c.name, err)
		}
	}
	for _, i := range instructions() {
		if !seen[i.InstructionName()] {
			t.Errorf("%s has no sample", i.InstructionName())
		}
	}
}

func TestAccountsOfInstructions(t *testing.T) {
	for _, c := range sampleCalls(t) {
		i, err := DecodeInstruction(data(t, c.last()))
		if err != nil {
			t.Fatal(err)
		}
		want, got := i.Accounts(), c.last().Accounts
		required := 0
		for _, r := range want {
			if !r.Optional || i.InstructionName() == "write_data" {
				required++
			}
		}
		if len(got) < required || len(got) > len(want) {
			t.Errorf("%s: %d accounts, wants %d to %d", c.name, len(got), required, len(want))
		}
		for n, m := range got {
			if m.Signer != want[n].Signer || m.Writable != want[n].Writable || m.Address.IsZero() && want[n].Name != "system" {
				t.Errorf("%s: account %s is %+v", c.name, want[n].Name, m)
			}
		}
		if c.last().Program != pub("program") {
			t.Errorf("%s goes to %s", c.name, c.last().Program)
		}
	}
}

func TestAddressesInInstructions(t *testing.T) {
	p, creator, worker, task := sampleProgram(), pub("creator"), pub("worker"), pub("task")
	for _, c := range []struct {
		i    onchain.Instruction
		want []onchain.Address
	}{
		{p.Draw(task), []onchain.Address{p.Roster(), p.Case(task), task}},
		{p.Settle(task, creator, worker), []onchain.Address{p.Roster(), p.Case(task), task, p.Agent(creator), p.Agent(worker), p.Pot()}},
		{p.CreateTask(creator, 9, 7, CreateTask{}), []onchain.Address{creator, p.Config(), p.Rules(7), p.Agent(creator), p.Task(creator, 9), p.Roster(), onchain.SystemProgram()}},
		{p.ClaimTask(worker, task, 7, ClaimTask{}), []onchain.Address{worker, p.Config(), p.Rules(7), p.Agent(worker), task, p.Roster()}},
		{p.SubmitResult(worker, creator, task, 7, SubmitResult{}), []onchain.Address{worker, p.Rules(7), p.Agent(creator), task}},
		{p.Rework(worker, creator, task, 7), []onchain.Address{worker, p.Rules(7), p.Agent(creator), task}},
		{p.CounterObject(worker, task, 7, CounterObject{}), []onchain.Address{worker, p.Rules(7), p.Agent(worker), task, p.Case(task), onchain.SystemProgram()}},
		{p.Expire(task, creator, onchain.Address{}), []onchain.Address{p.Config(), task, p.Agent(creator), p.Pot()}},
		{p.ProposeRules(creator, 7, ProposeRules{}), []onchain.Address{creator, p.Config(), p.Rules(7), p.Rules(8), onchain.SystemProgram()}},
		{p.WithdrawRules(creator, 8), []onchain.Address{creator, p.Config(), p.Rules(7), p.Rules(8)}},
		{p.AdmitJudge(creator, AdmitJudge{worker}), []onchain.Address{creator, p.Config(), p.Admission(worker), onchain.SystemProgram()}},
		{p.RevokeAdmission(creator, worker, task), []onchain.Address{creator, p.Config(), p.Admission(worker), task}},
		{p.PublishVerdict(creator, task), []onchain.Address{creator, task, p.Case(task), p.Verdict(task), onchain.SystemProgram()}},
		{p.CloseCase(task, worker, onchain.Address{}), []onchain.Address{p.Case(task), worker}},
		{p.ClaimReward(creator, creator, ClaimReward{worker}), []onchain.Address{p.Roster(), creator}},
		{p.ClaimReward(creator, task, ClaimReward{worker}), []onchain.Address{p.Roster(), task, creator}},
		{p.UpdateAgent(worker, creator, UpdateAgent{}), []onchain.Address{worker, p.Agent(worker)}},
		{p.UpdateAgent(worker, creator, UpdateAgent{Operator: creator}), []onchain.Address{worker, p.Agent(worker)}},
		{p.UpdateAgent(worker, creator, UpdateAgent{Operator: task}), []onchain.Address{worker, p.Agent(worker), task}},
	} {
		var got []onchain.Address
		for _, m := range c.i.Accounts {
			got = append(got, m.Address)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("accounts\n got %v\nwant %v", got, c.want)
		}
	}
}

// A node that lost its disk reads the sealed opening from its own commit transaction.
func TestSealedBytesComeBack(t *testing.T) {
	sealed := bytes.Repeat([]byte{0xa5}, 93)
	i, err := DecodeInstruction(data(t, sampleProgram().Commit(pub("j"), pub("task"), Commit{2, sum("c"), sealed})))
	if err != nil {
		t.Fatal(err)
	}
	if c := i.(*Commit); !bytes.Equal(c.Sealed, sealed) || c.Round != 2 || c.Commitment != sum("c") {
		t.Errorf("%+v", c)
	}
}

func TestLengthThatIsNotThere(t *testing.T) {
	raw := EncodeInstruction(&Commit{Round: 1, Commitment: sum("c"), Sealed: []byte{1}})
	for i := range 4 {
		raw[len(raw)-2-i] = 0xff // the length becomes 2^32 − 1
	}
	if _, err := DecodeInstruction(raw); !errors.Is(err, errInstruction) {
		t.Errorf("a length of 4 GiB: %v", err)
	}
	bad := EncodeInstruction(&WriteData{DataName: "\xff", Bytes: []byte{1}})
	if _, err := DecodeInstruction(bad); !errors.Is(err, errInstruction) {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
}

func TestDataNames(t *testing.T) {
	p := sampleProgram()
	for name, ok := range map[string]bool{"a": true, "a.b_c-9": true, "": false, "A": false, "ä": false, "a/b": false,
		"0123456789012345678901234567890a": true, "0123456789012345678901234567890ab": false} {
		_, err := p.WriteData(pub("a"), pub("a"), onchain.Address{}, WriteData{DataName: name})
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestEd25519RoundTrip(t *testing.T) {
	d := domain()
	message := d.JoinProof(voting.Key(pub("a")))
	one := SelfContained{peer("x"), sign(t, "x", message), message}
	two := SelfContained{peer("y"), sign(t, "y", []byte("m")), []byte("m")}
	raw := data(t, Ed25519(one, two))
	if want := 2 + 2*14 + 2*96 + len(message) + 1; len(raw) != want {
		t.Errorf("%d bytes, not %d", len(raw), want)
	}
	got, err := decodeEd25519(raw)
	if err != nil || !reflect.DeepEqual(got, []SelfContained{one, two}) {
		t.Errorf("%v, %v", got, err)
	}
	for n := range raw {
		if _, err := decodeEd25519(raw[:n]); !errors.Is(err, errEd25519) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	for _, field := range []int{1, 3, 6} {
		foreign := bytes.Clone(raw)
		foreign[2+2*field] = 0
		if _, err := decodeEd25519(foreign); !errors.Is(err, errEd25519) {
			t.Errorf("field %d points elsewhere: %v", field, err)
		}
	}
}

func TestSlashRefusesWhatProvesNothing(t *testing.T) {
	p, good := sampleProgram(), sampleEvidence(t)
	same := good
	same.B = same.A
	forged := good
	forged.B.Signature[0] ^= 1
	for name, e := range map[string]voting.Evidence{"same": same, "forged": forged} {
		if _, err := p.SlashEquivocation(0, domain().Network, e); err == nil {
			t.Errorf("%s evidence is taken", name)
		}
	}
	if _, err := p.SlashEquivocation(0, sum("another network"), good); err == nil {
		t.Error("evidence of another network is taken")
	}
	list, err := p.SlashEquivocation(3, domain().Network, good)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := decodeEd25519(data(t, list[0]))
	if err != nil || len(signed) != 2 || len(signed[0].Message) != voting.StatementSize {
		t.Errorf("%v %v", signed, err)
	}
}

func TestRelayRefusesWhatWasNotAsked(t *testing.T) {
	p, d, good := sampleProgram(), domain(), sampleRelay(t, nil)
	forged, sealed := good, good
	forged.Request[0] ^= 1
	sealed.Sealed = make([]byte, voting.SealedSize)
	for name, n := range map[string]voting.Relay{"forged": forged, "sealed otherwise": sealed} {
		if _, err := p.RelayCommit(d.Network, peer("judge 0"), n); err == nil {
			t.Errorf("a request that is %s is taken", name)
		}
	}
	if _, err := p.RelayCommit(d.Network, peer("judge 1"), good); err == nil {
		t.Error("the request of another node is taken")
	}
	if _, err := p.RelayCommit(sum("another network"), peer("judge 0"), good); err == nil {
		t.Error("a request of another network is taken")
	}
	list, err := p.RelayCommit(d.Network, peer("judge 0"), good)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := decodeEd25519(data(t, list[0]))
	if err != nil || len(signed) != 1 || len(signed[0].Message) != voting.RelayRequestSize {
		t.Errorf("%v %v", signed, err)
	}
}

// size is that of a transaction with these instructions, a fee payer of its own and the two
// instructions that set the fee.
func size(t *testing.T, list ...onchain.Instruction) int {
	t.Helper()
	budget := []solana.Instruction{
		solana.NewInstruction(solana.ComputeBudget, nil, make([]byte, 5)),
		solana.NewInstruction(solana.ComputeBudget, nil, make([]byte, 9)),
	}
	tx, err := solana.NewTransaction(append(budget, Native(list...)...), solana.Hash{}, solana.TransactionPayer(solana.PublicKey(pub("payer"))))
	if err != nil {
		t.Fatal(err)
	}
	tx.Signatures = make([]solana.Signature, tx.Message.Header.NumRequiredSignatures)
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return len(raw)
}

func TestTransactionsFit(t *testing.T) {
	const limit = 1_232
	for _, c := range sampleCalls(t) {
		n := size(t, c.list...)
		if n > limit {
			t.Errorf("%s: %d bytes", c.name, n)
		}
		t.Logf("%-20s %4d bytes", c.name, n)
	}
	for _, n := range []int{WritePiece, WritePiece + 1} {
		full, err := sampleProgram().WriteData(pub("w"), pub("a"), pub("t"),
			WriteData{DataName: "01234567890123456789012345678901", Bytes: make([]byte, n)})
		if err != nil {
			t.Fatal(err)
		}
		if fits := size(t, full) <= limit; fits != (n == WritePiece) {
			t.Errorf("write_data of %d bytes: %d bytes", n, size(t, full))
		}
	}
}

func FuzzDecodeInstruction(f *testing.F) {
	for _, c := range sampleCalls(f) {
		f.Add(data(f, c.last()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		i, err := DecodeInstruction(data)
		if err == nil && !bytes.Equal(EncodeInstruction(i), data) {
			t.Fatalf("%s has two encodings", i.InstructionName())
		}
	})
}

func FuzzDecodeEd25519(f *testing.F) {
	f.Add(data(f, Ed25519(SelfContained{Message: []byte("m")}, SelfContained{})))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := decodeEd25519(data)
		if err == nil && len(all) != int(data[0]) {
			t.Fatalf("%d signatures of %d", len(all), data[0])
		}
	})
}
