package picture

import "ojud/voting"

// parties are the words for the two sides of a case. In a dispute of others there is no work: the
// respondent stands in the place of the creator, and the claimant in that of the worker.
type parties struct {
	Creator, Worker   string // with their articles, at the start of a sentence
	Lead              string
	Papers            [4]string // what is done by the task, the result, the objection and the answer
	Steps             [4][2]string
	Opened, Judged    string
	WonWorker, Worked string // the word and the sentence if the worker's side wins
	WonCreator, Lost  string
	Good, Bad         string // what a verdict says
}

// partiesOf returns the words for the sides of a case.
func partiesOf(s Scene) parties {
	if t := TermsOf(s); t != nil && t.Prepaid {
		return parties{
			Creator: "The respondent", Worker: "The claimant",
			Lead:   "Two parties have a deal that is not about work here. The claimant says what it is owed by the deal, and has paid the judges.",
			Papers: [4]string{"is held to these terms", "claims this", "answers", "adds"},
			Steps:  [4][2]string{{"Terms", "of a deal elsewhere"}, {"Claim", "by the claimant"}, {"Answer", "of the respondent, or silence"}, {"Fee paid", "by the claimant"}},
			Judged: "claim", Opened: "The claimant brings a dispute, and the time to answer is over. The court has a case.",
			WonWorker: "claim stands", Worked: "The claim stands. Whoever holds the money may pay by this verdict.",
			WonCreator: "claim fails", Lost: "The claim does not stand.",
			Good: "the claim stands", Bad: "the claim fails",
		}
	}
	return parties{
		Creator: "The creator", Worker: "The worker",
		Lead:   "A creator ordered this, and a worker did it. The creator says that the result is bad, and the worker says that it is good.",
		Papers: [4]string{"asks for this work", "delivers this result", "objects", "answers"},
		Steps:  [4][2]string{{"Work ordered", "by the creator"}, {"Result", "by the worker"}, {"Objection", "the creator refuses"}, {"Answer", "the worker insists"}},
		Judged: "result", Opened: "The creator objects, and the worker insists. The court has a case.",
		WonWorker: "worker wins", Worked: "The worker was right and is paid.",
		WonCreator: "creator wins", Lost: "The creator was right and gets the money back.",
		Good: "the result is good", Bad: "the result is not what was ordered",
	}
}

// says is what a first panel says.
func (p parties) says(v voting.Verdict) string {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs words
	switch v {
	case voting.ForWorker:
		return p.Good
	case voting.ForCreator:
		return p.Bad
	}
	return "it cannot tell"
}
