package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `codemode runs programs that a model wrote against connectors, asks people
before what matters, continues after an approval or a crash, and undoes what
was done.

Exit codes: 0 done; 1 the execution ended in error, or fmt --check found a file
that is not formatted; 2 usage, configuration or the host itself; 3 paused, a
person must decide; 4 nothing was changed, or what was named is not there.`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use: "codemode", Short: "Run model-written programs under approval, journal and undo", Long: rootHelp,
		SilenceUsage: true, SilenceErrors: true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.config, "config", "", "configuration `file or folder` (default: $CODEMODE_CONFIG, else codemode.hcl or codemode.d here, else in the user's configuration folder)")
	flags.BoolVar(&a.json, "json", false, "answer with one JSON document")
	flags.StringArrayVar(&a.vars, "var", nil, "set a variable of the configuration, `NAME=VALUE`; repeatable")
	flags.StringVar(&a.logLevel, "log-level", "warn", "what the host tells on standard error: trace, debug, info, warn, error, off")
	oneOf(root, "log-level", "trace", "debug", "info", "warn", "error", "off")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	root.AddCommand(
		newRun(a), newPending(a), newApprove(a), newReject(a), newSettle(a), newResume(a), newRollback(a),
		newExecutions(a), newShow(a), newSearch(a), newDescribe(a), newTypes(a), newSnippets(a), newExpire(a), newPrune(a), newDelete(a),
		newExport(a), newImport(a), newBackup(a), newRestore(a),
		newServe(a), newMCP(a), newValidate(a), newDoctor(a), newFmt(a), newVersion(a),
	)
	return root
}
