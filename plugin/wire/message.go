package wire

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

// text makes s fit for a protobuf string, which refuses invalid UTF-8; texts
// of remote services contain it now and then.
func text(s string) string {
	return strings.ToValidUTF8(s, "\uFFFD")
}

// texts is text for a list.
func texts(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = text(s)
	}
	return out
}

// rawJSON turns the wire's empty bytes into nil.
func rawJSON(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return b
}

// checkedJSON is rawJSON for a value that the host will keep. What a connector
// in any language returned as JSON must be JSON before it is recorded.
func checkedJSON(b []byte, what string, effect Effect) (json.RawMessage, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if !json.Valid(b) {
		return nil, &Error{Code: CodeInternal, Message: what + " bytes that are not JSON", Effect: effect}
	}
	return b, nil
}

// offerToProto returns the messages that carry an offer.
func offerToProto(o *Offer) []*pb.MethodsResponse {
	var items []*pb.MethodsResponse
	if o.Instructions != "" {
		items = append(items, &pb.MethodsResponse{Item: &pb.MethodsResponse_Instructions{Instructions: text(o.Instructions)}})
	}
	for _, m := range o.Methods {
		items = append(items, &pb.MethodsResponse{Item: &pb.MethodsResponse_Method{Method: methodToProto(m)}})
	}
	for _, s := range o.Skipped {
		items = append(items, &pb.MethodsResponse{Item: &pb.MethodsResponse_Skipped{Skipped: &pb.Skipped{Name: text(s.Name), Reason: text(s.Reason)}}})
	}
	return items
}

func methodToProto(m *Method) *pb.Method {
	return &pb.Method{
		Name:             text(m.Name),
		Description:      text(m.Description),
		Tags:             texts(m.Tags),
		InputSchema:      m.InputSchema,
		OutputSchema:     m.OutputSchema,
		ReadOnly:         m.ReadOnly,
		Idempotent:       m.Idempotent,
		Destructive:      m.Destructive,
		RequiresApproval: m.RequiresApproval,
		Replay:           text(string(m.Replay)),
		Prepares:         m.Prepares,
		Reverts:          m.Reverts,
		Reconciles:       m.Reconciles,
		Previews:         m.Previews,
		StandsIn:         m.StandsIn,
	}
}

func methodFromProto(m *pb.Method) *Method {
	return &Method{
		Name:             m.GetName(),
		Description:      m.GetDescription(),
		Tags:             m.GetTags(),
		InputSchema:      rawJSON(m.GetInputSchema()),
		OutputSchema:     rawJSON(m.GetOutputSchema()),
		ReadOnly:         m.GetReadOnly(),
		Idempotent:       m.GetIdempotent(),
		Destructive:      m.GetDestructive(),
		RequiresApproval: m.GetRequiresApproval(),
		Replay:           Replay(m.GetReplay()),
		Prepares:         m.GetPrepares(),
		Reverts:          m.GetReverts(),
		Reconciles:       m.GetReconciles(),
		Previews:         m.GetPreviews(),
		StandsIn:         m.GetStandsIn(),
	}
}

func callToProto(c *Call) *pb.Call {
	out := &pb.Call{
		ExecutionId:    text(c.ExecutionID),
		Seq:            text(c.Seq),
		IdempotencyKey: text(c.IdempotencyKey),
		Attempt:        int32(c.Attempt),
		Caller:         text(c.Caller),
		Task:           text(c.Task),
		Method:         text(c.Method),
		Args:           c.Args,
		Before:         c.Before,
	}
	if len(c.Labels) > 0 {
		out.Labels = make(map[string]string, len(c.Labels))
		for k, v := range c.Labels {
			out.Labels[text(k)] = text(v)
		}
	}
	if !c.Deadline.IsZero() {
		out.Deadline = timestamppb.New(c.Deadline)
	}
	return out
}

func callFromProto(c *pb.Call) *Call {
	return &Call{
		ExecutionID:    c.GetExecutionId(),
		Seq:            c.GetSeq(),
		IdempotencyKey: c.GetIdempotencyKey(),
		Attempt:        int(c.GetAttempt()),
		Caller:         c.GetCaller(),
		Labels:         c.GetLabels(),
		Task:           c.GetTask(),
		Deadline:       timeFromProto(c.GetDeadline()),
		Method:         c.GetMethod(),
		Args:           rawJSON(c.GetArgs()),
		Before:         rawJSON(c.GetBefore()),
	}
}

func timeFromProto(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}

func resultFromProto(r *pb.Result) (*Result, error) {
	value, err := checkedJSON(r.GetValue(), "the call returned", EffectUnknown)
	if err != nil {
		return nil, err
	}
	return &Result{Value: value}, nil
}

func happenedToProto(h Happened) pb.Happened {
	switch h {
	case HappenedYes:
		return pb.Happened_HAPPENED_YES
	case HappenedNo:
		return pb.Happened_HAPPENED_NO
	}
	return pb.Happened_HAPPENED_UNSPECIFIED
}

func happenedFromProto(h pb.Happened) Happened {
	switch h {
	case pb.Happened_HAPPENED_YES:
		return HappenedYes
	case pb.Happened_HAPPENED_NO:
		return HappenedNo
	}
	return HappenedUnknown
}
