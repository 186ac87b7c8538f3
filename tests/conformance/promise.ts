import type { TestContext } from '@japa/runner/core'
import { test } from '@japa/runner'
import { allRows, type RowId, requirementText } from './rows.js'
import { withFailureScreenshot } from './stage.js'

const rows = new Map(allRows)

/**
 * Defines a test that proves these rows of docs/conformance.md on the running product. `table.ts` finds such tests by
 * searching for `proves`.
 */
export function proves(ids: RowId | RowId[], prove: (context: TestContext) => Promise<void>) {
  const all = [ids].flat()
  return test(all.map((id) => `${id} ${requirementText(rows.get(id)!)}`).join('; '), (context) =>
    withFailureScreenshot(all.join(' '), () => prove(context))
  )
}
