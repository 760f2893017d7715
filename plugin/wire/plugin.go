package wire

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

// Plugin joins the contract to go-plugin, on both ends.
type Plugin struct {
	plugin.NetRPCUnsupportedPlugin
	// Connector is what a connector process serves; nil on the host's side.
	Connector Connector
}

var (
	_ plugin.Plugin     = (*Plugin)(nil)
	_ plugin.GRPCPlugin = (*Plugin)(nil)
)

// GRPCServer registers the connector; go-plugin calls it in the connector process.
func (p *Plugin) GRPCServer(broker *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterConnectorServer(s, &server{connector: p.Connector, broker: broker})
	return nil
}

// GRPCClient returns a [*Client]; go-plugin calls it in the host.
func (p *Plugin) GRPCClient(_ context.Context, broker *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return &Client{rpc: pb.NewConnectorClient(conn), broker: broker}, nil
}
