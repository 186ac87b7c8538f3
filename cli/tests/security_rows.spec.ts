import { test } from '@japa/runner'
import { findMissingTests, securityRows, type Tree } from '../../tests/security/rows.js'

const tree: Tree = {
  exists: (path) => ['app/a/tests/one.spec.ts', 'cli/check.ts'].includes(path),
  titles: () => ['are read, by both sides alone', 'nothing that {0} is run'],
}

/** Returns the problems that are found in a table row whose last cell is `cell`. */
function missing(cell: string): string[] {
  const page = ['## A', 'Paths without more are below `app/a`.', '', '| What | Test |', '|---|---|']
  const [row] = securityRows([...page, `| It holds | ${cell} |`].join('\n'))
  return findMissingTests(row, tree)
}

test.group('Rows of docs/security.md', () => {
  test('a row may name existing files and titles of tests', ({ assert }) => {
    for (const cell of [
      '`tests/one.spec.ts`',
      '`app/a/tests/one.spec.ts`: are read, by both sides…; the matrix',
      '`tests/one.spec.ts` (a real one): nothing that…, is run; `cli/check.ts`',
    ]) {
      assert.deepEqual(missing(cell), [], cell)
    }
  })

  test('a row is rejected if it names no test, or a file or title that does not exist', ({
    assert,
  }) => {
    for (const cell of [
      'the matrix',
      '`tests/two.spec.ts`',
      '`tests/{one,two}.spec.ts`',
      '`tests/one.spec.ts`: are written…',
      '`tests/one.spec.ts`: are read, and written',
    ]) {
      assert.lengthOf(missing(cell), 1, cell)
    }
  })
})
