package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hashicorp/go-plugin"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

// Client is a connector process as its host sees it. go-plugin's Dispense
// returns one. It is safe for concurrent use.
//
// An error is an *[Error] if and only if the connector said so. Any other
// error means that nothing is known of the effect: errors.Is tells a deadline
// or a cancellation (context.DeadlineExceeded, context.Canceled), [IsLost] a
// broken connection.
type Client struct {
	rpc    pb.ConnectorClient
	broker *plugin.GRPCBroker
	host   hostListener
}

var _ Connector = (*Client)(nil)

// Describe implements [Connector].
func (c *Client) Describe(ctx context.Context) (*Description, error) {
	r, err := c.rpc.Describe(ctx, &pb.DescribeRequest{}, callOptions()...)
	if err != nil {
		return nil, failure(ctx, "describe", err)
	}
	return &Description{
		Name:         r.GetName(),
		Version:      r.GetVersion(),
		Instructions: r.GetInstructions(),
		ConfigSchema: rawJSON(r.GetConfigSchema()),
	}, nil
}

// Configure implements [Connector]. It serves req.Host to the connector until
// [Client.Close] or the end of the connection.
func (c *Client) Configure(ctx context.Context, req *ConfigureRequest) error {
	id := uint32(0)
	if req.Host != nil {
		id = c.host.serve(c.broker, req.Host)
	}
	_, err := c.rpc.Configure(ctx, &pb.ConfigureRequest{
		Label:          text(req.Label),
		Config:         req.Config,
		HostServicesId: id,
	}, callOptions()...)
	return failure(ctx, "configure", err)
}

// Close ends the host's services to the connector and waits until they have
// ended. It leaves connection and process to go-plugin.
func (c *Client) Close() {
	c.host.close()
}

// Methods implements [Connector].
func (c *Client) Methods(ctx context.Context) (*Offer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Methods(ctx, &pb.MethodsRequest{}, callOptions()...)
	if err != nil {
		return nil, failure(ctx, "list methods", err)
	}
	offer := &Offer{}
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return offer, nil
		}
		if err != nil {
			return nil, failure(ctx, "list methods", err)
		}
		switch item := response.GetItem().(type) {
		case *pb.MethodsResponse_Method:
			offer.Methods = append(offer.Methods, methodFromProto(item.Method))
		case *pb.MethodsResponse_Instructions:
			offer.Instructions = item.Instructions
		case *pb.MethodsResponse_Skipped:
			offer.Skipped = append(offer.Skipped, Skipped{Name: item.Skipped.GetName(), Reason: item.Skipped.GetReason()})
		}
	}
}

// Watch implements [Connector].
func (c *Client) Watch(ctx context.Context, report func(Change)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Watch(ctx, &pb.WatchRequest{}, callOptions()...)
	if err != nil {
		return failure(ctx, "watch", err)
	}
	for {
		change, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return failure(ctx, "watch", err)
		}
		report(Change{MethodsChanged: change.GetMethodsChanged(), Health: change.GetHealth()})
	}
}

// Invoke implements [Connector]. It calls progress from its own goroutine, one report at a time.
func (c *Client) Invoke(ctx context.Context, call *Call, progress func(Progress)) (*Result, error) {
	doing := "invoke " + call.Method
	stream, err := c.rpc.Invoke(ctx, callToProto(call), callOptions()...)
	if err != nil {
		return nil, failure(ctx, doing, err)
	}
	// The stream is read to its end rather than cancelled after the result: a
	// cancellation is a stream reset, and HTTP/2 servers such as Node's close
	// connections that reset many streams.
	var result *pb.Result
	for {
		response, err := stream.Recv()
		switch {
		case err != nil && result != nil:
			return resultFromProto(result)
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: the connector ended the call without a result: %w", doing, io.ErrUnexpectedEOF)
		case err != nil:
			return nil, failure(ctx, doing, err)
		}
		if r := response.GetResult(); r != nil {
			result = r
		}
		if p := response.GetProgress(); p != nil && progress != nil {
			progress(Progress{Message: p.GetMessage(), Done: p.GetDone(), Total: p.GetTotal()})
		}
	}
}

// Prepare implements [Connector].
func (c *Client) Prepare(ctx context.Context, call *Call) (json.RawMessage, error) {
	r, err := c.rpc.Prepare(ctx, callToProto(call), callOptions()...)
	if err != nil {
		return nil, failure(ctx, "prepare "+call.Method, err)
	}
	return checkedJSON(r.GetBefore(), "prepare returned", EffectNone)
}

// Revert implements [Connector].
func (c *Client) Revert(ctx context.Context, req *RevertRequest) error {
	_, err := c.rpc.Revert(ctx, &pb.RevertRequest{
		Call:          callToProto(req.Call),
		Result:        req.Result,
		ResultOmitted: req.ResultOmitted,
	}, callOptions()...)
	return failure(ctx, "revert "+req.Call.Method, err)
}

// Reconcile implements [Connector].
func (c *Client) Reconcile(ctx context.Context, call *Call) (*Reconciliation, error) {
	r, err := c.rpc.Reconcile(ctx, callToProto(call), callOptions()...)
	if err != nil {
		return nil, failure(ctx, "reconcile "+call.Method, err)
	}
	result, err := checkedJSON(r.GetResult(), "reconcile returned", EffectUnknown)
	if err != nil {
		return nil, err
	}
	return &Reconciliation{Happened: happenedFromProto(r.GetHappened()), Result: result}, nil
}

// Resolve implements [Connector].
func (c *Client) Resolve(ctx context.Context, call *Call) (*Resolution, error) {
	r, err := c.rpc.Resolve(ctx, callToProto(call), callOptions()...)
	if err != nil {
		return nil, failure(ctx, "resolve "+call.Method, err)
	}
	args, err := checkedJSON(r.GetArgs(), "the resolution has", EffectNone)
	if err != nil {
		return nil, err
	}
	return &Resolution{Method: r.GetMethod(), Args: args}, nil
}

// Preview implements [Connector].
func (c *Client) Preview(ctx context.Context, call *Call) (string, error) {
	r, err := c.rpc.Preview(ctx, callToProto(call), callOptions()...)
	if err != nil {
		return "", failure(ctx, "preview "+call.Method, err)
	}
	return r.GetText(), nil
}

// PassEnded implements [Connector].
func (c *Client) PassEnded(ctx context.Context, req *PassEnd) error {
	_, err := c.rpc.PassEnded(ctx, &pb.PassEndedRequest{
		ExecutionId: text(req.ExecutionID),
		Status:      text(req.Status),
	}, callOptions()...)
	return failure(ctx, "report the end of a pass", err)
}

// Dispose implements [Connector].
func (c *Client) Dispose(ctx context.Context, req *Disposal) error {
	_, err := c.rpc.Dispose(ctx, &pb.DisposeRequest{
		ExecutionId: text(req.ExecutionID),
		Status:      text(req.Status),
	}, callOptions()...)
	return failure(ctx, "dispose an execution", err)
}
