package modeltest

// Mode is the behaviour of a server.
type Mode string

// OK answers every question plausibly, as Answer does.
const OK Mode = "ok"

// Knowing answers as OK, but it knows when the bridge of package braindemo opened: a result that
// names another year than 1931 is not what was asked for.
const Knowing Mode = "knowing"

// Faults of models and servers.
const (
	Prose       Mode = "prose"        // an answer in words
	Cut         Mode = "cut"          // half of an answer, which ends as if it were whole
	ExtraKeys   Mode = "extra-keys"   // an answer with an unknown key
	OtherAgent  Mode = "other-agent"  // a vote in the name of another agent
	UnknownTool Mode = "unknown-tool" // a call of an unknown tool
	ToolLoop    Mode = "tool-loop"    // the same call again and again
	Silent      Mode = "silent"       // nothing, for as long as the client waits
	Refusing    Mode = "400"
	Busy        Mode = "429" // always, without Retry-After
	Failing     Mode = "500"
	Redirect    Mode = "redirect" // to another server, which must get neither the case nor the key
	Gigabyte    Mode = "gigabyte" // an answer of that size
)

// The nine faults of langchaingo v0.1.14 that package model works around: wrong or lost answers.
const (
	Half          Mode = "half"           // 1: half an answer, then nothing: given up, it came back as whole
	StreamError   Mode = "stream-error"   // 2: an error in the middle of a stream that was not asked for was swallowed
	Stalled       Mode = "stalled"        // 3: a header and no answer: its timeout was no context.DeadlineExceeded
	StreamCall    Mode = "stream-call"    // 4: a streamed call that repeats its type became three
	StreamCalls   Mode = "stream-calls"   // 5: the inputs of two streamed calls became one
	LongLine      Mode = "long-line"      // 6: a line of more than 64 KiB could not be read
	NoTemperature Mode = "no-temperature" // 7: settings of sampling are dropped, or sent to servers that refuse them
	NoTools       Mode = "no-tools"       // 8: tools were lost; no word why the model stopped
	RetryAfter    Mode = "retry-after"    // 9: how long a busy server asks to wait was lost; every second request is answered
)

// Modes returns OK and all faults.
func Modes() []Mode {
	return []Mode{OK, Prose, Cut, ExtraKeys, OtherAgent, UnknownTool, ToolLoop, Silent, Refusing, Busy, Failing, Redirect, Gigabyte,
		Half, StreamError, Stalled, StreamCall, StreamCalls, LongLine, NoTemperature, NoTools, RetryAfter}
}

// Answers reports whether a correct client gets an answer in the end.
func (m Mode) Answers() bool {
	switch m {
	case OK, Knowing, LongLine, NoTemperature, NoTools, RetryAfter:
		return true
	}
	return false
}

// Waits reports whether the server is silent for as long as the client waits.
func (m Mode) Waits() bool { return m == Silent || m == Half || m == Stalled }
