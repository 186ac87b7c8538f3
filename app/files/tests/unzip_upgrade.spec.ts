import Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { unzipFileOperation } from '#files/operations/unzip'
import { test } from '@japa/runner'

/** Completes an operation whose steps an earlier release has run. */
async function resultOf(state: Record<string, unknown>) {
  const operation = await startOperation(
    unzipFileOperation,
    { instanceId: 0, archive: 'a.zip', destination: 'new' },
    { title: 'Test', accountId: null, subject: { type: 'files', id: 0 } }
  )
  const steps = operation.steps.map(({ key, label }) => ({ key, label, status: 'done' as const }))
  const facts = { entries: 3, junk: 0, links: 0 }
  await operation.merge({ version: 1, steps, state: { facts, ...state } }).save()
  await runSteps(operation.id)
  const { status, result, version } = await Operation.findOrFail(operation.id)
  return { status, result, version }
}

test.group('An unzip that an earlier release started', () => {
  test('finishes with the merge plan that the earlier release saved', async ({ assert }) => {
    const merged = { folders: ['css'], skipped: ['css/a'], replaced: ['b', 'c'], undecided: [] }
    assert.deepEqual(await resultOf({ merged }), {
      status: 'done',
      version: 2,
      result: {
        destination: 'new',
        entries: 2,
        leftOut: { junk: 0, links: 0 },
        skipped: { count: 1, names: ['css/a'] },
        replaced: { count: 2, names: ['b', 'c'] },
      },
    })
  })

  test('finishes without a merge plan', async ({ assert }) => {
    assert.deepEqual(await resultOf({}), {
      status: 'done',
      version: 2,
      result: { destination: 'new', entries: 3, leftOut: { junk: 0, links: 0 } },
    })
  })
})
