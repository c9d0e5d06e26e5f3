package deploy_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ojud/ledger"
	"ojud/ledger/deploy"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
	"ojud/ledger/transact"
	"ojud/test/longtest"
)

func key(t *testing.T, n byte) *ledger.Keypair {
	t.Helper()
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// mortal is a way to the chain on which a program that was killed sends nothing any more.
type mortal struct {
	http.RoundTripper
	mu   sync.Mutex
	left int // transactions until it dies; negative: it does not
	sent int
	dies context.CancelFunc
}

var errKilled = errors.New("killed")

func (m *mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes.Contains(raw, []byte(`"sendTransaction"`)) {
		if m.left == 0 {
			m.dies()
			return nil, errKilled
		}
		m.left--
		m.sent++
	}
	return m.RoundTripper.RoundTrip(r)
}

// world is a chain without programs, and a founder with money.
type world struct {
	way    *mortal
	client *ledger.Client
	order  deploy.Wanted
	server *devnet.Server
}

// elf is a program of several pieces.
func elf() []byte {
	return asm.MustELF(strings.Repeat("mov64 r0, 7\n", 600)+"mov64 r0, 0\nexit", sbpf.V3)
}

func newWorld(t *testing.T, lamports uint64) *world {
	t.Helper()
	seed := sha256.Sum256([]byte(t.Name()))
	server, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{Seed: seed[:]}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-over, server.Close()); err != nil {
			t.Error(err)
		}
	})
	w := &world{way: &mortal{RoundTripper: server.Transport(), left: -1}, server: server}
	program := key(t, 2)
	w.order = deploy.Wanted{Program: program.Address(), ELF: elf(), Room: 1000, Payer: key(t, 1), Key: program}
	w.open(t)
	if lamports > 0 {
		w.give(t, w.order.Payer, lamports)
	}
	return w
}

