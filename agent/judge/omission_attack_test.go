package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/voting"
)

// knows is a model that tells the truth: no to the whole if it is wrong, with a quote, and no to
// each of some elements.
func knows(whole word, quote string, wrong ...string) *fake {
	return oracle(func(_, element string) (word, string) {
		switch {
		case element == "":
			return whole, quote
		case slices.Contains(wrong, element):
			return no, element
		}
		return yes, element
	})
}

// TestAttackOmission: each element that a worker hands in is right, and half of the work is not
// there. What is missing is no element, so a model that tells the truth said yes to each, and half
// of the work was paid in full. Now it is asked about the whole, too.
func TestAttackOmission(t *testing.T) {
	for name, c := range map[string]struct {
		instruction, input, schema, result, objection string
		model                                         *fake
		want                                          voting.Choice
	}{
		"a bug": {`"List the bugs in the code."`, `"a bug in line 1, a bug in line 3, a bug in line 9"`, `{"bugs":["string"]}`, `{"bugs":["line 1 reads past the end","line 9 never frees"]}`, "The worst one, in line 3, is missing.",
			knows(no, "line 9 never frees"), voting.Reject},
		"rivers":       {`"List the rivers of Portugal that reach the sea."`, ``, `{"rivers":["string"]}`, `{"rivers":["Douro","Tejo"]}`, "Minho, Mondego, Sado and Guadiana are not there.", knows(no, "Douro"), voting.Reject},
		"seven of ten": {`"Name ten rivers of Portugal."`, ``, `{"rivers":["string"]}`, `{"rivers":["Douro","Tejo","Minho"]}`, "I paid for ten and got three.", knows(no, "Douro"), voting.Reject},
		"two answers": {`"Answer the questions of the customer."`, `"1. When? 2. How much? 3. By whom?"`, `{"text":"string"}`, `{"text":"1. On Monday.\n2. It costs 5 EUR."}`, "She asked three things, and you reacted to two.",
			knows(no, "On Monday"), voting.Reject},
		"a segment":        {`"Translate the segments into Spanish."`, `"Hello","Thank you","Goodbye"`, `{"segments":["string"]}`, `{"segments":["Hola","Adiós"]}`, "Thank you was not translated.", knows(no, "Hola"), voting.Reject},
		"each segment":     {`"Translate each segment into Spanish."`, `"Hello","Thank you","Goodbye"`, `{"segments":["string"]}`, `{"segments":["Hola","Adiós"]}`, "Thank you was not translated.", knows(no, "Hola"), voting.Reject},
		"reviews":          {`"Summarize the reviews."`, `"r1","r2","r3","r4"`, `{"text":"string"}`, `{"text":"Ann liked it.\nBob did not."}`, "Two of the four customers are not in there.", knows(no, "Ann liked it"), voting.Reject},
		"too few, of 40":   {`"Name fifty rivers."`, ``, `{"rivers":["string"]}`, listed("Douro", 40), "I paid for fifty and got forty.", knows(no, "Douro 1"), voting.Reject},
		"nothing is right": {`"Name ten rivers of Portugal."`, ``, `{"rivers":["string"]}`, `{"rivers":["Chicago","Dallas","Denver"]}`, "These are American cities.", knows(no, "Chicago", "Chicago", "Dallas", "Denver"), voting.Reject},
		"no segment is right": {`"Translate the segments into Spanish."`, `"Hello","Goodbye"`, `{"segments":["string"]}`, `{"segments":["pay me","lol"]}`, "That is no Spanish.", knows(no, "lol", "pay me", "lol"),
			voting.Reject},
		"one is wrong, and the whole is called right": {`"Name ten rivers of Portugal."`, ``, `{"rivers":["string"]}`, `{"rivers":["Douro","Tejo","Chicago"]}`, "Chicago is a city.", knows(yes, "Douro", "Chicago"), voting.Abstain},
		"all is there":           {`"List the rivers of Portugal that reach the sea."`, ``, `{"rivers":["string"]}`, `{"rivers":["Douro","Tejo","Minho","Mondego","Sado"]}`, "Some are missing.", knows(yes, "Douro"), voting.Accept},
		"all is there, of 24":    {`"Name 24 rivers."`, ``, `{"rivers":["string"]}`, listed("Douro", 24), "Some are missing.", knows(yes, "Douro 1"), voting.Accept},
		"nobody can tell":        {`"List the rivers of Portugal."`, ``, `{"rivers":["string"]}`, `{"rivers":["Douro","Tejo"]}`, "Some are missing.", knows(unclear, ""), voting.Abstain},
		"a yes to too many":      {`"Name forty rivers."`, ``, `{"rivers":["string"]}`, listed("Douro", 40), "Some are missing.", knows(yes, "Douro 1"), voting.Abstain},
		"a right text of a line": {`"Reply to the customer. Apologise in one sentence."`, `"My lamp broke."`, `{"text":"string"}`, `{"text":"We are sorry for the lamp."}`, "It does not apologise.", knows(yes, "We are sorry"), voting.Accept},
	} {
		o := disputed(t, fmt.Sprintf(`{"instruction":[%s],"input_data":[%s],"output_schema":%s}`, c.instruction, c.input, c.schema), c.result, c.objection, c.model)
		if voting.Choice(o.Choice) != c.want {
			t.Errorf("%s: %s", name, told(o))
		}
	}
}

