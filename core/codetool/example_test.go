package codetool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/core/codetool"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// City is the argument of weather.forecast.
type City struct {
	Name string `json:"name" jsonschema:"description=In English.,minLength=1"`
}

// Forecast is its result.
type Forecast struct {
	Celsius int `json:"celsius"`
}

func forecast(_ context.Context, c City) (Forecast, error) {
	if c.Name == "Atlantis" {
		return Forecast{}, sdk.Errorf(sdk.NotFound, "there is no city %s", c.Name)
	}
	return Forecast{Celsius: len(c.Name)}, nil
}

// A tool of one function, from its definition to a program that fails.
func Example() {
	tool, err := codetool.New(codetool.Options{Namespaces: []codetool.Namespace{{
		Name:         "weather",
		Instructions: "The weather of tomorrow.",
		Functions: []sdk.Method{
			sdk.Func[City, Forecast]{Name: "forecast", Description: "Forecast for a city.", ReadOnly: true, Call: forecast},
		},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}

	// The definition goes to the model.
	_, declarations, _ := strings.Cut(tool.Definition().Description, "// ")
	declarations, _, _ = strings.Cut(declarations, "\n\nRules:")
	fmt.Println("// " + declarations)

	// What the model sends comes back as a result,
	ctx := context.Background()
	result, err := tool.Call(ctx, json.RawMessage(`{"code": "`+
		`const all = await Promise.all(['Rome', 'Helsinki'].map(name => weather.forecast({ name })));`+
		`console.log(all.length, 'cities');`+
		`all.map(f => f.celsius)"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %q\n", result.Value, result.Logs)

	// or as an error, which is data for the model as well.
	_, err = tool.Run(ctx, `await weather.forecast({ name: "Atlantis" })`)
	fmt.Println(err)
	var failed *codetool.Error
	if errors.As(err, &failed) {
		text, _ := json.Marshal(failed)
		fmt.Println(string(text))
	}

	// Output:
	// // The weather of tomorrow.
	// declare namespace weather {
	//   /** Forecast for a city. */
	//   function forecast(input: {
	//     name: string; // In English.
	//   }): Promise<{ celsius: number }>;
	// }
	// [4,8] ["2 cities"]
	// run program: there is no city Atlantis (line 1, column 15)
	// {"errorType":"runtime","error":"there is no city Atlantis","name":"CallError","code":"not_found","line":1,"column":15}
}

// A description of the embedder's own, with the declarations where they fit.
func ExampleOptions_description() {
	tool, err := codetool.New(codetool.Options{
		Description: "Look up the weather with a program.\n\n{{types}}\n\nAnswer in one sentence.",
		Namespaces: []codetool.Namespace{{Functions: []sdk.Method{
			sdk.Func[struct{}, string]{Name: "today", ReadOnly: true, Call: func(context.Context, struct{}) (string, error) { return "rain", nil }},
		}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.Definition().Description)
	// Output:
	// Look up the weather with a program.
	//
	// declare namespace tools {
	//   function today(input?: {}): Promise<string>;
	// }
	//
	// Answer in one sentence.
}
