import { defineOperation, type StepContext } from '#core/operations/operations'
import { runAsOwner } from '#guest/public_effects'
import { absoluteWebPath } from '#guest/public'
import { connectToGuestForOperation } from '#instances/public_effects'
import { installPythonPackages } from '#projects/machine/install_python'
import Project from '#projects/models/project'
import { buildApp, installAppPackages, variablesForAppStart } from '#projects/operations/build_app'
import {
  reservePreviewPort,
  openPreviewPort,
  loadProjectAndMachine,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import { launchArgv } from '#projects/pm2/command'
import { startProcess } from '#projects/pm2/process_actions'
import type { PackageManager } from '#projects/pm2/package_managers'
import { BUILD_OUTPUTS, DESCRIBE_BUILD_SCRIPT, planStart } from '#projects/pm2/start_command'
import { maxAppMemoryBytes } from '#projects/pm2/memory_limit'
import { waitUntilServing } from '#projects/pm2/wait_until_serving'
import { findProjectByPath } from '#projects/queries/projects'

const UNREADABLE_FOLDER_MESSAGE = 'The folder of the app could not be read'

interface Where {
  serverInstanceId: number
  name: string
  /** Relative to the web root. */
  path: string
}

export interface BuildAndStartInput extends Where {
  packageManager: PackageManager
  port: number
}

export interface StartScriptInput extends Where {
  script: string
}

export interface StartCommandInput extends Where {
  command: string[]
  port: number
}

/** Loads the project again in each step, so that the stored operation never contains the project's secrets. */
async function loadProjectFolder({ serverInstanceId, path }: Where) {
  const { instance, machine } = await connectToGuestForOperation(serverInstanceId)
  const project = await findProjectByPath(serverInstanceId, path)
  return {
    machine,
    memory: maxAppMemoryBytes(instance),
    environment: project?.environment ?? {},
    proxied: project?.virtualHost?.reverse_proxy_port ?? null,
  }
}

/** Serves the app at the preview address of its project, if the project has no virtual host. */
async function showPreview({ serverInstanceId, path }: Where, { reportProgress }: StepContext) {
  const existing = await Project.live().where({ serverInstanceId, path }).first()
  if (!existing || existing.virtualHost || existing.status !== 'active') return
  const { project, machine } = await loadProjectAndMachine({ projectId: existing.id })
  await reservePreviewPort(project, machine)
  await syncProjectSite(project, machine, null)
  const address = await openPreviewPort(project)
  if (address) await reportProgress(`The site is reachable at ${address}.`)
}

const waitUntilServingStep = {
  key: 'answer',
  label: 'Wait until the process responds',
  async run(input: Where & { port: number }, context: StepContext) {
    const { machine } = await loadProjectFolder(input)
    const since = String(context.state.since ?? '')
    await waitUntilServing(machine, { name: input.name, since, port: input.port }, context)
    await showPreview(input, context)
  },
}

export const appBuildAndStartOperation = defineOperation<BuildAndStartInput>({
  kind: 'process.build',
  queue: 'transfer',
  steps: [
    {
      key: 'install',
      label: 'Install packages',
      async run(input, context) {
        await installAppPackages({ ...input, ...(await loadProjectFolder(input)) }, context)
      },
    },
    {
      key: 'build',
      label: 'Build',
      async run(input, context) {
        await buildApp({ ...input, ...(await loadProjectFolder(input)) }, context)
      },
    },
    {
      key: 'start',
      label: 'Start',
      async run({ name, path, port, ...where }, { saveState }) {
        const { machine, memory, environment } = await loadProjectFolder({ name, path, ...where })
        const env = variablesForAppStart(port, environment)
        const cwd = absoluteWebPath(path)
        const describe = ['sh', '-c', DESCRIBE_BUILD_SCRIPT, 'berth-start', ...BUILD_OUTPUTS]
        const facts = await runAsOwner(machine, UNREADABLE_FOLDER_MESSAGE, describe, { cwd })
        const app = {
          name,
          cwd,
          argv: planStart(facts),
          env,
          environment,
          memory,
        }
        await saveState('since', await startProcess(machine, app))
      },
    },
    waitUntilServingStep,
  ],
})

export const commandStartOperation = defineOperation<StartCommandInput>({
  kind: 'process.command',
  queue: 'transfer',
  steps: [
    {
      key: 'install',
      label: 'Install Python packages',
      async run(input, context) {
        await installPythonPackages({ ...input, ...(await loadProjectFolder(input)) }, context)
      },
    },
    {
      key: 'start',
      label: 'Start',
      async run(input, { saveState }) {
        const { name, path, command, port } = input
        const { machine, memory, environment } = await loadProjectFolder(input)
        const app = {
          name,
          cwd: absoluteWebPath(path),
          argv: launchArgv(command, port),
          env: { PORT: String(port) },
          environment,
          memory,
        }
        await saveState('since', await startProcess(machine, app))
      },
    },
    waitUntilServingStep,
  ],
})

export const scriptStartOperation = defineOperation<StartScriptInput>({
  kind: 'process.start',
  queue: 'guest',
  steps: [
    {
      key: 'start',
      label: 'Start',
      async run(input, { saveState }) {
        const { name, path, script } = input
        const { machine, memory, environment, proxied } = await loadProjectFolder(input)
        // The virtual host forwards requests to this port. A `PORT` that the owner has set is kept.
        const env: Record<string, string> =
          proxied && !environment.PORT ? { PORT: String(proxied) } : {}
        const app = {
          name,
          cwd: absoluteWebPath(path),
          argv: [`./${script}`],
          env,
          environment,
          memory,
        }
        await saveState('since', await startProcess(machine, app))
      },
    },
    {
      key: 'answer',
      label: 'Check that the process runs',
      async run(input, context) {
        const { machine, proxied: port } = await loadProjectFolder(input)
        const since = String(context.state.since ?? '')
        const app = { name: input.name, since, port, mustListen: false }
        await waitUntilServing(machine, app, context)
      },
    },
  ],
})
