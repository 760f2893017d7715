// Reads texts from standard input, as JSON, and prints how many tokens of o200k each has.
import { readFileSync } from 'node:fs'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map((text) => countTokens(text, { disallowedSpecial: new Set() }))))
