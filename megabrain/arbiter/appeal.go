package arbiter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

// AppealForm names the documents by which golden tasks are brought to the court.
const AppealForm = "megabrain/appeal/1"

// maxAsks bounds a question that is an instruction of the case, in bytes. A longer one is data.
const maxAsks = 8 << 10

// maxReason bounds the reason of an appeal, as that of an objection.
const maxReason = 16 << 10

// Plea is the claim of an appeal. It shows what the task asks, and one result: the claimant says
// that it was opened as right and is wrong, or that it is right and was opened as wrong.
type Plea struct {
	Form     string          `json:"form"`
	Program  string          `json:"program"`
	Task     string          `json:"task"`
	Class    json.RawMessage `json:"class"`          // the document of the class
	Question []byte          `json:"question"`       // the description: bytes, because it need not be a text
	Text     []byte          `json:"text,omitempty"` // the question, if the description names its hash
	Metadata []byte          `json:"metadata,omitempty"`
	Result   Piece           `json:"result"`
	Reason   string          `json:"reason"`
}

// Encode is the canonical form.
func (p Plea) Encode() ([]byte, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	content, err := canon.JSON(raw, casefile.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("arbiter: the appeal: %w", err)
	}
	return content, nil
}

// readPlea reads a claim that a stranger may have written.
func readPlea(raw []byte) (p Plea, err error) {
	if err := canon.Exact(raw, casefile.MaxDocument); err != nil {
		return p, fmt.Errorf("arbiter: the appeal: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("arbiter: the appeal is not in its form: %w", err)
	}
	if p.Form != AppealForm || strings.TrimSpace(p.Reason) == "" || len(p.Reason) > maxReason {
		return p, fmt.Errorf("arbiter: this is no appeal of the form %s, with a reason of at most %d bytes", AppealForm, maxReason)
	}
	return p, nil
}

// OpenedAs says whether an opened golden task counts the result of a worker as right. It is not ok
// if the result does not count.
func OpenedAs(t *brain.TaskAccount, w int) (right, ok bool) {
	counts, rights := truth(t, t.Seal)
	return rights[w], counts[w]
}

// appeal lets the judge that the settings describe say whether one result of a golden task is
// right: as a case of its own, in which who holds it right is the worker. If the opening says
// otherwise, the claimant is right. That judge is not asked if the checks of the question
// decide.
//
// They are not made on a result that the outcome put beside the answer of the creator. It means
// the same in the fields of the class, and a check may look at other ones: one worker could
// hand in the truth in a form that a check refuses, and whoever failed would have the creator's
// bond for it. A lie loses by the result that is the answer: some result is, or nobody is
// tested.
func (a Arbiter) appeal(ctx context.Context, b judge.Brief, t *brain.TaskAccount, class *brain.ClassAccount) (casefile.Opinion, error) {
	no := func(format string, args ...any) (casefile.Opinion, error) {
		return opinion(voting.Reject, fmt.Sprintf(format, args...)), nil
	}
	// What the creator of the class chose, and no judge can use, is not the claimant's fault.
	unsure := func(format string, args ...any) (casefile.Opinion, error) {
		return opinion(voting.Abstain, fmt.Sprintf(format, args...)), nil
	}
	p, err := readPlea(b.Result.Raw)
	if err != nil {
		return no("The claim is no appeal: %v.", err)
	}
	if brain.TermsHash(string(p.Question), p.Metadata) != t.Terms {
		return no("The claim shows another question than the task asks.")
	}
	if sha256.Sum256(p.Class) != class.ID {
		return no("The claim shows the document of another class.")
	}
	of, _, err := finding.ReadClass(p.Class)
	if err != nil {
		return unsure("The document of the class cannot be used: %v.", err)
	}
	if hash, named := finding.Elsewhere(string(p.Question)); named {
		if p.Text == nil { // the creator shows it as an exhibit of its answer, or a memory node has it
			p.Text = b.Exhibits[hash]
		}
		if p.Text == nil {
			p.Text = a.text(ctx, of.Memory, hash)
		}
		asks, err := finding.ReadQuestion(p.Text)
		switch {
		case p.Text == nil:
			return opinion(voting.Accept, "The question stands on memory nodes of the class, and neither they nor the answer of the creator show it. Whoever asks what nobody can read tests nobody."), nil
		case sha256.Sum256(p.Text) != hash:
			return no("The claim shows another question than the task asks.")
		case err != nil:
			return opinion(voting.Accept, fmt.Sprintf("Nobody can read the question: %v. Whoever asks that tests nobody.", err)), nil
		}
		p.Question = []byte(asks)
	} else if p.Text != nil {
		return no("The claim shows another question than the task asks.")
	}
	content, worker := p.Result.Content(), int(t.Appeal.Worker)-1
	if worker < 0 || worker >= int(t.Counts.Drawn) || t.Work[worker].ResultHash != sha256.Sum256(content) {
		return no("The claim shows another result than the appeal is about.")
	}
	right, ok := OpenedAs(t, worker)
	if !ok {
		return no("The result does not count.")
	}
	brief, err := question(b, p, of, content, right)
	if err != nil {
		return unsure("The result cannot be judged: %v.", err)
	}
	var o casefile.Opinion
	decided := false
	if task, checked, bad := Checked(string(p.Question)); checked && bad == nil && (!right || t.Work[worker].ResultHash == t.Seal) {
		o, decided, err = a.checks(ctx, b, task, brief.Result.Doc, right)
	}
	if err == nil && !decided {
		o, err = a.Others.Evaluate(ctx, brief)
	}
	if err != nil {
		return o, err
	}
	said, choice := map[voting.Choice]string{voting.Accept: "right", voting.Reject: "wrong"}[voting.Choice(o.Choice)], voting.Abstain
	switch {
	case said == "":
		said = "not to be judged"
	case (said == "right") == right:
		choice = voting.Reject
	default:
		choice = voting.Accept
	}
	summary := fmt.Sprintf("The result of worker %d was opened as %s; it is %s. %s", worker+1, map[bool]string{true: "right", false: "wrong"}[right], said, o.Summary)
	return casefile.Opinion{
		Choice: casefile.Choice(choice), Summary: strings.ToValidUTF8(summary[:min(len(summary), casefile.MaxDetail)], ""), Model: o.Model, Family: o.Family,
	}, nil
}

// textTime bounds the search for a question that a judge's node did not find.
const textTime = 20 * time.Second

// text looks for a question on the memory nodes of the class; nil: none of them gives it. The
// court's nodes do so before, but only if they have the claim early, and the terms, and the
// appellant shows both.
func (a Arbiter) text(ctx context.Context, nodes []string, hash [32]byte) []byte {
	if a.Nodes == nil || len(nodes) == 0 {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, textTime)
	defer stop()
	raw, err := a.Nodes(ctx, nodes, hash, finding.MaxQuestion)
	if err != nil || sha256.Sum256(raw) != hash {
		return nil
	}
	return raw
}

// asked is the hash of the question that a claim names and does not show.
func asked(t *brain.TaskAccount, claim []byte) (p Plea, hash [32]byte, ok bool) {
	p, err := readPlea(claim)
	if err != nil || p.Text != nil || brain.TermsHash(string(p.Question), p.Metadata) != t.Terms {
		return p, hash, false
	}
	hash, ok = finding.Elsewhere(string(p.Question))
	return p, hash, ok
}

// question is the case whether a result does what the task asks. Opened as right, it is the
// creator's of the class, and the appeal is the objection; opened as wrong, it is the other way
// round. A counter-objection of the appellant is not shown: its reason is in the claim. Of a
// question that is a task, the words are asked: its schema and its checks are for code, which
// decided nothing if this judge is asked, and would refuse the same result again.
func question(b judge.Brief, p Plea, of finding.TaskClass, content []byte, right bool) (judge.Brief, error) {
	asks := strings.ToValidUTF8(string(p.Question), "�")
	if strings.TrimSpace(asks) == "" {
		asks = "Do what the input data says."
	}
	data := map[string]string{"about": of.About, "metadata": strings.ToValidUTF8(string(p.Metadata), "�")}
	words := casefile.Task{Instruction: []string{asks}, OutputSchema: json.RawMessage(`{}`)}
	if task, checked, bad := Checked(asks); checked && bad == nil {
		words = task.Value
		words.OutputSchema, words.Expected = json.RawMessage(`{}`), nil
	} else if len(asks) > maxAsks {
		data["question"], words.Instruction[0] = asks, "Do what the question in the input data asks."
	}
	about, err := json.Marshal(data)
	if err != nil {
		return b, err
	}
	words.InputData = append(words.InputData, about)
	task, err := casefile.NewTask(words)
	if err != nil {
		return b, err
	}
	result, err := casefile.ParseResult(content)
	if err != nil {
		return b, err
	}
	reason, err := json.Marshal(map[string]string{"reason": p.Reason})
	if err != nil {
		return b, err
	}
	appeal, err := casefile.ParseObjection(reason)
	if err != nil {
		return b, err
	}
	out := judge.Brief{
		Case: b.Case, Round: b.Round, Judge: b.Judge, Network: b.Network, Program: b.Program, Deadline: b.Deadline, Exhibits: b.Exhibits, Evidence: b.Evidence,
		Task: judge.Paper[casefile.Task]{Doc: task}, Result: judge.Paper[casefile.Result]{Doc: result},
		Objection: judge.Paper[casefile.Objection]{Doc: appeal}, Counter: b.Objection,
	}
	if !right {
		out.Objection, out.Counter = b.Objection, out.Objection
	}
	return out, nil
}
