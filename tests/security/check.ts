/** Prints the tests that docs/security.md names but that do not exist. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findMissingTests, securityRows, readTree } from './rows.js'

const root = join(import.meta.dirname, '../..')
const tree = readTree(root)
for (const row of securityRows(readFileSync(join(root, 'docs/security.md'), 'utf8'))) {
  const missing = findMissingTests(row, tree)
  if (missing.length === 0) continue
  process.stderr.write(
    `docs/security.md:${row.line} names what is not there: ${missing.join('; ')}\n`
  )
  process.exitCode = 1
}
