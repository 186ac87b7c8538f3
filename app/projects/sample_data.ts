import { ServerInstance } from '#instances/public'
import type { CreateSampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import { Person, actorOf } from '#identity/public'
import { createProject } from '#projects/actions/create_project'
import Project from '#projects/models/project'
import { setTimeout as sleep } from 'node:timers/promises'

const ACTIVATION_TIMEOUT_MS = 120_000

const sampleData: CreateSampleData = async (sample) => {
  let stored = 0
  for (const accountId of sample.customers) {
    if (await Project.query().where({ accountId }).first()) continue
    const instance = await activeInstance(accountId)
    if (!instance) continue
    const person = await Person.findOrFail(accountId)
    try {
      await createProject(await actorOf(person), {
        server_instance_id: instance.id,
        name: 'sample-site',
        path: 'sample-site',
        stack: 'static',
      })
      stored++
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      sample.report(`No project for ${person.name}: ${error.message}`)
    }
  }
  sample.report(`${stored} projects, being set up`)
}

export default sampleData

async function activeInstance(accountId: number): Promise<ServerInstance | null> {
  const deadline = Date.now() + ACTIVATION_TIMEOUT_MS
  for (;;) {
    const instance = await ServerInstance.query()
      .where({ accountId })
      .whereIn('status', ['pending', 'active'])
      .first()
    if (!instance || instance.status === 'active') return instance
    if (Date.now() > deadline) return null
    await sleep(1_000)
  }
}
