// Command codemode runs programs that a model wrote against connectors, asks
// people before what matters, continues after an approval or a crash, and
// undoes what was done.
package main

import (
	"context"
	"os"

	"github.com/codemode-go/codemode/core"
)

func main() {
	core.SandboxMain()
	os.Exit(execute())
}

func execute() int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	return newApp().run(ctx, os.Args[1:])
}
