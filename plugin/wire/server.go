package wire

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

// server serves a Connector in the connector's process.
type server struct {
	pb.UnimplementedConnectorServer
	connector Connector
	broker    *plugin.GRPCBroker
}

func (s *server) Describe(ctx context.Context, _ *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	d, err := s.connector.Describe(ctx)
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.DescribeResponse{
		Name:         text(d.Name),
		Version:      text(d.Version),
		Instructions: text(d.Instructions),
		ConfigSchema: d.ConfigSchema,
	}, nil
}

// Configure dials the host's services. The connection lives as long as the
// process and is given up only if the configuration is refused.
func (s *server) Configure(ctx context.Context, r *pb.ConfigureRequest) (*pb.ConfigureResponse, error) {
	req := &ConfigureRequest{Label: r.GetLabel(), Config: rawJSON(r.GetConfig())}
	disconnect := func() error { return nil }
	if id := r.GetHostServicesId(); id != 0 {
		host, err := dialHost(s.broker, id)
		if err != nil {
			return nil, err
		}
		req.Host, disconnect = host, host.close
	}
	if err := s.connector.Configure(ctx, req); err != nil {
		return nil, errors.Join(statusOf(err), disconnect())
	}
	return &pb.ConfigureResponse{}, nil
}

func (s *server) Methods(_ *pb.MethodsRequest, stream grpc.ServerStreamingServer[pb.MethodsResponse]) error {
	offer, err := s.connector.Methods(stream.Context())
	if err != nil {
		return statusOf(err)
	}
	for _, item := range offerToProto(offer) {
		if err := stream.Send(item); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) Watch(_ *pb.WatchRequest, stream grpc.ServerStreamingServer[pb.Change]) error {
	out := &sender[pb.Change]{stream: stream}
	err := s.connector.Watch(stream.Context(), func(c Change) {
		out.send(&pb.Change{MethodsChanged: c.MethodsChanged, Health: text(c.Health)})
	})
	if sendErr := out.close(); err == nil {
		return sendErr
	}
	return statusOf(err)
}

func (s *server) Invoke(r *pb.Call, stream grpc.ServerStreamingServer[pb.InvokeResponse]) error {
	out := &sender[pb.InvokeResponse]{stream: stream}
	result, err := s.connector.Invoke(stream.Context(), callFromProto(r), func(p Progress) {
		progress := &pb.Progress{Message: text(p.Message), Done: p.Done, Total: p.Total}
		out.send(&pb.InvokeResponse{Event: &pb.InvokeResponse_Progress{Progress: progress}})
	})
	// A failure to send progress means that the connection is gone; then so does sending the result.
	_ = out.close()
	if err == nil {
		err = tooLarge(len(result.Value))
	}
	if err != nil {
		return statusOf(err)
	}
	return stream.Send(&pb.InvokeResponse{Event: &pb.InvokeResponse_Result{Result: &pb.Result{Value: result.Value}}})
}

// tooLarge refuses a result that the transport would refuse: in its words the
// host could not tell the refusal from a lost connection.
func tooLarge(size int) error {
	const envelope = 1 << 10
	if size <= MaxMessageBytes-envelope {
		return nil
	}
	return &Error{
		Code:    CodeInternal,
		Message: fmt.Sprintf("the result has %d bytes, more than one message can carry (%d)", size, MaxMessageBytes-envelope),
		Effect:  EffectUnknown,
	}
}

func (s *server) Prepare(ctx context.Context, r *pb.Call) (*pb.PrepareResponse, error) {
	before, err := s.connector.Prepare(ctx, callFromProto(r))
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.PrepareResponse{Before: before}, nil
}

func (s *server) Revert(ctx context.Context, r *pb.RevertRequest) (*pb.RevertResponse, error) {
	err := s.connector.Revert(ctx, &RevertRequest{
		Call:          callFromProto(r.GetCall()),
		Result:        rawJSON(r.GetResult()),
		ResultOmitted: r.GetResultOmitted(),
	})
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.RevertResponse{}, nil
}

func (s *server) Reconcile(ctx context.Context, r *pb.Call) (*pb.ReconcileResponse, error) {
	outcome, err := s.connector.Reconcile(ctx, callFromProto(r))
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.ReconcileResponse{Happened: happenedToProto(outcome.Happened), Result: outcome.Result}, nil
}

func (s *server) Resolve(ctx context.Context, r *pb.Call) (*pb.ResolveResponse, error) {
	told, err := s.connector.Resolve(ctx, callFromProto(r))
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.ResolveResponse{Method: text(told.Method), Args: told.Args}, nil
}

func (s *server) Preview(ctx context.Context, r *pb.Call) (*pb.PreviewResponse, error) {
	preview, err := s.connector.Preview(ctx, callFromProto(r))
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.PreviewResponse{Text: text(preview)}, nil
}

func (s *server) PassEnded(ctx context.Context, r *pb.PassEndedRequest) (*pb.PassEndedResponse, error) {
	err := s.connector.PassEnded(ctx, &PassEnd{ExecutionID: r.GetExecutionId(), Status: r.GetStatus()})
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.PassEndedResponse{}, nil
}

func (s *server) Dispose(ctx context.Context, r *pb.DisposeRequest) (*pb.DisposeResponse, error) {
	err := s.connector.Dispose(ctx, &Disposal{ExecutionID: r.GetExecutionId(), Status: r.GetStatus()})
	if err != nil {
		return nil, statusOf(err)
	}
	return &pb.DisposeResponse{}, nil
}

// sender lets several goroutines of a handler send on one stream, which gRPC
// does not, and drops what comes after the handler has returned.
type sender[M any] struct {
	stream grpc.ServerStreamingServer[M]

	mu     sync.Mutex
	closed bool
	err    error
}

// send sends m unless sending has failed or ended.
func (s *sender[M]) send(m *M) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.err != nil {
		return
	}
	s.err = s.stream.Send(m)
}

// close ends sending and returns its first error.
func (s *sender[M]) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.err
}
