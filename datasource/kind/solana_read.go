package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/gagliardetto/solana-go/rpc/jsonrpc"
)

type chain struct {
	*solanaSource
	endpoint string
	origin   string // the endpoint without path and query, which may hold a key
	client   *http.Client
	secrets  *secrets
	maxBytes int
}

func (c *chain) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// visit is one answer's use of the RPC node. It bounds the response, and remembers if it was too
// long, because the RPC client does not report why a body ended.
type visit struct {
	*chain
	large bool
}

func (v *visit) Do(r *http.Request) (*http.Response, error) {
	response, err := v.client.Do(r)
	if err != nil {
		return nil, reached(err)
	}
	raw, err := readBounded(response.Body, 2*v.maxBytes+64<<10) // base64 and the envelope
	v.large = v.large || errors.Is(err, ErrLarge)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(raw))
	return response, nil
}

// CloseIdleConnections implements jsonrpc.HTTPClient.
func (v *visit) CloseIdleConnections() { v.client.CloseIdleConnections() }

// rpc makes a client with the current secrets.
func (v *visit) rpc() (*rpc.Client, error) {
	c := v.chain
	endpoint, err := c.secrets.resolve(c.endpoint)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if err := headers(header, c.Headers, c.secrets); err != nil {
		return nil, err
	}
	return rpc.NewWithCustomRPCClient(jsonrpc.NewClientWithOpts(endpoint, &jsonrpc.RPCClientOpts{HTTPClient: v, CustomHeader: header})), nil
}

func (c *chain) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	fields, err := members(request)
	if err != nil {
		return nil, err
	}
	v := &visit{chain: c}
	client, err := v.rpc()
	if err != nil {
		return nil, err
	}
	read := c.account
	if c.Read == "transaction" {
		read = c.transaction
	}
	answer, err := read(ctx, client, fields)
	if v.large {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLarge, c.maxBytes)
	}
	if err != nil {
		return nil, rpcFailure(c.origin, err)
	}
	return encode(answer)
}

// rpcFailure puts an error of the RPC client into a class.
func rpcFailure(origin string, err error) error {
	var said *jsonrpc.RPCError
	if errors.As(err, &said) {
		return fmt.Errorf("%w: the RPC node at %s says %d: %s", ErrRefused, origin, said.Code, bounded(said.Message, 300))
	}
	return fmt.Errorf("%s: %w", origin, err)
}

func (c *chain) account(ctx context.Context, client *rpc.Client, fields map[string]any) (any, error) {
	address, err := c.address(fields)
	if err != nil {
		return nil, err
	}
	got, err := client.GetMultipleAccountsWithOpts(ctx, []solana.PublicKey{address}, &rpc.GetMultipleAccountsOpts{
		Encoding: solana.EncodingBase64, Commitment: rpc.CommitmentFinalized,
	})
	if err != nil {
		return nil, err
	}
	if len(got.Value) != 1 {
		return nil, fmt.Errorf("%w: the RPC node answers for %d accounts, not for one", ErrSchema, len(got.Value))
	}
	answer := map[string]any{"address": address.String(), "slot": got.Context.Slot, "commitment": "finalized", "exists": got.Value[0] != nil}
	account := got.Value[0]
	if account == nil {
		return answer, nil
	}
	if len(c.Owners) > 0 && !slices.Contains(c.Owners, account.Owner) {
		return nil, fmt.Errorf("%w: the account belongs to a program that the owner did not list", ErrRefused)
	}
	if account.Data == nil {
		return nil, fmt.Errorf("%w: the RPC node sends no data", ErrSchema)
	}
	answer["lamports"], answer["owner"] = strconv.FormatUint(account.Lamports, 10), account.Owner.String()
	answer["executable"], answer["data"] = account.Executable, account.Data.GetBinary()
	return answer, nil
}

