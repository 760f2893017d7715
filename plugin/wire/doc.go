// Package wire is the contract between a codemode host and its connectors:
// the Go interface that both ends program against ([Connector],
// [HostServices], [Error]), its protobuf form (proto/connector.proto), and the
// glue that joins the two through hashicorp/go-plugin.
//
// A host dispenses a [*Client] from a connector process; a connector process
// serves any [Connector] with [ServeConfig]. Authors of connectors use package
// sdk instead, which implements Connector for them.
//
// Values are JSON bytes, carried as their author wrote them. What JSON lacks
// travels as a tagged object: {"$bytes": "<base64>"} and {"$bigint": "<digits>"}.
// [Untag] and [Escape] translate between that and plain JSON.
package wire
