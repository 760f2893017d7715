// Reads [{name, text}] from standard input, each a file of TypeScript declarations, and prints what the compiler says of
// them: [{name, message}]. Names that a page does not declare are its way to say that more can be had.
import { readFileSync } from 'node:fs'
import ts from 'typescript'

const unknownName = [2304, 2552, 2503, 2749]
const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] }
const pages = new Map(JSON.parse(readFileSync(0, 'utf8')).map(({ name, text }) => ['/' + name + '.ts', text + '\nexport {}\n']))
const host = ts.createCompilerHost(options)
const { getSourceFile, fileExists, readFile } = host
host.fileExists = (name) => pages.has(name) || fileExists(name)
host.readFile = (name) => pages.get(name) ?? readFile(name)
host.getSourceFile = (name, target) => pages.has(name) ? ts.createSourceFile(name, pages.get(name), target) : getSourceFile(name, target)

const said = []
const program = ts.createProgram([...pages.keys()], options, host)
for (const d of ts.getPreEmitDiagnostics(program)) {
  const name = d.file?.fileName ?? ''
  if (unknownName.includes(d.code) && !name.startsWith('/whole:')) continue
  const line = d.file?.text.slice(d.start).split('\n')[0]
  said.push({ name, message: `TS${d.code} ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}: ${line}` })
}
console.log(JSON.stringify(said))
