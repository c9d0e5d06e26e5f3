package svm

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/gagliardetto/solana-go"
)

// defaultLogBytes bounds the log lines of a transaction in bytes.
const defaultLogBytes = 10_000

// logCollector collects log lines up to a limit in bytes. Beyond it, one line says so.
type logCollector struct {
	lines     []string
	written   int
	limit     int // negative: none
	truncated bool
}

func (l *logCollector) add(line string) {
	if l.limit >= 0 && l.written+len(line) >= l.limit {
		if !l.truncated {
			l.truncated = true
			l.lines = append(l.lines, "Log truncated")
		}
		return
	}
	l.written += len(line)
	l.lines = append(l.lines, line)
}

func (l *logCollector) addf(format string, args ...any) { l.add(fmt.Sprintf(format, args...)) }

// The lines that other programs parse (Agave stable_log.rs).

func (l *logCollector) invoke(program solana.PublicKey, depth int) {
	l.addf("Program %s invoke [%d]", program, depth)
}

func (l *logCollector) success(program solana.PublicKey) { l.addf("Program %s success", program) }

func (l *logCollector) failure(program solana.PublicKey, err error) {
	l.addf("Program %s failed: %s", program, err)
}

func (l *logCollector) message(text string) { l.add("Program log: " + text) }

func (l *logCollector) data(fields [][]byte) {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = base64.StdEncoding.EncodeToString(f)
	}
	l.add("Program data: " + strings.Join(parts, " "))
}

func (l *logCollector) returned(program solana.PublicKey, data []byte) {
	l.addf("Program return: %s %s", program, base64.StdEncoding.EncodeToString(data))
}
