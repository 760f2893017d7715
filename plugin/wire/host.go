package wire

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

// NoHost stands for a host without services: every call answers an *[Error] with CodeUnsupported.
type NoHost struct{}

var _ HostServices = NoHost{}

// Get implements [HostServices].
func (NoHost) Get(context.Context, string, string) ([]byte, bool, error) {
	return nil, false, noService("a store")
}

// Put implements [HostServices].
func (NoHost) Put(context.Context, string, string, []byte) error {
	return noService("a store")
}

// Delete implements [HostServices].
func (NoHost) Delete(context.Context, string, string) error {
	return noService("a store")
}

// Ask implements [HostServices].
func (NoHost) Ask(context.Context, string, string) (string, error) {
	return "", noService("questions to a person")
}

func noService(what string) error {
	return &Error{Code: CodeUnsupported, Message: "this host does not offer connectors " + what}
}

// hostListener serves a host's services to one connector process.
type hostListener struct {
	mu      sync.Mutex
	closed  bool
	servers []*grpc.Server
	running sync.WaitGroup
}

// serve starts serving host and returns the broker id that the connector dials.
func (l *hostListener) serve(broker *plugin.GRPCBroker, host HostServices) uint32 {
	id := broker.NextId()
	l.running.Go(func() {
		broker.AcceptAndServe(id, func(opts []grpc.ServerOption) *grpc.Server {
			s := NewGRPCServer(opts)
			pb.RegisterHostServicesServer(s, &hostServer{host: host})
			l.keep(s)
			return s
		})
	})
	return id
}

// keep remembers s for close, or stops it before it starts.
func (l *hostListener) keep(s *grpc.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		s.Stop()
		return
	}
	l.servers = append(l.servers, s)
}

// close stops serving and waits for it.
func (l *hostListener) close() {
	l.mu.Lock()
	l.closed = true
	servers := l.servers
	l.servers = nil
	l.mu.Unlock()
	for _, s := range servers {
		s.Stop()
	}
	l.running.Wait()
}

// hostServer serves the host's services in the host's process.
type hostServer struct {
	pb.UnimplementedHostServicesServer
	host HostServices
}

func (s *hostServer) Get(ctx context.Context, r *pb.GetRequest) (*pb.GetResponse, error) {
	value, found, err := s.host.Get(ctx, r.GetExecutionId(), r.GetKey())
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.GetResponse{Value: value, Found: found}, nil
}

func (s *hostServer) Put(ctx context.Context, r *pb.PutRequest) (*pb.PutResponse, error) {
	if err := s.host.Put(ctx, r.GetExecutionId(), r.GetKey(), r.GetValue()); err != nil {
		return nil, statusOf(err)
	}
	return &pb.PutResponse{}, nil
}

func (s *hostServer) Delete(ctx context.Context, r *pb.DeleteRequest) (*pb.DeleteResponse, error) {
	if err := s.host.Delete(ctx, r.GetExecutionId(), r.GetKey()); err != nil {
		return nil, statusOf(err)
	}
	return &pb.DeleteResponse{}, nil
}

func (s *hostServer) Ask(ctx context.Context, r *pb.AskRequest) (*pb.AskResponse, error) {
	answer, err := s.host.Ask(ctx, r.GetExecutionId(), r.GetQuestion())
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.AskResponse{Answer: text(answer)}, nil
}

// hostClient is the host's services as the connector's process sees them.
type hostClient struct {
	conn *grpc.ClientConn
	rpc  pb.HostServicesClient
}

var _ HostServices = (*hostClient)(nil)

// dialHost connects to the services that the host serves on a broker id.
func dialHost(broker *plugin.GRPCBroker, id uint32) (*hostClient, error) {
	conn, err := broker.Dial(id)
	if err != nil {
		return nil, fmt.Errorf("dial the host's services: %w", err)
	}
	return &hostClient{conn: conn, rpc: pb.NewHostServicesClient(conn)}, nil
}

func (c *hostClient) close() error {
	return c.conn.Close()
}

func (c *hostClient) Get(ctx context.Context, executionID, key string) ([]byte, bool, error) {
	r, err := c.rpc.Get(ctx, &pb.GetRequest{ExecutionId: text(executionID), Key: text(key)}, callOptions()...)
	if err != nil {
		return nil, false, failure(ctx, "get a stored value", err)
	}
	return r.GetValue(), r.GetFound(), nil
}

func (c *hostClient) Put(ctx context.Context, executionID, key string, value []byte) error {
	_, err := c.rpc.Put(ctx, &pb.PutRequest{ExecutionId: text(executionID), Key: text(key), Value: value}, callOptions()...)
	return failure(ctx, "store a value", err)
}

func (c *hostClient) Delete(ctx context.Context, executionID, key string) error {
	_, err := c.rpc.Delete(ctx, &pb.DeleteRequest{ExecutionId: text(executionID), Key: text(key)}, callOptions()...)
	return failure(ctx, "delete a stored value", err)
}

func (c *hostClient) Ask(ctx context.Context, executionID, question string) (string, error) {
	r, err := c.rpc.Ask(ctx, &pb.AskRequest{ExecutionId: text(executionID), Question: text(question)}, callOptions()...)
	if err != nil {
		return "", failure(ctx, "ask a person", err)
	}
	return r.GetAnswer(), nil
}
