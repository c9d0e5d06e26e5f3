package devnet

import "fmt"

// Codes of JSON-RPC and of Agave (rpc-client-api/src/custom_error.rs).
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603

	codeBlockCleanedUp     = -32001
	codePreflight          = -32002
	codeSignature          = -32003
	codeBlockNotAvailable  = -32004
	codeUnhealthy          = -32005
	codeSlotSkipped        = -32007
	codeNoSnapshot         = -32008
	codeUnsupportedVersion = -32015
	codeMinContextSlot     = -32016
)

// rpcError is the error member of a response.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

func invalidParams(format string, args ...any) *rpcError {
	return &rpcError{Code: codeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func invalidRequest() *rpcError {
	return &rpcError{Code: codeInvalidRequest, Message: "Invalid request"}
}

// answerTooLarge is our own error: a validator has no such limit.
func answerTooLarge() *rpcError {
	return &rpcError{Code: codeInvalidRequest, Message: "The answer is too large. Ask for fewer accounts or calls at once, or for a dataSlice."}
}

func noMethod() *rpcError { return &rpcError{Code: codeNoMethod, Message: "Method not found"} }

func minContextSlot(slot uint64) *rpcError {
	return &rpcError{codeMinContextSlot, "Minimum context slot has not been reached", map[string]uint64{"contextSlot": slot}}
}

func blockNotAvailable(slot uint64) *rpcError {
	return &rpcError{Code: codeBlockNotAvailable, Message: fmt.Sprintf("Block not available for slot %d", slot)}
}

func slotSkipped(slot uint64) *rpcError {
	return &rpcError{
		Code:    codeSlotSkipped,
		Message: fmt.Sprintf("Slot %d was skipped, or missing due to ledger jump to recent snapshot", slot),
	}
}

func blockCleanedUp(slot, first uint64) *rpcError {
	return &rpcError{
		Code: codeBlockCleanedUp,
		Message: fmt.Sprintf("Block %d cleaned up, does not exist on node. First available block: %d",
			slot, first),
	}
}

func unsupportedVersion(version int) *rpcError {
	return &rpcError{
		Code: codeUnsupportedVersion,
		Message: fmt.Sprintf("Transaction version (%d) is not supported by the requesting client. Please try the "+
			"request again with the following configuration parameter: \"maxSupportedTransactionVersion\": %d",
			version, version),
	}
}