// listed returns a result with a list of a word and a number.
func listed(word string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"%s %d"`, word, i+1)
	}
	return `{"rivers":[` + strings.Join(list, ",") + `]}`
}

// TestAttackUnnamedByElements: the objection shares a word with another requirement than it is
// about, and a word such as "with", a second list or a plural made elements of the one that it is
// about uncertain. A truthful no to an element then decided nothing, and the worker was paid. Now
// such a requirement is open as soon as most samples about one of its items say no.
func TestAttackUnnamedByElements(t *testing.T) {
	rude := oracle(func(text, element string) (word, string) {
		asks := strings.Contains(text, "olite") || strings.Contains(text, "insult") || strings.Contains(text, "friendly")
		switch {
		case asks && element == "":
			return no, "you idiot"
		case asks && strings.Contains(element, "idiot"):
			return no, element
		case element != "":
			return yes, element
		}
		return yes, "Owls hunt at night"
	})
	const list, lines = `{"lines":["string"]}`, `{"lines":["Owls hunt at night","Owls eat mice, you idiot","Owls sleep by day"]}`
	for _, c := range [][3]string{
		{`"Write about owls that hunt.","Be polite in each line."`, list, lines},
		{`"Write about owls that hunt, with facts.","Be polite in each line."`, list, lines},
		{`"Write about owls that hunt.","Be polite in each line. Start each line with a capital."`, list, lines},
		{`"Write about owls that hunt.","Use only friendly words."`, list, lines},
		{`"Write about owls that hunt.","Give polite answers only, and no insults."`, list, lines},
		{`"Write about owls that hunt.","Write three polite facts."`, list, lines},
		{`"Write about owls that hunt.","Be polite in each line."`, `{"lines":["string"],"sources":["string"]}`, `{"lines":["Owls hunt at night","Owls eat mice, you idiot"],"sources":["A book","A film"]}`},
		{`"Write about owls that hunt.","Use polite words only. Close politely."`, `{"text":"string"}`, `{"text":"Owls hunt at night, you idiot."}`},
	} {
		task := fmt.Sprintf(`{"instruction":[%s],"output_schema":%s}`, c[0], c[1])
		if o := disputed(t, task, c[2], "The text about owls is rude.", rude); voting.Choice(o.Choice) != voting.Abstain || !strings.Contains(told(o), "so this does not reject") {
			t.Errorf("%s: %s", c[0], told(o))
		}
		// Without a rude word, the same objection costs the worker nothing.
		if o := disputed(t, task, strings.ReplaceAll(c[2], ", you idiot", ""), "The text about owls is rude.", knows(yes, "Owls hunt at night")); voting.Choice(o.Choice) != voting.Accept {
			t.Errorf("control, %s: %s", c[0], told(o))
		}
	}
}

// TestAttackNoRoomToAsk: a worker hands in exactly as many lines as a judge asks about, all of them
// insults, so that there was no room to ask about the requirement that the objection does not name.
// The same if no sample about it came back. Both count as open now, and lines take no room from
// requirements.
func TestAttackNoRoomToAsk(t *testing.T) {
	const task = `{"instruction":["Write a fact about owls in each line.","Be polite to the reader."],"output_schema":{"rivers":["string"]}}`
	asked := 0
	honest := oracle(func(text, element string) (word, string) {
		switch {
		case strings.Contains(text, "olite"):
			asked++
			return no, "you idiot"
		case element != "":
			return yes, element
		}
		return yes, "Owls hunt, you idiot 1"
	})
	for _, n := range []int{2, 3, 22, 23, 24, 25, 60} {
		asked = 0
		if o := disputed(t, task, listed("Owls hunt, you idiot", n), "The owls are fine, but it calls me an idiot.", honest); voting.Choice(o.Choice) != voting.Abstain || asked == 0 {
			t.Errorf("%d lines: %s", n, told(o))
		}
	}
	// More requirements than a judge asks about: what is left out keeps the case open.
	for n, want := range map[int]voting.Choice{23: voting.Accept, 24: voting.Abstain} {
		more := strings.Repeat(`,"Be polite."`, n)
		if o := disputed(t, `{"instruction":["Write about owls."`+more+`],"output_schema":{"text":"string"}}`, `{"text":"Owls hunt at night"}`, "It is not about owls.", knows(yes, "Owls hunt")); voting.Choice(o.Choice) != want {
			t.Errorf("%d more: %s", n, told(o))
		}
	}
	// The model answers about the requirement that is named, and never about the other.
	half := &fake{answer: always(`{"items":[{"id":"I1","reason":"because","evidence":["Owls hunt at night"],"met":"yes"}]}`)}
	if o := disputed(t, `{"instruction":["Write about owls.","Be polite."],"output_schema":{"text":"string"}}`, `{"text":"Owls hunt at night"}`, "It is not about owls.", half); voting.Choice(o.Choice) != voting.Abstain {
		t.Error(told(o))
	}
}

// TestAttackContextTakenForDemand: a creator tells what its customers must do, and orders a letter
// to them. Code asked whether the result does that, alone, and a model that tells the truth said
// no: right work was refunded. Orders with a number and a plural could not be decided, because a
// closing line is none of the three arguments, and garbage could not be rejected.
func TestAttackContextTakenForDemand(t *testing.T) {
	for _, c := range []struct{ instruction, context, result, objection string }{
		{"Our customers must pay within 30 days. Write a friendly reminder.", "must pay", "Dear Ann, please think of invoice 7.", "Ann has still not paid."},
		{"The invoice must be paid by Friday. Extract its number. Give it as text.", "paid by Friday", "The number is 4711", "Nobody paid it by Friday."},
		{"Users cannot log in since Monday. Write a bug report about it.", "cannot log in", "Login fails with error 500 since Monday.", "They can log in again."},
		{"The report has at least three mistakes. List one of them.", "at least three", "Catt should be cat.", "It has one mistake only."},
		{"Visitors have to buy a ticket. Write one sentence for our page.", "buy a ticket", "Visit the museum of clocks, a world of time.", "I do not like it."},
		{"Order 4711 is late. Write an apology. Name the new day.", "Order 4711", "We are sorry. It comes on Monday.", "It is still late."},
	} {
		for _, says := range []word{unclear, no} {
			truth := oracle(func(text, _ string) (word, string) {
				if i := strings.LastIndex(text, "| "); i > 0 && strings.Contains(text[i:], c.context) && strings.Count(text, "| ") > 1 {
					return says, c.result
				}
				return yes, c.result
			})
			o := disputed(t, fmt.Sprintf(`{"instruction":[%q],"output_schema":{"text":"string"}}`, c.instruction), fmt.Sprintf(`{"text":%q}`, c.result), c.objection, truth)
			if voting.Choice(o.Choice) != voting.Accept {
				t.Errorf("%s, %s: %s", c.instruction, says, told(o))
			}
		}
	}
	for _, c := range [][3]string{
		{"Write a function that adds two numbers.", "lol what\nhaha no", "def add(a, b):\n    # both are numbers\n    return a + b\n\nprint(add(1, 2))"},
		{"Write a letter with 3 arguments for the bridge.", "pay me now\nthanks for nothing", "Dear mayor,\nFirst, it saves time.\nSecond, it is safe.\nThird, it is cheap.\nKind regards, Ann"},
		{"Compare the two proposals.", "no time today\nask somebody else", "Proposal A is cheaper.\nProposal B is faster.\nSo we recommend B."},
	} {
		task := fmt.Sprintf(`{"instruction":[%q],"output_schema":{"text":"string"}}`, c[0])
		if o := disputed(t, task, fmt.Sprintf(`{"text":%q}`, c[1]), "That is not what I ordered.", knows(no, c[1][:9], strings.Split(c[1], "\n")...)); voting.Choice(o.Choice) != voting.Reject {
			t.Errorf("%s, garbage: %s", c[0], told(o))
		}
		for closing, want := range map[word]voting.Choice{unclear: voting.Accept, no: voting.Abstain} {
			last := c[2][strings.LastIndex(c[2], "\n")+1:]
			truth := oracle(func(_, element string) (word, string) {
				switch element {
				case "":
					return yes, c[2][:9]
				case last:
					return closing, element
				}
				return yes, element
			})
			if o := disputed(t, task, fmt.Sprintf(`{"text":%q}`, c[2]), "That is not what I ordered.", truth); voting.Choice(o.Choice) != want {
				t.Errorf("%s, a closing line that is %s: %s", c[0], closing, told(o))
			}
		}
	}
	// What a model only claims, without words of the element, is not what it calls unclear.
	believer := oracle(func(string, string) (word, string) { return yes, "Dear mayor," })
	if o := disputed(t, `{"instruction":["Write a letter with 3 arguments for the bridge."],"output_schema":{"text":"string"}}`, `{"text":"Dear mayor,\npay me now\nthanks"}`, "Where are they?", believer); voting.Choice(o.Choice) != voting.Abstain {
		t.Error(told(o))
	}
}
