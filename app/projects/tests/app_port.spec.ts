import Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { createStepContext } from '#core/operations/runner'
import { projectSetupOperations } from '#projects/operations/set_up'
import { reserveAppPort } from '#projects/operations/step_helpers'
import { findAppPort, projectOperationSubject } from '#projects/queries/projects'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import type { Machine } from '#packages/machine/main'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

/** A fake machine on which no port is in use: apps begin to listen only seconds after their start. */
const idleMachine = {
  async exec(argv) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { code: 0, signal: null, stdout: Buffer.from(argv.at(-1)!), stderr: Buffer.alloc(0) }
  },
} as Partial<Machine> as Machine

test('Apps that start simultaneously on an instance get different ports', async ({
  assert,
  cleanup,
}) => {
  const instance = await makeInstance(await makeCustomer())
  const projects = [
    await makeProject(instance, { stack: 'node' }),
    await makeProject(instance, { stack: 'node', previewPort: 3001 }),
  ]
  await Promise.all(
    projects.map(async (project) => {
      const { id } = await startOperation(
        projectSetupOperations.node,
        { projectId: project.id },
        { title: 'Test', accountId: null, subject: projectOperationSubject(project) }
      )
      cleanup(async () => {
        await Operation.query().where({ id }).delete()
      })
      const context = createStepContext(
        await Operation.findOrFail(id),
        new AbortController().signal
      )
      await reserveAppPort(project, idleMachine, context)
    })
  )
  const [first, second] = await Promise.all(projects.map((project) => findAppPort(project)))
  assert.notEqual(first, second)
  assert.notEqual(first, 3001)
})
