package dispute_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/ledger"
	"ojud/ledger/escrow"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/dispute"
	"ojud/node/library"
	"ojud/test/longtest"
	"ojud/voting"
)

const sol = client.Lamports(onchain.LamportsPerSOL)

// reader accepts a claim that says "delivered", unless the answer has a proof against it. It
// abstains if it lacks a document, so that a test sees whether all of them came.
type reader struct{}

func (reader) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	o := casefile.Opinion{Choice: casefile.Choice(voting.Reject), Summary: "The claim is not shown.", Model: "script"}
	switch {
	case b.Task.Err != nil || b.Result.Err != nil || b.Objection.Err != nil || b.Counter.Err != nil:
		o.Choice, o.Summary = casefile.Choice(voting.Abstain), "A document is missing."
	case strings.Contains(string(b.Result.Raw), "delivered") && !strings.Contains(b.Objection.Value.Reason, "never came"):
		o.Choice, o.Summary = casefile.Choice(voting.Accept), "The claim is shown."
	}
	return o, nil
}

// file returns a document of this content.
func file(content string) library.Document {
	raw := []byte(content)
	return library.Document{Content: raw, Hash: casefile.HashOf(raw)}
}

func terms(t *testing.T, what string) library.Document {
	t.Helper()
	doc, err := casefile.ParseTask([]byte(`{"instruction":["` + what + `"],"output_schema":{"type":"object"}}`))
	if err != nil {
		t.Fatal(err)
	}
	return library.Document{Content: doc.Raw, Hash: doc.Hash}
}

