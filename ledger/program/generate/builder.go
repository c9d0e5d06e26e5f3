package main

import (
	"slices"
	"strings"
)

// rulesRole is the account of a version of the rules, which callers name by its number.
const rulesRole = "rules"

// account is an account of an instruction.
type account struct {
	Name     string `json:"name"`
	Signer   bool   `json:"signer"`
	Writable bool   `json:"writable"`
	Optional bool   `json:"optional"`
	Address  string `json:"address"` // of one that is the same everywhere
	PDA      *struct {
		Seeds []struct {
			Kind  string   `json:"kind"` // const, account or arg
			Value []uint16 `json:"value"`
			Path  string   `json:"path"`
		} `json:"seeds"`
	} `json:"pda"`
}

// builders prints a method of Program for each instruction whose accounts follow from the IDL.
func (g *generator) builders() {
	for _, i := range g.Instructions {
		if handmade(i.Name) {
			continue
		}
		name, parameters, value := camel(i.Name), []string(nil), "&"+camel(i.Name)+"{}"
		need := func(name string) string {
			if !slices.Contains(parameters, name) {
				parameters = append(parameters, name)
			}
			return name
		}
		var addresses []string
		for _, a := range i.Accounts {
			addresses = append(addresses, i.address(a, need))
		}
		head := strings.Join(parameters, ", ") + " " + addressType
		if n := slices.Index(parameters, rulesRole); n >= 0 {
			parameters = slices.Delete(parameters, n, n+1)
			head = strings.Join(parameters, ", ") + " " + addressType + ", " + rulesRole + " uint32"
		}
		if len(i.Args) > 0 {
			head, value = head+", i "+name, "&i"
		}
		g.print("\n// %s builds the instruction.\nfunc (p Program) %[1]s(%s) onchain.Instruction {", name, head)
		g.print("return p.build(%s, %s)\n}", value, strings.Join(addresses, ", "))
	}
}

// address is the Go expression of an account's address. need names a parameter of the method.
func (i instruction) address(a account, need func(string) string) string {
	isArg := slices.ContainsFunc(i.Args, func(f field) bool { return f.Name == a.Name })
	switch {
	case a.Name == rulesRole:
		return "p.Rules(" + need(rulesRole) + ")"
	case a.Address != "":
		return map[string]string{"system": "onchain.SystemProgram()", "instructions": "onchain.InstructionsAccount()"}[a.Name]
	case a.PDA == nil && isArg && !a.Signer:
		return "i." + camel(a.Name)
	case a.PDA == nil:
		return need(a.Name)
	}
	var kind strings.Builder
	for _, c := range a.PDA.Seeds[0].Value {
		kind.WriteByte(byte(c))
	}
	if len(a.PDA.Seeds) == 1 {
		return "p." + kind.String()
	}
	var seeds []string
	for _, s := range a.PDA.Seeds[1:] {
		if s.Kind == "arg" {
			seeds = append(seeds, "i."+camel(s.Path))
		} else {
			seeds = append(seeds, need(s.Path[strings.LastIndex(s.Path, ".")+1:])) // task.creator
		}
	}
	if kind.String() == "pledge" {
		return "PledgeAt(p, " + strings.Join(seeds, ", ") + ")"
	}
	method := map[string]string{"admission": "Admission", "agent": "Agent", "case": "Case", "proctor": "Proctor", "registry": "RegistryPage", "verdict": "Verdict"}[kind.String()]
	return "p." + method + "(" + strings.Join(seeds, ", ") + ")"
}
