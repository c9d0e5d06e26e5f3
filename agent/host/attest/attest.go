// Package attest makes and checks attestations: what an agent signs about a call that it answered.
// An attestation names the task, the delegation and the outcome by their hashes. The caller has all
// three, so it can check that this agent gave this outcome for this task.
package attest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/agent/host"
	"ojud/casefile"
	"ojud/casefile/canon"
)

// maxBytes bounds a task and an outcome as canonical JSON.
const maxBytes = 2 << 20

// domain begins what is signed, so that the signature says nothing else elsewhere.
const domain = "ojud/agent-attestation/1\x00"

// errAttestation: an attestation does not prove what it should.
var errAttestation = errors.New("the attestation does not hold")

// Commission is what a caller asks for.
type Commission struct {
	Caller      string          `json:"caller"`
	Target      string          `json:"target"`
	Correlation string          `json:"correlation_id"`
	Payload     json.RawMessage `json:"payload"`
	Timeout     int64           `json:"timeout_ms"`      // 0: the agent's own
	Allow       []string        `json:"allow,omitempty"` // of a delegation
	Deny        []string        `json:"deny,omitempty"`
	Approval    []string        `json:"approval,omitempty"`
	Tokens      *int64          `json:"tokens,omitempty"`
	Micros      *int64          `json:"microdollars,omitempty"`
}

// Hash names a task.
func (o Commission) Hash() (string, error) { return hashOf(o) }

// attestation is what an agent signs about a call.
type attestation struct {
	Version    int                `json:"version"`
	Agent      casefile.DID       `json:"agent"`
	ID         string             `json:"id"` // of the agent on its host
	Call       string             `json:"call"`
	Task       string             `json:"task"`       // hash of the Commission
	Delegation string             `json:"delegation"` // hash of the chain; empty: none
	Status     string             `json:"status"`
	Outcome    string             `json:"outcome"` // hash of status, result and error
	At         int64              `json:"at"`      // milliseconds since 1970
	Signature  casefile.Signature `json:"signature"`
}

// outcome is what the hash of an outcome covers.
type outcome struct {
	Status string          `json:"status"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func hashOf(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	canonical, err := canon.JSON(raw, maxBytes)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// delegationHash names a chain of delegations; empty: there is none.
func delegationHash(chain json.RawMessage) (string, error) {
	if len(chain) == 0 {
		return "", nil
	}
	return hashOf(chain)
}

// signed returns the bytes that are signed.
func (a attestation) signed() ([]byte, error) {
	a.Signature = casefile.Signature{}
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	canonical, err := canon.JSON(raw, maxBytes)
	return append([]byte(domain), canonical...), err
}

// Sign makes the attestation of a call with its status, result and problem.
func Sign(c host.Invocation, at int64, agent casefile.DID, sign func([]byte) [64]byte) (json.RawMessage, error) {
	a := attestation{Version: 1, Agent: agent, ID: c.Target.Agent, Call: c.ID, Task: c.Task, Status: c.Status, At: at}
	var err error
	if a.Delegation, err = delegationHash(c.Chain); err != nil {
		return nil, err
	}
	if a.Outcome, err = hashOf(outcome{c.Status, c.Result, c.Problem}); err != nil {
		return nil, err
	}
	text, err := a.signed()
	if err != nil {
		return nil, err
	}
	a.Signature = sign(text)
	return json.Marshal(a)
}

// Check checks the attestation of a call against what the caller asked for, the key that it expects
// and the outcome that it got.
func Check(c host.Invocation, order Commission, agent casefile.DID) error {
	var a attestation
	if len(c.Attestation) == 0 {
		return fmt.Errorf("%w: there is none", errAttestation)
	}
	if err := json.Unmarshal(c.Attestation, &a); err != nil {
		return fmt.Errorf("%w: it cannot be read: %w", errAttestation, err)
	}
	task, err := order.Hash()
	if err != nil {
		return fmt.Errorf("%w: %w", errAttestation, err)
	}
	delegation, err := delegationHash(c.Chain)
	if err != nil {
		return fmt.Errorf("%w: %w", errAttestation, err)
	}
	got, err := hashOf(outcome{c.Status, c.Result, c.Problem})
	if err != nil {
		return fmt.Errorf("%w: %w", errAttestation, err)
	}
	text, err := a.signed()
	if err != nil {
		return fmt.Errorf("%w: %w", errAttestation, err)
	}
	for _, check := range []struct {
		holds bool
		words string
	}{
		{a.Version == 1, "its version is not 1"},
		{a.Agent == agent, "it is of another agent"},
		{a.Call == c.ID, "it is about another call"},
		{a.Task == task, "it is about another task"},
		{a.Delegation == delegation, "it is about another delegation"},
		{a.Status == c.Status && a.Outcome == got, "it is about another outcome"},
		{ed25519.Verify(agent[:], text, a.Signature[:]), "its signature is not the agent's"},
	} {
		if !check.holds {
			return fmt.Errorf("%w: %s", errAttestation, check.words)
		}
	}
	return nil
}
