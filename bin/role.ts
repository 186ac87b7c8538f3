import { readFileSync } from 'node:fs'
import { setSourceMapsSupport } from 'node:module'
import { join } from 'node:path'
import {
  DRAINED_EXIT_CODE,
  onDrainRequest,
  type RunningService,
} from '../packages/service/graceful_handover.js'

// Maps stack traces to the sources, but only for Berth's own code. Source maps of all packages would use much memory.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })

type Start = () => Promise<{ start(): Promise<RunningService> }>

/** Roles that run the console's application (decision 0011). */
const roles: Record<string, Start> = {
  gateway: () => import('../start/roles/gateway.js'),
  worker: () => import('../start/roles/worker.js'),
}

/** Services that run without the console's application, and so without its secrets. */
const services: Record<string, Start> = {
  vault: () => import('../start/roles/vault.js'),
  mail: () => import('../start/roles/mail.js'),
  broker: () => import('../start/roles/broker.js'),
}

const role = process.argv[2] ?? ''
process.env.BERTH_ROLE = role

// systemd passes the settings in a file that no other user can read.
const credentials = process.env.CREDENTIALS_DIRECTORY
if (credentials) {
  Object.assign(process.env, JSON.parse(readFileSync(join(credentials, 'settings'), 'utf8')))
}

try {
  if (role === 'web') {
    const { ignite } = await import('./ignite.js')
    const { serverOfPages } = await import('../start/roles/web.js')
    await ignite().httpServer().start(serverOfPages)
  } else if (role in roles) {
    const { ignite } = await import('./ignite.js')
    const app = ignite().createApp('web')
    await app.init()
    await app.boot()
    await app.start(async () => {
      const { stop, leave } = await (await roles[role]()).start()
      app.terminating(stop)
      onDrainRequest(() => {
        process.exitCode = DRAINED_EXIT_CODE
        void leave().finally(() => app.terminate())
      })
    })
  } else if (role in services) {
    const starting = services[role]().then((service) => service.start())
    // A signal that arrives while the process starts takes effect after the start is complete.
    const end = () => void starting.then(({ stop }) => stop()).finally(() => process.exit())
    process.once('SIGTERM', end).once('SIGINT', end)
    onDrainRequest(() => {
      void starting.then(({ leave }) => leave()).finally(() => process.exit(DRAINED_EXIT_CODE))
    })
    await starting
  } else {
    const known = ['web', ...Object.keys(roles), ...Object.keys(services)]
    process.stderr.write(`Unknown role "${role}". Known: ${known.join(', ')}\n`)
    process.exitCode = 1
  }
} catch (error) {
  process.exitCode = 1
  const { prettyPrintError } = await import('@adonisjs/core')
  await prettyPrintError(error)
  process.exit()
}
