package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errInterrupted is why an execution was cancelled.
var errInterrupted = errors.New("interrupted at the terminal")

// interruptible returns a context that the first interrupt ends. The second one ends the process.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-signals:
			signal.Stop(signals) // from here on the signal does what it does by default
			cancel(errInterrupted)
		case <-ctx.Done():
			signal.Stop(signals)
		}
	})
	return ctx, func() {
		cancel(nil)
		watch.Wait()
	}
}
