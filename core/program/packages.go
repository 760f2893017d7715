package program

import "strings"

// replacements say what to use instead of modules that models are used to.
var replacements = map[string]string{
	"fs": "there are no files",

	"path":                               "there are no files; join names with template literals",
	"os":                                 "a program sees nothing of the machine",
	"process":                            "a program sees nothing of the machine; what it is given is in input",
	"dotenv":                             "a program sees nothing of the machine; what it is given is in input",
	"child_process":                      "there are no processes and no shell; call the connectors' methods",
	"worker_threads":                     "there are no threads; use Promise.all for calls at the same time",
	"cluster":                            "there are no processes",
	"http https net tls dns http2 dgram": "there is no network; call the connectors' methods",
	"axios node-fetch got undici request superagent ky cross-fetch ws": "there is no network; call the connectors' methods",
	"crypto":                            "crypto.randomUUID() and crypto.getRandomValues() are there without an import",
	"uuid nanoid":                       "use crypto.randomUUID()",
	"url querystring":                   "URL and URLSearchParams are there without an import",
	"buffer":                            "use Uint8Array, TextEncoder and TextDecoder",
	"timers timers/promises":            "setTimeout is there without an import; wait with await new Promise(r => setTimeout(r, ms))",
	"perf_hooks":                        "performance is there without an import",
	"util":                              "use structuredClone, TextEncoder and plain JavaScript",
	"assert":                            "throw an Error instead",
	"events stream readline":            "use async functions and async generators",
	"lodash lodash-es underscore ramda": "use the array methods and Object.groupBy",
	"moment dayjs date-fns luxon":       "use Date",
	"zod ajv joi yup":                   "arguments are checked against their schemas by the host",
	"chalk":                             "console.log takes plain text",
	"octokit @octokit/rest @octokit/core @octokit/graphql": "call the connectors' methods; they have the credentials",
}

// byModule is replacements by one name each.
var byModule = func() map[string]string {
	m := map[string]string{}
	for names, text := range replacements {
		for name := range strings.FieldsSeq(names) {
			m[name] = text
		}
	}
	return m
}()

// instead says what to use instead of a well-known module, or "".
func instead(from string) string {
	name := strings.TrimPrefix(from, "node:")
	if text := byModule[name]; text != "" {
		return text
	}
	first, _, _ := strings.Cut(name, "/")
	return byModule[first]
}
