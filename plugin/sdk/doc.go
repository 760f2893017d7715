// Package sdk is what the author of a codemode connector imports.
//
// A connector is a value of type [Connector]: a name, methods with typed
// handlers, and optionally a configuration. [Serve] runs it as a process that
// a host starts:
//
//	func main() { sdk.Serve(New()) }
//
//	// New returns the connector; Configure fills in what its methods need.
//	func New() *sdk.Connector {
//		t := &tracker{}
//		return &sdk.Connector{
//			Name: "tracker", Version: "1.0.0", Instructions: "Issues of the team's tracker.",
//			Configure: sdk.Config(t.configure), // func(ctx context.Context, c Config) error
//			Methods: []sdk.Method{
//				sdk.Func[ListIssues, []Issue]{
//					Name: "list_issues", Description: "List issues, newest first.",
//					ReadOnly: true, Call: t.list,
//				},
//				sdk.Func[CreateIssue, Issue]{
//					Name: "create_issue", Description: "Create an issue.",
//					Approval: sdk.Required, Call: t.create, Revert: t.close,
//				},
//			},
//		}
//	}
//
// The same value can live in the host's own process: see [Connector.InProcess].
//
// # Handlers
//
// A handler is func(ctx context.Context, in I) (O, error). Handlers run
// concurrently. The context ends at the call's deadline and when the host
// gives the call up; a handler that returns the context's error leaves the
// host in doubt whether a write happened, which is the truth. What else is
// known of the call comes from the context: [CallFrom], [IdempotencyKey],
// [Before], [Label], [Logger]. [Progress] reports on a long call, [Ask]
// puts a question to a person, [Get], [Set] and [Delete] keep values for the
// rest of the execution.
//
// docs/sdk.md tells what becomes of a write whose outcome nobody knows, and how
// idempotency keys and Reconcile keep a person from being asked.
//
// A panic ends its call with an error and nothing else; its stack goes to the log.
//
// # Schemas
//
// JSON Schemas of inputs, outputs and configuration come from the Go types:
// names and optional fields from the json tag (omitempty makes a field
// optional), the rest from the tags of github.com/invopop/jsonschema, such as
//
//	Title string `json:"title" jsonschema:"description=One line.,minLength=1"`
//	State string `json:"state,omitempty" jsonschema:"enum=open,enum=closed"`
//	Token string `json:"token" jsonschema_extras:"writeOnly=true"`
//
// writeOnly marks a secret of a configuration: it is never shown, and changing
// it does not void approvals. Arguments that do not fit the schema are refused
// before the handler runs; so is a property that the schema does not name. A
// default in a schema informs the model; the handler sees the zero value.
//
// # Errors
//
// [Errorf] gives an error a [Code], an [*Error] literal also says whether and
// when to try again and what is known of the effect. For a write, most codes
// say that nothing happened ([Code.Harmless]); any other Go error becomes
// [Internal] with an unknown effect. Messages are read by models and people:
// they say what to do, and hold no secret.
//
// # Results
//
// Results are encoded with encoding/json, without its HTML escapes. Nil slices
// and maps become [] and {}, at any depth, for that is what the schema
// promises a program. A method that returns nothing has the output type
// struct{}; its program gets undefined.
//
// # Tests
//
// Package sdktest, beside this one, checks a connector for all that a host
// relies on, with calls that its author gives.
package sdk
