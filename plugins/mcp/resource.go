package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/mcp/internal/result"
)

// resourceMethods are those of a server that has resources. That they are reads
// the protocol says, and not the server; what is read is the server's, so
// reading one from a server that is not trusted is asked for.
func (c *connector) resourceMethods() []sdk.RawMethod {
	return []sdk.RawMethod{
		{
			Name:         "list_resources",
			Description:  "List the resources of the MCP server, all pages. Read one with read_resource.",
			Tags:         []string{"resources"},
			ReadOnly:     true,
			InputSchema:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			OutputSchema: listSchema("uri", "name", "title", "description", "mimeType"),
			Call: c.guarded(func(ctx context.Context, client *mcp.ClientSession, _ json.RawMessage) (any, error) {
				list := []listedResource{}
				for r, err := range client.Resources(ctx, nil) {
					if err != nil {
						return nil, err
					}
					list = append(list, listedResource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size})
				}
				return list, nil
			}),
		},
		{
			Name:         "list_resource_templates",
			Description:  "List the templates of resources' URIs (RFC 6570), all pages. Fill one in and read it with read_resource.",
			Tags:         []string{"resources"},
			ReadOnly:     true,
			InputSchema:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			OutputSchema: listSchema("uriTemplate", "name", "title", "description", "mimeType"),
			Call: c.guarded(func(ctx context.Context, client *mcp.ClientSession, _ json.RawMessage) (any, error) {
				list := []listedTemplate{}
				for r, err := range client.ResourceTemplates(ctx, nil) {
					if err != nil {
						return nil, err
					}
					list = append(list, listedTemplate{URITemplate: r.URITemplate, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType})
				}
				return list, nil
			}),
		},
		{
			Name:        "read_resource",
			Description: "Read a resource of the MCP server: its contents are texts, or bytes.",
			Tags:        []string{"resources"},
			ReadOnly:    true,
			Approval:    c.readApproval(),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"uri":{"type":"string","description":"As list_resources says it, or made from a template."}},"required":["uri"],"additionalProperties":false}`),
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"contents":{"type":"array","items":{"type":"object","properties":{` +
				`"uri":{"type":"string"},"mimeType":{"type":"string"},"text":{"type":"string"},"blob":{"type":"string","contentEncoding":"base64"}},"required":["uri"]}}},"required":["contents"]}`),
			Call: c.guarded(func(ctx context.Context, client *mcp.ClientSession, args json.RawMessage) (any, error) {
				var in struct {
					URI string `json:"uri"`
				}
				if err := json.Unmarshal(args, &in); err != nil {
					return nil, sdk.Errorf(sdk.InvalidArgument, "the arguments are not JSON")
				}
				read, err := client.ReadResource(ctx, &mcp.ReadResourceParams{URI: in.URI})
				if err != nil {
					return nil, err
				}
				contents := []json.RawMessage{}
				for _, r := range read.Contents {
					value, err := resourceValue(r)
					if err != nil {
						return nil, err
					}
					contents = append(contents, value)
				}
				return map[string]any{"contents": contents}, nil
			}),
		},
	}
}

// listedResource and listedTemplate are what a list says, without what concerns its display.
type listedResource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"`
}

type listedTemplate struct {
	URITemplate string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// listSchema is the schema of a list of objects of strings, the first two always present.
func listSchema(names ...string) json.RawMessage {
	properties := ""
	for i, name := range names {
		if i > 0 {
			properties += ","
		}
		properties += `"` + name + `":{"type":"string"}`
	}
	return json.RawMessage(`{"type":"array","items":{"type":"object","properties":{` + properties + `},"required":["` + names[0] + `","` + names[1] + `"]}}`)
}

// resourceValue is a content with its bytes as bytes.
func resourceValue(r *mcp.ResourceContents) (json.RawMessage, error) {
	fields := map[string]any{"uri": r.URI}
	if r.MIMEType != "" {
		fields["mimeType"] = r.MIMEType
	}
	if r.Blob != nil {
		fields["blob"] = map[string][]byte{"$bytes": r.Blob}
	} else {
		fields["text"] = r.Text
	}
	return result.Encode(fields)
}

// readApproval is that of reads which hand a server something of a program's.
func (c *connector) readApproval() sdk.Approval {
	if c.config.Trusted {
		return sdk.NotRequired
	}
	return sdk.Required
}

// guarded returns the call of a read that is not a tool's.
func (c *connector) guarded(read func(context.Context, *mcp.ClientSession, json.RawMessage) (any, error)) func(context.Context, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		s, err := c.session(ctx)
		if err != nil {
			return nil, c.hide.err(notStarted(err, summary(err)))
		}
		value, err := read(ctx, s.client, args)
		if told, ok := errors.AsType[*sdk.Error](err); ok {
			return nil, c.hide.err(told)
		}
		if err != nil {
			s.settle(ctx, err)
			return nil, c.hide.err(failure(ctx, err, true))
		}
		return result.Encode(value)
	}
}
