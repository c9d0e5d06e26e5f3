package verify

// NoteKind says what a note is about.
type NoteKind string

// The kinds of notes.
const (
	NoteMissing      NoteKind = "missing"      // content that the file names is not in it
	NoteUnreadable   NoteKind = "unreadable"   // a document or an opinion cannot be read, or does not fit its vote
	NoteSignedTwice  NoteKind = "signed twice" // a judge signed two statements or two histories, or a holder two answers
	NoteUncounted    NoteKind = "uncounted"    // a statement in the file is not the one on the chain
	NoteTestimony    NoteKind = "testimony"    // a choice rests on the word of the seats
	NoteDisagreement NoteKind = "disagreement" // seats name different facts
	NoteData         NoteKind = "data"         // holders gave no answer, or answers that do not agree
	NoteInjection    NoteKind = "injection"    // a text may be meant to steer a judge
	NoteProgram      NoteKind = "program"      // what a check program says, or that a judge says something else
	NoteDemand       NoteKind = "demand"       // which demand is not met, or that a judge says something else
	NoteGolden       NoteKind = "golden"       // the answer was known before the votes
	NoteInferred     NoteKind = "inferred"     // an amount follows from the others
)

// NoteKinds returns all kinds. A reader should see them in this order.
func NoteKinds() []NoteKind {
	return []NoteKind{NoteSignedTwice, NoteGolden, NoteProgram, NoteDemand, NoteInjection, NoteDisagreement, NoteTestimony, NoteInferred, NoteData, NoteUncounted,
		NoteUnreadable, NoteMissing}
}

// Meaning says in one sentence what notes of this kind mean for the reader of a file.
func (k NoteKind) Meaning() string {
	switch k {
	case NoteMissing:
		return "The file names content that it does not have, because its author or its exporter withheld it; all other content " +
			"was checked."
	case NoteUnreadable:
		return "A party or a judge wrote something that cannot be read or does not fit its vote; this is a fault of its author, " +
			"and not of the file."
	case NoteSignedTwice:
		return "A judge or a holder signed two different things where only one is allowed; its signatures in this file prove it."
	case NoteUncounted:
		return "A judge's statement in this file is not the one that the chain counted, so it decided nothing."
	case NoteTestimony:
		return "No vote in this file proves the choice; more than half of the panel signed that it was so."
	case NoteDisagreement:
		return "A minority of the panel signed other facts than the majority, and the file was checked with the facts of the " +
			"majority."
	case NoteData:
		return "A data source gave no answer, or answers and receipts do not agree; the judges saw the same and decided what it " +
			"is worth."
	case NoteInjection:
		return "A judge reported a text that may be meant to steer its reader, or reported one that is not there; read that text " +
			"with care."
	case NoteProgram:
		return "The task has a check program, which was run again on the result; an opinion with another run is a fault of its " +
			"judge."
	case NoteDemand:
		return "The result, or the answer of a source, does not meet a demand that code decides, or code cannot tell; an opinion " +
			"with another outcome by the same version of the checks is a fault of its judge."
	case NoteGolden:
		return "This was a golden case: its proctor had committed to the answer before anybody voted, and the seal of the task " +
			"proves it."
	case NoteInferred:
		return "The file does not contain this amount; it was inferred so that all other amounts agree to the lamport."
	}
	return ""
}