// give gives lamports and waits for their block, so that everything before is confirmed, too.
func (w *world) give(t *testing.T, to *ledger.Keypair, lamports uint64) {
	t.Helper()
	sig, err := w.client.Airdrop(t.Context(), to.Address(), lamports)
	if err == nil {
		_, err = w.client.Await(t.Context(), sig)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// open begins again, as a new process does.
func (w *world) open(t *testing.T) {
	t.Helper()
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Calls.Rate, cfg.Calls.Patience, cfg.Send.Status = "http://node.test:8899", "ws://node.test:8900", 0, cfg.Calls.Timeout, cfg.Send.Status/10
	var err error
	if w.client, err = ledger.New(cfg, w.order.Program, ledger.Deps{Transport: w.way}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Close)
}

// run deploys and dies after some transactions.
func (w *world) run(t *testing.T, after int) (deploy.Survey, error) {
	t.Helper()
	w.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := ledger.OpenSender(ctx, w.client, &ledger.MemoryOutbox{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w.way.mu.Lock()
	w.way.left, w.way.dies = after, cancel
	w.way.mu.Unlock()
	p, err := deploy.Run(ctx, w.client, s, w.order, 0, func(string, int, int) {})
	s.Close()
	w.way.mu.Lock()
	w.way.left = -1
	w.way.mu.Unlock()
	return p, err
}

func (w *world) look(t *testing.T) deploy.Survey {
	t.Helper()
	p, err := deploy.Look(t.Context(), w.client, w.order, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDeploy: a look says what it costs, and a run costs that.
func TestDeploy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onchain.LamportsPerSOL)
	before := w.look(t)
	if before.Deployed || before.Missing != 0 || before.Held != 0 || before.Transactions != 2+(len(elf())+951)/952 {
		t.Errorf("%+v", before)
	}
	p, err := w.run(t, -1)
	if err != nil || !p.Deployed || p.Authority != w.order.Payer.Address() {
		t.Fatalf("%+v, %v", p, err)
	}
	if paid := before.Balance - p.Balance; paid != before.Rent+before.Fees || w.way.sent != before.Transactions {
		t.Errorf("paid %d of %d + %d, %d of %d transactions", paid, before.Rent, before.Fees, w.way.sent, before.Transactions)
	}
	if p, err := w.run(t, 0); err != nil || !p.Deployed {
		t.Errorf("again: %+v, %v", p, err)
	}
}

// TestDies: a run that dies after any of its transactions is continued by the next one, which pays
// nothing twice.
func TestDies(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	w := newWorld(t, onchain.LamportsPerSOL)
	first := w.look(t)
	runs := 0
	for ; ; runs++ {
		p, err := w.run(t, 1)
		if err == nil && p.Deployed {
			break
		}
		if runs > first.Transactions {
			t.Fatalf("%+v, %v", p, err)
		}
		w.give(t, key(t, 3), onchain.LamportsPerSOL)
	}
	if last := w.look(t); runs < 3 || first.Balance-last.Balance != first.Rent+first.Fees {
		t.Errorf("%d runs, paid %d, not %d", runs, first.Balance-last.Balance, first.Rent+first.Fees)
	}
}

// TestRefused: what cannot go well is refused before anything is paid, and the error says why.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	if p := w.look(t); p.Balance != 0 || p.Missing <= p.Rent {
		t.Errorf("without money: %+v", p)
	}
	if _, err := w.run(t, 0); !errors.Is(err, transact.ErrNoFunds) || !strings.Contains(err.Error(), w.order.Payer.Address().String()) {
		t.Errorf("without money: %v", err)
	}
	w = newWorld(t, onchain.LamportsPerSOL)
	good := w.order
	for name, c := range map[string]struct {
		change func(*deploy.Wanted)
		want   error
	}{
		"a wallet is there": {func(o *deploy.Wanted) { o.Program = o.Payer.Address() }, deploy.ErrTaken},
		"too large":         {func(o *deploy.Wanted) { o.Room = 10 << 20 }, nil},
		"no program":        {func(o *deploy.Wanted) { o.ELF = nil }, nil},
	} {
		w.order = good
		c.change(&w.order)
		if _, err := deploy.Look(t.Context(), w.client, w.order, 0); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.order = good
	w.order.Key = key(t, 9)
	if _, err := w.run(t, -1); err == nil || !strings.Contains(err.Error(), "key of the program's address") {
		t.Errorf("another program's key: %v", err)
	}
	held := w.look(t)
	if held.Held == 0 || held.Deployed {
		t.Fatalf("the refused run left %+v", held)
	}
	w.order = good
	if _, err := w.run(t, -1); err != nil {
		t.Fatal(err)
	}
	w.order.Payer = key(t, 3)
	if _, err := deploy.Look(t.Context(), w.client, w.order, 0); !errors.Is(err, deploy.ErrOther) || !strings.Contains(err.Error(), good.Payer.Address().String()) {
		t.Errorf("another upgrade authority: %v", err)
	}
	w.order = good
	w.order.ELF = append([]byte{1}, w.order.ELF[1:]...)
	if _, err := deploy.Look(t.Context(), w.client, w.order, 0); !errors.Is(err, deploy.ErrOther) {
		t.Errorf("another program: %v", err)
	}
}

// TestRefund: the rent of a run that is abandoned comes back, and another program takes the buffer
// over.
func TestRefund(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	w := newWorld(t, onchain.LamportsPerSOL)
	if _, err := w.run(t, 2); err == nil {
		t.Fatal("it did not die")
	}
	w.order.ELF = append(w.order.ELF, make([]byte, 8)...) // another version of ojud
	if p := w.look(t); p.Held == 0 {
		t.Errorf("%+v", p)
	}
	if p, err := w.run(t, -1); err != nil || !p.Deployed {
		t.Fatalf("%+v, %v", p, err)
	}
	program := key(t, 7)
	w.order.Program, w.order.Key = program.Address(), program
	if _, err := w.run(t, 2); err == nil {
		t.Fatal("it did not die")
	}
	w.open(t)
	s, err := ledger.OpenSender(t.Context(), w.client, &ledger.MemoryOutbox{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	held := w.look(t).Held
	if back, err := deploy.Refund(t.Context(), w.client, s, w.order.Payer, true); err != nil || back != held || w.look(t).Held != held {
		t.Errorf("a dry run: %d of %d, %v", back, held, err)
	}
	back, err := deploy.Refund(t.Context(), w.client, s, w.order.Payer, false)
	if p := w.look(t); err != nil || back != held || p.Held != 0 {
		t.Errorf("%d of %d came back, %+v, %v", back, held, p, err)
	}
	if back, err := deploy.Refund(t.Context(), w.client, s, w.order.Payer, false); err != nil || back != 0 {
		t.Errorf("again: %d, %v", back, err)
	}
}

// TestUpgrade: an upgrade that died goes on, and its buffer's rent comes back. If another key may
// upgrade the program, it is given the buffer, and has to sign the rest.
func TestUpgrade(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	w := newWorld(t, onchain.LamportsPerSOL)
	if _, err := w.run(t, -1); err != nil {
		t.Fatal(err)
	}
	w.order.Upgrade = true
	if p := w.look(t); !p.Deployed {
		t.Errorf("the same program: %+v", p)
	}
	w.order.ELF = asm.MustELF(strings.Repeat("mov64 r0, 9\n", 650)+"mov64 r0, 0\nexit", sbpf.V3)
	before := w.look(t)
	if _, err := w.run(t, 3); err == nil {
		t.Fatal("it did not die")
	}
	w.give(t, key(t, 3), onchain.LamportsPerSOL)
	p, err := w.run(t, -1)
	if err != nil || !p.Deployed || before.Balance-p.Balance != before.Fees {
		t.Errorf("%+v, %v, paid %d, not %d", p, err, before.Balance-p.Balance, before.Fees)
	}
	w.order.ELF = append(elf(), make([]byte, 5000)...)
	if _, err := deploy.Look(t.Context(), w.client, w.order, 0); !errors.Is(err, deploy.ErrTaken) || !strings.Contains(err.Error(), "extend") {
		t.Errorf("a program without room: %v", err)
	}
	w.order.ELF, w.order.Payer = elf(), key(t, 3)
	p, err = w.run(t, -1)
	if err != nil || p.Deployed || p.Awaited == nil || !p.Awaited.Accounts[6].Signer || p.Awaited.Accounts[6].Address != key(t, 1).Address() {
		t.Fatalf("another authority: %+v, %v", p, err)
	}
	w.send(t, key(t, 1), *p.Awaited)
	if p := w.look(t); !p.Deployed {
		t.Errorf("what the authority signed did not upgrade: %+v", p)
	}
	w.send(t, key(t, 1), deploy.HandOver(program.New(w.order.Program).ProgramData(), key(t, 1).Address(), onchain.Address{}))
	w.order.ELF = append([]byte{}, append(elf(), 0, 0, 0, 0, 1)...)
	if _, err := deploy.Look(t.Context(), w.client, w.order, 0); !errors.Is(err, deploy.ErrOther) || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("a frozen program: %v", err)
	}
}

// send sends one instruction.
func (w *world) send(t *testing.T, by *ledger.Keypair, i onchain.Instruction) {
	t.Helper()
	s, err := ledger.OpenSender(t.Context(), w.client, &ledger.MemoryOutbox{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if out, err := s.Submit(t.Context(), []onchain.Instruction{i}, ledger.SubmitOptions{Payer: by}); err != nil || out.Class != ledger.Landed {
		t.Fatalf("%+v, %v", out, err)
	}
}

// dust sends lamports to an address.
func (w *world) dust(t *testing.T, to onchain.Address, lamports uint64) {
	t.Helper()
	sig, err := w.client.Airdrop(t.Context(), to, lamports)
	if err == nil {
		_, err = w.client.Await(t.Context(), sig)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAttackDeployDust: a stranger sends lamports to the addresses that a founder will need, before
// the first transaction and after some. They are of use to the founder. Only the address of the
// program's data is lost, and then another key of the program goes on with what is written.
func TestAttackDeployDust(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const least = 890_880
	w := newWorld(t, onchain.LamportsPerSOL)
	clean := w.look(t)
	w.dust(t, clean.Buffer, least)
	w.dust(t, w.order.Program, least)
	w.open(t)
	s, err := ledger.OpenSender(t.Context(), w.client, &ledger.MemoryOutbox{})
	if err != nil {
		t.Fatal(err)
	}
	if back, err := deploy.Refund(t.Context(), w.client, s, w.order.Payer, false); err != nil || back != 0 {
		t.Errorf("a refund of dust: %d, %v", back, err)
	}
	s.Close()
	p, err := w.run(t, -1)
	if err != nil || !p.Deployed || clean.Balance-p.Balance != clean.Rent+clean.Fees-2*least {
		t.Fatalf("%+v, %v, paid %d, not %d", p, err, clean.Balance-p.Balance, clean.Rent+clean.Fees-2*least)
	}
	next := key(t, 7)
	w.order.Program, w.order.Key = next.Address(), next
	if _, err := w.run(t, 3); err == nil {
		t.Fatal("it did not die")
	}
	held := w.look(t).Held
	w.dust(t, program.New(w.order.Program).ProgramData(), least)
	if _, err := w.run(t, -1); !errors.Is(err, deploy.ErrTaken) || !strings.Contains(err.Error(), "--program-key") {
		t.Errorf("dust where the program's data would be: %v", err)
	}
	next = key(t, 8)
	w.order.Program, w.order.Key = next.Address(), next
	if p := w.look(t); p.Held != held {
		t.Errorf("another key does not go on: %+v", p)
	}
	w.dust(t, w.order.Program, onchain.LamportsPerSOL)
	if _, err := deploy.Look(t.Context(), w.client, w.order, 0); !errors.Is(err, deploy.ErrTaken) || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a wallet: %v", err)
	}
	next = key(t, 9)
	w.order.Program, w.order.Key = next.Address(), next
	if p, err := w.run(t, -1); err != nil || !p.Deployed {
		t.Errorf("%+v, %v", p, err)
	}
}

// dear is a node that names another rent than the cluster has.
type dear struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (d dear) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	answer, err := d.RoundTripper.RoundTrip(r)
	if err != nil || !bytes.Contains(raw, []byte("getMinimumBalanceForRentExemption")) {
		return answer, err
	}
	told, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	told = regexp.MustCompile(`"result":\d+`).ReplaceAll(told, []byte(`"result":50000000000`))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(told)), int64(len(told))
	answer.Header.Del("Content-Length")
	return answer, nil
}

// TestAttackDeployRent: a node asks for 50 SOL of rent, which would be locked in the program's
// account for ever.
func TestAttackDeployRent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000*onchain.LamportsPerSOL)
	w.way.RoundTripper = dear{w.way.RoundTripper}
	if p, err := w.run(t, -1); err == nil || !strings.Contains(err.Error(), "the usual is") || w.way.sent != 0 {
		t.Errorf("%+v, %v, %d transactions", p, err, w.way.sent)
	}
}
