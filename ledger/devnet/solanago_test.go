package devnet_test

import (
	"context"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go/rpc"
	confirm "github.com/gagliardetto/solana-go/rpc/sendAndConfirmTransaction"
	"github.com/gagliardetto/solana-go/rpc/ws"
)

// TestSolanaGo drives the server with solana-go over real sockets: airdrop, subscribe, send,
// confirm, read back.
func TestSolanaGo(t *testing.T) {
	_, http, socket := serve(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client := rpc.New(http)
	w, err := ws.Connect(ctx, socket)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()

	logs, err := w.LogsSubscribeMentions(address("bob"), rpc.CommitmentConfirmed)
	if err != nil {
		t.Fatal(err)
	}
	account, err := w.AccountSubscribe(address("bob"), rpc.CommitmentConfirmed)
	if err != nil {
		t.Fatal(err)
	}
	drop, err := client.RequestAirdrop(ctx, address("bob"), 2*sol, rpc.CommitmentConfirmed)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := logs.Recv(ctx); err != nil || got.Value.Signature != drop || got.Value.Err != nil || len(got.Value.Logs) != 2 {
		t.Fatalf("logs %+v %v", got, err)
	}
	if got, err := account.Recv(ctx); err != nil || got.Value.Lamports != 2*sol {
		t.Fatalf("account %+v %v", got, err)
	}
	hash, err := client.GetLatestBlockhash(ctx, rpc.CommitmentConfirmed)
	if err != nil {
		t.Fatal(err)
	}
	tx := transfer(t, "bob", address("carol"), sol, hash.Value.Blockhash)
	sent, err := confirm.SendAndConfirmTransactionWithOpts(ctx, client, w, tx, rpc.TransactionOpts{
		PreflightCommitment: rpc.CommitmentConfirmed,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	statuses, err := client.GetSignatureStatuses(ctx, true, drop, sent)
	if err != nil || len(statuses.Value) != 2 || statuses.Value[1] == nil ||
		statuses.Value[1].ConfirmationStatus != rpc.ConfirmationStatusFinalized {
		t.Fatalf("statuses %+v %v", statuses, err)
	}
	got, err := client.GetTransaction(ctx, sent, &rpc.GetTransactionOpts{Commitment: rpc.CommitmentConfirmed})
	if err != nil || got.Meta.Err != nil || got.Meta.Fee != 5000 || got.BlockTime == nil || *got.Meta.ComputeUnitsConsumed != 150 {
		t.Fatalf("transaction %+v %v", got, err)
	}
	if back, err := got.Transaction.GetTransaction(); err != nil || back.Signatures[0] != sent {
		t.Fatalf("transaction body %v %v", back, err)
	}
	if balance, err := client.GetBalance(ctx, address("carol"), rpc.CommitmentFinalized); err != nil || balance.Value != sol {
		t.Fatalf("balance %+v %v", balance, err)
	}
	list, err := client.GetSignaturesForAddressWithOpts(ctx, address("bob"), &rpc.GetSignaturesForAddressOpts{Commitment: rpc.CommitmentConfirmed})
	if err != nil || len(list) != 2 || list[0].Signature != sent || list[1].Signature != drop {
		t.Fatalf("history %+v %v", list, err)
	}
}

// TestSubscribeAfterLanding has the order of solana-go's own SendAndConfirm: the transaction may
// land before the subscription.
func TestSubscribeAfterLanding(t *testing.T) {
	_, http, socket := serve(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client := rpc.New(http)
	w, err := ws.Connect(ctx, socket)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	drop, err := client.RequestAirdrop(ctx, address("bob"), sol, rpc.CommitmentConfirmed)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []rpc.CommitmentType{rpc.CommitmentProcessed, rpc.CommitmentConfirmed, rpc.CommitmentFinalized} {
		for range 2 { // the second time it has long landed
			sub, err := w.SignatureSubscribe(drop, level)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := sub.Recv(ctx); err != nil || got.Value.Err != nil {
				t.Fatalf("%s: %+v %v", level, got, err)
			}
		}
	}
}
