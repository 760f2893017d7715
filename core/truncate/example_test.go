package truncate_test

import (
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/core/truncate"
)

func ExampleJSON() {
	result := `{"total":3,"issues":[{"id":1,"body":"` + strings.Repeat("Once upon a time. ", 20) + `"},{"id":2},{"id":3}]}`
	short, truncated := truncate.JSON([]byte(result), 140)
	fmt.Println(string(short), truncated)
	// Output:
	// {"total":3,"issues":[{"id":1,"body":"Once upon a time. Once upon a time. Once upon a time. Once… [302 more characters]"},{"id":2},{"id":3}]} true
}
