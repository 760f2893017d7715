package program

import "slices"

// Version names this compiler and the transpiler inside it. It changes whenever the same text may compile
// to another [Program.JS].
const Version = "2+esbuild-0.28.2"

// Compile turns the text into a program. A fault of the text is an [*Error], with line and column in the text
// as the model wrote it; there are no other errors. The same source gives the same program, byte for byte.
//
// The text's size is the caller's to bound. Compile refuses text that nests so deeply that a parser's stack
// would not hold it, but the parsers were not made for hostile text: where programs are not trusted, Compile
// belongs into a process that can be killed.
//
// [Program.JS] is strict mode code of the shape
//
//	(()=>{"use strict";return async function(input,env){{ ... }}})()
//	//# sourceMappingURL=data:application/json;base64,...
//
// so that evaluating it gives the function and runs nothing of the model's. goja's positions in it, once the source
// map is applied, are lines and columns of the model's text, both from 1, under the file name "program"; what was
// put around the model's code has the file name "codemode". Modules stand before return; places in one have the file
// name [ModuleSource] and its name.
func Compile(src Source) (*Program, error) {
	c, err := intake(src.Text)
	if err != nil {
		return nil, err
	}
	if err := c.checkNesting(); err != nil {
		return nil, err
	}
	if err := c.checkShell(); err != nil {
		return nil, err
	}
	if err := c.checkWrapped(); err != nil {
		return nil, err
	}
	out, err := transpile(c)
	if err != nil {
		return nil, err
	}
	l := newLibrary(src)
	u, err := parse(c, out, programShell, l)
	if err != nil {
		return nil, err
	}
	u.namespaces = src.Namespaces
	imports, err := u.linkImports()
	if err != nil {
		return nil, err
	}
	if err := u.check(); err != nil {
		return nil, err
	}
	entry, err := u.entry()
	if err != nil {
		return nil, err
	}
	expressions, err := u.regexps()
	if err != nil {
		return nil, err
	}
	js, err := u.link(slices.Concat(imports, entry, expressions))
	if err != nil {
		return nil, err
	}
	return &Program{JS: js, Version: Version, Modules: l.list()}, nil
}
