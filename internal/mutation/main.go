// Command mutation shows that the tests of what matters most can fail: it breaks the code on purpose, in one place at
// a time, and holds the test that is said to notice to it.
//
//	go run ./internal/mutation              # all mutations
//	go run ./internal/mutation replay/      # those whose names contain this
//	go run ./internal/mutation -survey NAME # instead, which tests of the packages concerned fail
//
// The list is in this folder; docs/mutations.md shows it. Nothing in the tree is changed: the compiler is told to read
// another file in place of the mutated one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	survey := flag.Bool("survey", false, "run all tests of the packages concerned, and say which of them fail")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := try(ctx, chosen(flag.Args()), *survey); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// chosen are the mutations whose names contain one of these words; without words, all.
func chosen(words []string) []Mutation {
	var list []Mutation
	for _, m := range All() {
		found := len(words) == 0
		for _, w := range words {
			found = found || strings.Contains(m.Name, w)
		}
		if found {
			list = append(list, m)
		}
	}
	return list
}

// try tries mutations, one after the other. The error says that one survived, or that none could be tried.
func try(ctx context.Context, list []Mutation, survey bool) error {
	r, err := newRunner(".")
	if err != nil {
		return err
	}
	defer r.close()
	if !survey {
		if err := r.baseline(ctx, list); err != nil {
			return err
		}
	}
	survivors := 0
	for i, m := range list {
		began := time.Now()
		said, killed := r.mutant(ctx, m, survey)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !killed {
			survivors++
		}
		fmt.Printf("%3d/%d %-34s %s (%s)\n", i+1, len(list), m.Name, said, time.Since(began).Round(time.Second/10))
	}
	if survivors > 0 {
		return fmt.Errorf("%d of %d mutations were not killed", survivors, len(list))
	}
	fmt.Printf("all %d mutations were killed\n", len(list))
	return nil
}
