/**
 * Starts one of Berth's processes: `role.js web | gateway | vault | mail | worker`.
 * All of them are the same code (design, "Processes").
 */
import { prettyPrintError } from '@adonisjs/core'
import { ignite } from './ignite.js'

const roles: Record<string, () => Promise<{ start(): Promise<() => Promise<void>> }>> = {
  gateway: () => import('../start/roles/gateway.js'),
  vault: () => import('../start/roles/vault.js'),
  mail: () => import('../start/roles/mail.js'),
  worker: () => import('../start/roles/worker.js'),
}

const role = process.argv[2] ?? ''
process.env.BERTH_ROLE = role

try {
  if (role === 'web') {
    await ignite().httpServer().start()
  } else if (role in roles) {
    const app = ignite().createApp('web')
    await app.init()
    await app.boot()
    await app.start(async () => {
      const stop = await (await roles[role]()).start()
      app.terminating(() => stop())
    })
  } else {
    process.stderr.write(`Unknown role "${role}". Known: web, ${Object.keys(roles).join(', ')}\n`)
    process.exitCode = 1
  }
} catch (error) {
  process.exitCode = 1
  await prettyPrintError(error)
  process.exit()
}
