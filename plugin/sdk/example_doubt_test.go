package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Transfer are the arguments of transfer, Receipt is its result.
type Transfer struct {
	To    string `json:"to"`
	Cents int    `json:"cents"`
}

// Receipt is what the bank says of a transfer.
type Receipt struct {
	Number int `json:"number"`
}

// bank is a service that takes idempotency keys: a second order with the key of the first is the first.
type bank struct{ orders map[string]Receipt }

func (b *bank) order(key string) Receipt {
	if _, known := b.orders[key]; !known {
		b.orders[key] = Receipt{Number: len(b.orders) + 1}
	}
	return b.orders[key]
}

// transfer hands the key on, so that the method can be Idempotent.
func (b *bank) transfer(ctx context.Context, _ Transfer) (Receipt, error) {
	return b.order(sdk.IdempotencyKey(ctx)), nil
}

// find looks for what a call whose outcome was lost has done. Its key is that of the call.
func (b *bank) find(ctx context.Context, _ Transfer) (sdk.Happened[Receipt], error) {
	receipt, known := b.orders[sdk.IdempotencyKey(ctx)]
	if !known {
		return sdk.Happened[Receipt]{Answer: sdk.No}, nil
	}
	return sdk.Happened[Receipt]{Answer: sdk.Yes, Result: receipt}, nil
}

// A write that may be repeated, because the service knows its key, and that can be found again.
func ExampleIdempotencyKey() {
	b := &bank{orders: map[string]Receipt{}}
	c, err := (&sdk.Connector{Name: "bank", Version: "1.0.0", Methods: []sdk.Method{
		sdk.Func[Transfer, Receipt]{
			Name: "transfer", Description: "Transfer money.", Approval: sdk.Required,
			Idempotent: true, Call: b.transfer, Reconcile: b.find,
		},
	}}).InProcess()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	call := func(attempt int) *wire.Call {
		return &wire.Call{
			Method: "transfer", Args: json.RawMessage(`{"to": "ada", "cents": 500}`), IdempotencyKey: "0199/4", Attempt: attempt,
		}
	}
	before, err := c.Reconcile(ctx, call(1))
	fmt.Println(before.Happened, err)
	for attempt := range 2 {
		result, err := c.Invoke(ctx, call(attempt+1), nil)
		fmt.Println(string(result.Value), err)
	}
	after, err := c.Reconcile(ctx, call(2))
	fmt.Println(after.Happened, string(after.Result), err)

	// Output:
	// no <nil>
	// {"number":1} <nil>
	// {"number":1} <nil>
	// yes {"number":1} <nil>
}
