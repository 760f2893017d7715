package main

// policyMutations break how rules are tried.
var policyMutations = []Mutation{
	{
		Name: "policy/first-match", File: "core/policy/judge.go",
		Old:    "for i, r := range p.rules[c.Connector] {\n",
		New:    "for n := range p.rules[c.Connector] {\n\t\ti := len(p.rules[c.Connector]) - 1 - n\n\t\tr := p.rules[c.Connector][i]\n",
		Breaks: "The last rule that matches wins.",
	},
	{
		Name: "policy/declaration", File: "core/policy/judge.go",
		Old:    "if m.RequiresApproval {\n\t\treturn Approve",
		New:    "if m.RequiresApproval {\n\t\treturn Allow",
		Breaks: "A method that declares that it needs approval runs without.", Row: "216",
	},
	{
		Name: "policy/broken-condition-denies", File: "core/policy/judge.go",
		Old:    `counts := r.effect() != Allow`,
		New:    `counts := r.effect() == Approve`,
		Breaks: "A rule that denies does nothing where its condition cannot be evaluated.",
	},
	{
		Name: "policy/broken-condition-asks", File: "core/policy/judge.go",
		Old:    `counts := r.effect() != Allow`,
		New:    `counts := r.effect() == Deny`,
		Breaks: "A rule that asks does nothing where its condition cannot be evaluated.",
	},
	{
		Name: "policy/broken-condition-allows", File: "core/policy/judge.go",
		Old:    `counts := r.effect() != Allow`,
		New:    `counts := r.effect() != ""`,
		Breaks: "A rule that allows holds where its condition cannot be evaluated.",
	},
	{
		Name: "policy/condition", File: "core/policy/judge.go",
		Old:    "return yes\n",
		New:    "return yes || err == nil\n",
		Breaks: "A rule holds whatever its condition says.",
	},
	{
		Name: "policy/unknown-effect", File: "core/policy/judge.go",
		Old:    "\treturn Deny\n",
		New:    "\treturn Allow\n",
		Breaks: "A rule whose effect is no known word lets calls through.",
	},
	{
		Name: "policy/raw-names", File: "core/policy/judge.go",
		Old:    `Match(pattern, m.Name) || Match(pattern, m.Raw)`,
		New:    `Match(pattern, m.Name)`,
		Breaks: "A rule that names a method by its raw name does not judge it.",
	},
	{
		Name: "policy/ask-reads", File: "core/policy/judge.go",
		Old:    `v.Effect == Allow && !c.Method.ReadOnly`,
		New:    `v.Effect == Allow`,
		Breaks: "Where every write is asked for, reads wait for a person too.",
	},
	{
		Name: "policy/ask-denied", File: "core/policy/judge.go",
		Old:    `v.Effect == Allow && !c.Method.ReadOnly`,
		New:    `!c.Method.ReadOnly`,
		Breaks: "Where every write is asked for, a person may approve what is denied.",
	},
	{
		Name: "policy/other-connectors", File: "core/policy/judge.go",
		Old:    `own[label] = append([]Rule(nil), list...)`,
		New:    `own[label] = list`,
		Breaks: "Whoever made a policy can change its rules afterwards.",
	},
	{
		Name: "policy/effective-may-ask", File: "core/policy/judge.go",
		Old:    "\treturn possible[Approve], false\n",
		New:    "\treturn possible[Approve] && len(possible) == 1, false\n",
		Breaks: "A method that may wait for a person is shown as one that never does.", Row: "95",
	},
	{
		Name: "policy/effective-denied", File: "core/policy/judge.go",
		Old:    `possible[Deny] && len(possible) == 1`,
		New:    `possible[Deny]`,
		Breaks: "A method that is denied only sometimes is shown as refused.", Row: "95",
	},
	{
		Name: "policy/glob-question-mark", File: "core/policy/glob.go",
		Old:    `(p[i] == '?' || p[i] == n[j])`,
		New:    `p[i] == n[j]`,
		Breaks: "A question mark in a pattern stands for itself.",
	},
	{
		Name: "policy/glob-backtracking", File: "core/policy/glob.go",
		Old:    "mark++\n",
		New:    "mark = len(n)\n",
		Breaks: "A star in a pattern gives up at the first character that does not fit behind it.",
	},
	{
		Name: "policy/glob-end", File: "core/policy/glob.go",
		Old:    `return i == len(p)`,
		New:    `return i <= len(p)`,
		Breaks: "A name matches a pattern that is longer than it.",
	},
}