// TestDisputesOfOthers: a seller and a buyer that are no agents of the court have a deal in an
// escrow of another program. In a court of whole nodes the seller brings their dispute, once
// answered and once not, the judges decide it as every case, the escrow pays by the verdict, and
// the files verify.
func TestDisputesOfOthers(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(3).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	court, err := cluster.Start(t.Context(), cfg, cluster.Deps{Judge: func(int) judge.Judge { return reader{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := court.Stop(); err != nil {
			t.Error(err)
		}
	})
	seller, buyer := person(t, court, 1), person(t, court, 2)
	agreed, err := library.TaskFile("../../examples/parcel/parcel.terms.json")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := library.ResultFile("../../examples/parcel/parcel.claim.json")
	if err != nil {
		t.Fatal(err)
	}
	answered := deal(t, seller, buyer, agreed)
	done, err := dispute.Open(t.Context(), seller, dispute.Claim{Respondent: self(t, buyer), Terms: agreed, Claim: shown, Amount: sol})
	if err != nil || done.Dispute.Dispute != answered.Subject.String() || len(done.Published) != 4 {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := dispute.Join(t.Context(), seller, answered.Subject, file(`{"reason":"I answer for the buyer."}`)); err == nil {
		t.Error("the claimant answered its own dispute")
	}
	if _, err := seller.Case(t.Context(), answered.Subject); err == nil || !strings.Contains(err.Error(), "its respondent may answer it") {
		t.Errorf("a dispute that waits for an answer: %v", err)
	}
	if _, err := client.PublishVerdict(t.Context(), buyer, answered.Subject); err == nil {
		t.Error("a verdict was published before the case")
	}
	if done, err = dispute.Join(t.Context(), buyer, answered.Subject, file(`{"reason":"The parcel never came."}`)); err != nil || !done.Dispute.Answered {
		t.Fatalf("%+v, %v", done, err)
	}
	v := final(t, court, seller, answered.Subject)
	if v.Verdict != "reject" || !v.Answered || v.Fee != 0 {
		t.Fatalf("answered: %+v", v)
	}
	said := ""
	words, err := dispute.Sides(t.Context(), seller, answered.Subject)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seller.Watch(t.Context(), answered.Subject, func(c client.Change) error { said += words(c.Text) + "\n"; return nil }); err != nil || !strings.Contains(said, "decided for the respondent") || strings.Contains(said, "the creator") {
		t.Errorf("who watches reads %s, %v", said, err)
	}
	pays(t, court, buyer, answered, answered.Buyer, answered.Seller)

	silent := deal(t, seller, buyer, terms(t, "Send a blue bicycle."))
	claim := dispute.Claim{Respondent: self(t, buyer), Terms: terms(t, "Send a blue bicycle."), Claim: file(`{"delivered":"parcel 18"}`), Amount: sol}
	for range 2 { // a second run finds it
		if done, err = dispute.Open(t.Context(), seller, claim); err != nil {
			t.Fatal(err)
		}
	}
	if done.Result != ledger.AlreadyDone.String() || done.Dispute.AnswerBy == 0 || done.Dispute.Fee == 0 {
		t.Errorf("%+v", done)
	}
	if err := court.Chain().Server().Warp(time.Duration(cfg.Params.AnswerSeconds) * time.Second); err != nil {
		t.Fatal(err)
	}
	v = final(t, court, seller, silent.Subject)
	if v.Verdict != "accept" || v.Answered {
		t.Fatalf("silent: %+v", v)
	}
	pays(t, court, seller, silent, silent.Seller, silent.Buyer)
}

// person is a client with money and no agent.
func person(t *testing.T, court *cluster.Cluster, n byte) *client.Client {
	t.Helper()
	network, err := client.LoadNetwork(t.Context(), court.Chain().RPC(), nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Open(t.Context(), network, key, client.DefaultConfig(), client.Deps{Transport: court.Chain().Server().Transport()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Airdrop(t.Context(), key.Address(), 5*sol); err != nil {
		t.Fatal(err)
	}
	return c
}

func self(t *testing.T, c *client.Client) onchain.Address {
	t.Helper()
	a, err := onchain.ParseAddress(c.Me())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// deal lets the buyer hold back one SOL for a dispute that nobody has brought yet.
func deal(t *testing.T, seller, buyer *client.Client, agreed library.Document) escrow.Escrow {
	t.Helper()
	p := client.OfficeOf(buyer).Program()
	e := escrow.Escrow{
		Program: escrow.Devnet(), Court: p.ID(), Subject: program.DisputeAddress(p, self(t, seller), self(t, buyer), agreed.Hash),
		Buyer: self(t, buyer), Seller: self(t, seller), Lamports: uint64(sol), BackAt: time.Now().Add(1000 * time.Hour).Unix(),
	}
	send(t, buyer, "pay in for "+agreed.Hash.String(), e.Open())
	return e
}

func send(t *testing.T, c *client.Client, name string, i onchain.Instruction) {
	t.Helper()
	never := func(context.Context) (bool, error) { return false, nil }
	if _, err := client.OfficeOf(c).Send(t.Context(), client.Order{Name: name, Instructions: []onchain.Instruction{i}, Done: never}); err != nil {
		t.Fatal(err)
	}
}

// final waits for the verdict, and checks the case file of a judge's node.
func final(t *testing.T, court *cluster.Cluster, c *client.Client, at onchain.Address) dispute.View {
	t.Helper()
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		v, err := dispute.Show(t.Context(), c, at)
		if err != nil {
			t.Fatal(err)
		}
		if v.Final {
			verified(t, court, at)
			return v
		}
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatalf("no verdict: %+v", v)
		}
	}
}

// verified waits until a judge's node has the whole record, and checks its file.
func verified(t *testing.T, court *cluster.Cluster, at onchain.Address) {
	t.Helper()
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		raw, missing, err := court.Members()[0].Node().Export(t.Context(), voting.Key(at))
		if err == nil && len(missing) == 0 { // a fact may be known before its content is here
			if r := verify.File(raw); r.OK() {
				return
			} else if !r.Pending() {
				t.Errorf("the file is not verified: %s", r.String())
				return
			}
		}
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatalf("no case file: %v", err)
		}
	}
}

// pays checks that the escrow pays who won, and not who lost.
func pays(t *testing.T, court *cluster.Cluster, sender *client.Client, e escrow.Escrow, winner, loser onchain.Address) {
	t.Helper()
	told := client.OfficeOf(sender).Program().Verdict(e.Subject)
	never := func(context.Context) (bool, error) { return false, nil }
	wrong := client.Order{Name: "pay the loser", Instructions: []onchain.Instruction{e.Pay(told, loser)}, Done: never}
	if _, err := client.OfficeOf(sender).Send(t.Context(), wrong); err == nil {
		t.Error("the escrow paid who lost")
	}
	send(t, sender, "pay by the verdict of "+e.Subject.String(), e.Pay(told, winner))
	all, _, err := client.OfficeOf(sender).Accounts(t.Context(), e.Address())
	if err != nil {
		t.Fatal(err)
	}
	if rent := all[0].Lamports; rent >= uint64(sol) {
		t.Errorf("the escrow still has %d lamports", rent)
	}
}
