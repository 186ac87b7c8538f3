/**
 * Writes docs/conformance.md and prints problems of the table. Exits with 1 if there are problems, and in CI also if
 * the committed file is outdated.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { complaints, document, readProofs } from './table.js'

const file = join(import.meta.dirname, '../../docs/conformance.md')
const proofs = readProofs()
const wanted = document(proofs)
const wrong = complaints(proofs)
const isCurrent = readOr(file) === wanted
if (!isCurrent) writeFileSync(file, wanted)
if (!isCurrent && process.env.CI) wrong.push('docs/conformance.md is not what the table says')
process.stderr.write(wrong.map((line) => `${line}\n`).join(''))
process.exitCode = wrong.length ? 1 : 0

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
