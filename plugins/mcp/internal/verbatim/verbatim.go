// Package verbatim lets a user of the MCP SDK's client see tools and results as
// the server wrote them. The SDK decodes JSON into maps, which forget the order
// of properties and round large numbers, and refuses a whole result for one kind
// of content that it does not know.
//
// A [Transport] puts each tool, and each result of a call, as a text into its own
// _meta, where the SDK leaves it alone and [Tool] and [Result] find it.
package verbatim

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// key is the name of the text in _meta.
const key = "codemode/verbatim"

// Transport returns t with the texts added to what it receives.
func Transport(t mcp.Transport) mcp.Transport { return transport{t} }

// Tool returns the tool's JSON; nil if it did not come through a [Transport].
func Tool(t *mcp.Tool) json.RawMessage { return text(t.Meta) }

// Result returns the JSON of a call's result, whose fields other than _meta
// count for nothing. It is {} for a result with nothing of what a call returns.
func Result(r *mcp.CallToolResult) json.RawMessage {
	if raw := text(r.Meta); raw != nil {
		return raw
	}
	return json.RawMessage("{}")
}

func text(meta mcp.Meta) json.RawMessage {
	s, ok := meta[key].(string)
	if !ok {
		return nil
	}
	return json.RawMessage(s)
}

type transport struct{ mcp.Transport }

func (t transport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return connection{c}, nil
}

type connection struct{ mcp.Connection }

// Read adds the texts to a response. Its result tells by itself what it is of.
func (c connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err != nil {
		return nil, err
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok || len(response.Result) == 0 {
		return message, nil
	}
	marked, err := mark(response.Result)
	if err != nil {
		return nil, fmt.Errorf("read a response of the MCP server: %w", err)
	}
	response.Result = marked
	return response, nil
}

// mark adds texts to a list of tools and to the result of a call, and leaves
// everything else as it is.
func mark(result json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil {
		return result, nil // not an object: the SDK will say so
	}
	if list, ok := fields["tools"]; ok {
		tools, err := markTools(list)
		if err != nil {
			return nil, err
		}
		fields["tools"] = tools
		return json.Marshal(fields)
	}
	if !isCallResult(fields) {
		return result, nil
	}
	delete(fields, "structuredContent")
	fields["content"] = json.RawMessage("[]")
	if err := addText(fields, result); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// isCallResult reports whether fields are those of a call's result. The last is
// that of the protocol's first version.
func isCallResult(fields map[string]json.RawMessage) bool {
	for _, name := range []string{"content", "structuredContent", "isError", "toolResult"} {
		if _, ok := fields[name]; ok {
			return true
		}
	}
	return false
}

func markTools(list json.RawMessage) (json.RawMessage, error) {
	var tools []json.RawMessage
	if json.Unmarshal(list, &tools) != nil {
		return list, nil
	}
	for i, tool := range tools {
		var fields map[string]json.RawMessage
		if json.Unmarshal(tool, &fields) != nil || fields == nil {
			continue
		}
		err := addText(fields, tool)
		if err != nil {
			return nil, err
		}
		if tools[i], err = json.Marshal(fields); err != nil {
			return nil, err
		}
	}
	return json.Marshal(tools)
}

// addText replaces the _meta of fields, which whole contains too.
func addText(fields map[string]json.RawMessage, whole json.RawMessage) error {
	meta, err := json.Marshal(map[string]string{key: string(whole)})
	if err != nil {
		return err
	}
	fields["_meta"] = meta
	return nil
}
