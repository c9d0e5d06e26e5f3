package anex_test

import (
	"encoding/json"
	"fmt"

	"ojud/datasource/anex"
)

// A whole conversation, with both machines in one loop.
func Example() {
	cfg := anex.DefaultConfig()
	cfg.Self, cfg.Peer = "did:key:asker", "did:key:holder"
	asker, err := anex.NewAsker(cfg)
	if err != nil {
		panic(err)
	}
	cfg.Self, cfg.Peer = cfg.Peer, cfg.Self
	holder, err := anex.NewHolder(cfg, 0)
	if err != nil {
		panic(err)
	}
	limit := uint64(5000)
	toHolder := []anex.Event{}
	toAsker := []anex.Event{anex.Start{Conversation: "c-1", Introduction: "I am judge 3's agent [PA*].",
		Engagement: anex.Engagement{Request: "May I ask for posts?"}, Pipeline: true,
		Call: anex.Call{Identity: "did:key:asker", RequestType: "posts", DataSource: "social", PriceLimit: &limit,
			Access: anex.Names("id(m)", "/author/name"), Promise: anex.Names("no data retention")},
		Requests: []anex.DataRequest{{DataSource: "social", Request: json.RawMessage(`{"post":17}`)}}}}
	for len(toAsker)+len(toHolder) > 0 {
		steps, event := asker.Step, anex.Event(nil)
		if len(toAsker) > 0 {
			event, toAsker = toAsker[0], toAsker[1:]
		} else {
			steps = holder.Step
			event, toHolder = toHolder[0], toHolder[1:]
		}
		effects, err := steps(event)
		if err != nil {
			panic(err)
		}
		for _, effect := range effects {
			switch effect := effect.(type) {
			case anex.Send:
				if effect.Message.Sender == "did:key:asker" {
					toHolder = append(toHolder, anex.Received{Raw: effect.Raw})
				} else {
					toAsker = append(toAsker, anex.Received{Raw: effect.Raw})
				}
				fmt.Println(effect.Message.Performative)
			case anex.AskEngagement:
				toHolder = append(toHolder, anex.EngagementDecided{Answer: anex.Agreeing, Text: "Yes."})
			case anex.AskAuthority:
				toHolder = append(toHolder, anex.AuthorityDecided{Allowed: true})
			case anex.AskTerms:
				toHolder = append(toHolder, anex.TermsDecided{Offer: &anex.Offer{Access: []string{"*"}, Demand: []string{"no data retention"}, Price: 1000}})
			case anex.AskProposal:
				toAsker = append(toAsker, anex.ProposalDecided{Accept: effect.Problem == nil})
			case anex.Fetch:
				toHolder = append(toHolder, anex.Fetched{Data: json.RawMessage(`{"id":17,"author":{"name":"eve","email":"eve@example.org"}}`)})
			case anex.MakeReceipt:
				toHolder = append(toHolder, anex.ReceiptMade{Receipt: json.RawMessage(`{"signature":"…"}`)})
			case anex.Deliver:
				fmt.Printf("%s for %d lamports\n", effect.Data, effect.Terms.Grant.Price)
			case anex.Ended:
				fmt.Println(effect)
			}
		}
	}
	// Output:
	// REQUEST
	// REQUEST
	// CFP
	// AGREE
	// PROPOSE
	// ACCEPT-PROPOSAL
	// REQUEST
	// INFORM
	// { "id": 17, "author": { "name": "eve" } } for 1000 lamports
	// INFORM
	// ended completed, fault of nobody
	// ended completed, fault of nobody
}
