package wire

import (
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

const (
	// ProtocolVersion is the version of the contract that this package speaks.
	// Host and connector agree on the highest version that both offer.
	ProtocolVersion = 1
	// PluginName is the name under which a connector is dispensed.
	PluginName = "connector"
	// MaxMessageBytes bounds one message in either direction, on both ends.
	MaxMessageBytes = 64 << 20
)

// Handshake is the cookie that tells a connector that a host started it. It
// guards against starting one by hand, not against an attacker.
var Handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "CODEMODE_CONNECTOR_COOKIE",
	MagicCookieValue: "3c1e8f5d0b7a4926a1d45f7be2c09866",
}

// VersionedPlugins returns the plugin sets by protocol version, for
// go-plugin's ServeConfig and ClientConfig. c is the connector to serve; a
// host, which only dispenses, passes nil.
func VersionedPlugins(c Connector) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{
		ProtocolVersion: {PluginName: &Plugin{Connector: c}},
	}
}

// ServeConfig returns what go-plugin's Serve needs to serve c. A nil logger
// leaves go-plugin's own, JSON on standard error.
func ServeConfig(c Connector, logger hclog.Logger) *plugin.ServeConfig {
	return &plugin.ServeConfig{
		HandshakeConfig:  Handshake,
		VersionedPlugins: VersionedPlugins(c),
		GRPCServer:       NewGRPCServer,
		Logger:           logger,
	}
}

// NewGRPCServer returns a gRPC server whose message limits are MaxMessageBytes.
// go-plugin's default server refuses requests above 4 MiB.
func NewGRPCServer(opts []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(opts,
		grpc.MaxRecvMsgSize(MaxMessageBytes),
		grpc.MaxSendMsgSize(MaxMessageBytes),
	)...)
}

// callOptions set the message limits of a client; go-plugin sets none.
func callOptions() []grpc.CallOption {
	return []grpc.CallOption{
		grpc.MaxCallRecvMsgSize(MaxMessageBytes),
		grpc.MaxCallSendMsgSize(MaxMessageBytes),
	}
}