// address returns the requested account, if it is allowed.
func (c *chain) address(fields map[string]any) (solana.PublicKey, error) {
	if fields["address"] == nil && c.Address != nil {
		return *c.Address, nil
	}
	text, err := scalar(fields, "address")
	if err != nil {
		return solana.PublicKey{}, err
	}
	address, err := solana.PublicKeyFromBase58(text)
	if err != nil {
		return address, fmt.Errorf("%w: \"address\" is no base58 address of 32 bytes", ErrRequest)
	}
	allowed := len(c.Addresses) == 0 && c.Address == nil || slices.Contains(c.Addresses, address) || c.Address != nil && *c.Address == address
	if !allowed {
		return address, fmt.Errorf("%w: the owner did not list this address", ErrRefused)
	}
	return address, nil
}

func (c *chain) transaction(ctx context.Context, client *rpc.Client, fields map[string]any) (any, error) {
	text, err := scalar(fields, "signature")
	if err != nil {
		return nil, err
	}
	signature, err := solana.SignatureFromBase58(text)
	if err != nil {
		return nil, fmt.Errorf("%w: \"signature\" is no base58 signature of 64 bytes", ErrRequest)
	}
	newest := uint64(0)
	got, err := client.GetTransaction(ctx, signature, &rpc.GetTransactionOpts{
		Encoding: solana.EncodingBase64, Commitment: rpc.CommitmentFinalized, MaxSupportedTransactionVersion: &newest,
	})
	if errors.Is(err, rpc.ErrNotFound) {
		return c.absent(ctx, client, signature)
	}
	if err != nil {
		return nil, err
	}
	return c.describe(signature, got)
}

// absent returns the answer that no finalized block up to a slot has the transaction.
func (c *chain) absent(ctx context.Context, client *rpc.Client, signature solana.Signature) (any, error) {
	if len(c.Addresses) > 0 {
		return nil, fmt.Errorf("%w: there is no such transaction, so it mentions no address that the owner listed", ErrRefused)
	}
	slot, err := client.GetSlot(ctx, rpc.CommitmentFinalized)
	if err != nil {
		return nil, err
	}
	return map[string]any{"signature": signature.String(), "slot": slot, "commitment": "finalized", "exists": false}, nil
}

func (c *chain) describe(signature solana.Signature, got *rpc.GetTransactionResult) (any, error) {
	if got.Transaction == nil || got.Meta == nil {
		return nil, fmt.Errorf("%w: the RPC node sends no transaction or no outcome", ErrSchema)
	}
	tx, err := got.Transaction.GetTransaction()
	if err != nil || len(tx.Signatures) == 0 || tx.Signatures[0] != signature {
		return nil, fmt.Errorf("%w: the RPC node sends another transaction than was asked for", ErrSchema)
	}
	keys := append(slices.Clone(tx.Message.AccountKeys), got.Meta.LoadedAddresses.Writable...)
	keys = append(keys, got.Meta.LoadedAddresses.ReadOnly...)
	if len(c.Addresses) > 0 && !slices.ContainsFunc(keys, func(k solana.PublicKey) bool { return slices.Contains(c.Addresses, k) }) {
		return nil, fmt.Errorf("%w: the transaction mentions no address that the owner listed", ErrRefused)
	}
	answer := map[string]any{
		"signature": signature.String(), "slot": got.Slot, "commitment": "finalized", "exists": true, "version": got.Version,
		"error": got.Meta.Err, "fee": strconv.FormatUint(got.Meta.Fee, 10), "accounts": keys, "logs": got.Meta.LogMessages,
		"balances_before": amounts(got.Meta.PreBalances), "balances_after": amounts(got.Meta.PostBalances),
		"transaction": got.Transaction.GetBinary(),
	}
	if got.BlockTime != nil {
		answer["time"] = *got.BlockTime
	}
	return answer, nil
}

func amounts(lamports []uint64) []string {
	out := make([]string, len(lamports))
	for i, n := range lamports {
		out[i] = strconv.FormatUint(n, 10)
	}
	return out
}
