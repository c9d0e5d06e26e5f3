package brain

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"ojud/ledger/onchain"
)

// The eight events of the specification.
type (
	// TaskCreated says that a task was created.
	TaskCreated struct {
		Task, Requester onchain.Address
		TotalBudget     uint64
		Deadline        int64
	}
	// WorkerSelected says that a worker was drawn.
	WorkerSelected struct {
		Task, Worker onchain.Address
		StakeLocked  uint64
	}
	// EvaluatorSelected says that an evaluator was drawn.
	EvaluatorSelected struct {
		Task, Evaluator onchain.Address
		StakeLocked     uint64
	}
	// ResultSubmitted says that a result was revealed.
	ResultSubmitted struct {
		Task, Worker onchain.Address
		ResultHash   [32]byte
		Timestamp    int64
	}
	// EvaluationSubmitted says that an evaluation of one result was revealed.
	EvaluationSubmitted struct {
		Task, Evaluator, Worker onchain.Address
		Score, Confidence       uint8
	}
	// TaskSettled says that budget and stakes were divided.
	TaskSettled struct {
		Task                    onchain.Address
		WinningClusterHash      [32]byte
		TotalPaid, TotalSlashed uint64
	}
	// DisputeOpened says that another outcome is before the court.
	DisputeOpened struct {
		Task, Disputant     onchain.Address
		ArbitrationDeadline int64
	}
	// DisputeResolved says that the court decided.
	DisputeResolved struct {
		Task       onchain.Address
		Upheld     uint8
		Arbitrator onchain.Address
	}
)

var events = []any{
	TaskCreated{}, WorkerSelected{}, EvaluatorSelected{}, ResultSubmitted{}, EvaluationSubmitted{}, TaskSettled{}, DisputeOpened{}, DisputeResolved{},
}

// maxLogged bounds the base64 of a log line: the longest event has 112 bytes.
const maxLogged = 256

// Events reads the events from the log lines of a successful transaction. Only lines that this
// program wrote while it was the innermost running one count.
func (p Megabrain) Events(lines []string) ([]any, error) {
	var stack []string
	var out []any
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		text, logged := strings.CutPrefix(line, "Program data: ")
		switch {
		case logged && len(stack) > 0 && stack[len(stack)-1] == p.id.String():
			e, err := decodeEvent(text)
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		case word != "Program" || strings.HasPrefix(rest, "log: ") || strings.HasPrefix(rest, "return: "):
		case strings.Contains(rest, " invoke ["):
			name, _, _ := strings.Cut(rest, " ")
			stack = append(stack, name)
		case len(stack) > 0 && (rest == stack[len(stack)-1]+" success" || strings.HasPrefix(rest, stack[len(stack)-1]+" failed")):
			stack = stack[:len(stack)-1]
		}
	}
	return out, nil
}

func decodeEvent(text string) (any, error) {
	if len(text) > maxLogged {
		return nil, fmt.Errorf("%w: an event of %d characters", errMalformed, len(text))
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) < 8 {
		return nil, fmt.Errorf("%w: no event: %.40q", errMalformed, text)
	}
	for _, e := range events {
		kind := reflect.TypeOf(e)
		if discriminator("event", kind.Name()) != [8]byte(data[:8]) {
			continue
		}
		v := reflect.New(kind)
		if n, err := binary.Decode(data[8:], binary.LittleEndian, v.Interface()); err != nil || n != len(data)-8 {
			return nil, fmt.Errorf("%w: %s of %d bytes", errMalformed, kind.Name(), len(data))
		}
		return v.Elem().Interface(), nil
	}
	return nil, fmt.Errorf("%w: an unknown event", errMalformed)
}
