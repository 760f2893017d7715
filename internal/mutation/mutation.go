package main

// Mutation is one way to break the code on purpose.
type Mutation struct {
	// Name is how the list, the page and the command line call it: the area, a slash, a few words.
	Name string
	// File is a source file, from the module's root. Old stands in it exactly once, and New takes its place.
	File     string
	Old, New string
	// Breaks says what codemode does then.
	Breaks string
	// Row is the row of docs/parity.md that this contradicts; empty: it has none.
	Row string
	// Test is what must fail, as docs/parity.md names tests: "core/host_test.go: TestRollback".
	Test string
}

// All lists the mutations, in the order in which they are tried.
func All() []Mutation {
	var all []Mutation
	for _, list := range [][]Mutation{replayMutations, dispatchMutations, decisionMutations, rollbackMutations, crashMutations, policyMutations, journalMutations, storeMutations, hostMutations} {
		all = append(all, list...)
	}
	return all
}
