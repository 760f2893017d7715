package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/plugin/wire"
)

// version is set by the linker in releases.
var version = ""

// versions are what tells one build from another.
type versions struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol int    `json:"connectorProtocol"`
	Control  int    `json:"controlProtocol"`
}

func thisVersion() versions {
	v := versions{
		Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Protocol: wire.ProtocolVersion, Control: control.Version,
	}
	if info, ok := debug.ReadBuildInfo(); ok && v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "unknown"
	}
	return v
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Tell the versions of codemode and of what it speaks", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := thisVersion()
			return a.answer(v, func(render.Page) string {
				return fmt.Sprintf("codemode %s (%s, %s)\nconnector protocol %d, control protocol %d\n",
					v.Version, v.Go, v.Platform, v.Protocol, v.Control)
			})
		},
	}
}
