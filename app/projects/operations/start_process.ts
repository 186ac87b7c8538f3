import { defineOperation, type StepContext } from '#core/operations/operations'
import { follow, folderOf, reachGuestForWork } from '#guest/public'
import Project from '#projects/models/project'
import { givePreview, openPreview, progressOf, reach, serveSite } from '#projects/operations/reach'
import { startProcess } from '#projects/pm2/actions'
import { type PackageManager, packageManagers, startArgv } from '#projects/pm2/build'
import { appMemory } from '#projects/pm2/memory'
import { pm2Variables } from '#projects/pm2/run'
import { untilItServes } from '#projects/pm2/watch'
import { projectAt } from '#projects/queries/projects'

interface Where {
  serverInstanceId: number
  name: string
  /** Relative to the web root. */
  path: string
}

export interface BuildWork extends Where {
  packageManager: PackageManager
  port: number
}

export interface ScriptWork extends Where {
  script: string
}

/** Where it runs, and what its project gives it; secrets are read here and kept nowhere. */
async function placeOf({ serverInstanceId, path }: Where) {
  const { instance, machine } = await reachGuestForWork(serverInstanceId)
  const project = await projectAt(serverInstanceId, path)
  return {
    machine,
    memory: appMemory(instance),
    given: project?.environment ?? {},
    /** The port that visitors are led to. */
    proxied: project?.virtualHost?.reverse_proxy_port ?? null,
  }
}

async function manage(input: BuildWork, verb: 'install' | 'build', context: StepContext) {
  const argv = packageManagers[input.packageManager][verb]
  const { machine, given } = await placeOf(input)
  await follow(machine, `${argv.join(' ')} failed`, [...argv], {
    cwd: folderOf(input.path),
    env: { ...given, NEXT_TELEMETRY_DISABLED: '1', CI: 'true', ...pm2Variables },
    timeout: 1_800_000,
    ...progressOf(context),
  })
}

/** Serves the app's port at the preview address of its project, if that has no virtual host. */
async function showPreview({ serverInstanceId, path }: Where, { tell }: StepContext) {
  const found = await Project.live().where({ serverInstanceId, path }).first()
  if (!found || found.virtualHost || found.status !== 'active') return
  const { project, machine } = await reach({ projectId: found.id })
  await givePreview(project, machine)
  await serveSite(project, machine, null)
  const address = await openPreview(project)
  if (address) await tell(`The site is reachable at ${address}.`)
}

/** Installs, builds and starts an app with its port. */
export const buildProcess = defineOperation<BuildWork>({
  kind: 'process.build',
  lane: 'transfer',
  steps: [
    {
      key: 'install',
      label: 'Install packages',
      run: (input, context) => manage(input, 'install', context),
    },
    { key: 'build', label: 'Build', run: (input, context) => manage(input, 'build', context) },
    {
      key: 'start',
      label: 'Start',
      async run({ name, path, port, ...where }, { remember }) {
        const { machine, memory, given } = await placeOf({ name, path, ...where })
        const env = { PORT: String(port), NODE_ENV: 'production' }
        const app = { name, cwd: folderOf(path), argv: startArgv, env, given, memory }
        await remember('since', await startProcess(machine, app))
      },
    },
    {
      key: 'answer',
      label: 'Wait until it responds',
      async run(input, context) {
        const { machine } = await placeOf(input)
        const since = String(context.memory.since ?? '')
        await untilItServes(machine, { name: input.name, since, port: input.port }, context)
        await showPreview(input, context)
      },
    },
  ],
})

/** Starts a script as it is. */
export const startScript = defineOperation<ScriptWork>({
  kind: 'process.start',
  lane: 'guest',
  steps: [
    {
      key: 'start',
      label: 'Start',
      async run(input, { remember }) {
        const { name, path, script } = input
        const { machine, memory, given, proxied } = await placeOf(input)
        // Where visitors are led to a port, that is the one to listen on; what its owner says wins.
        const env: Record<string, string> = proxied && !given.PORT ? { PORT: String(proxied) } : {}
        const app = { name, cwd: folderOf(path), argv: [`./${script}`], env, given, memory }
        await remember('since', await startProcess(machine, app))
      },
    },
    {
      key: 'answer',
      label: 'Check that it runs',
      async run(input, context) {
        const { machine, proxied: port } = await placeOf(input)
        const since = String(context.memory.since ?? '')
        const app = { name: input.name, since, port, mustListen: false }
        await untilItServes(machine, app, context)
      },
    },
  ],
})
