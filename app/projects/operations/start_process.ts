import { findInstance, machineOf } from '#compute/public'
import { defineOperation, type StepContext } from '#core/operations/operations'
import { waitForAnswer } from '#projects/machine/folder'
import { follow } from '#projects/machine/run'
import { progressOf } from '#projects/operations/reach'
import { folderOf } from '#projects/paths'
import { startProcess } from '#projects/pm2/actions'
import { type PackageManager, packageManagers, startArgv } from '#projects/pm2/build'

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

/** The operation was allowed when it was asked for; here it is Berth's own. */
const berth = { id: 0, audience: 'staff', role: 'administrator', name: 'Berth', email: '' } as const

async function machineFor({ serverInstanceId }: Where) {
  return machineOf(await findInstance(berth, serverInstanceId))
}

async function manage(input: BuildWork, verb: 'install' | 'build', context: StepContext) {
  const argv = packageManagers[input.packageManager][verb]
  await follow(await machineFor(input), `${argv.join(' ')} failed`, [...argv], {
    cwd: folderOf(input.path),
    env: { NEXT_TELEMETRY_DISABLED: '1', CI: 'true' },
    timeout: 1_800_000,
    ...progressOf(context),
  })
}

/** Installs, builds and starts an app with its port. */
export const buildProcess = defineOperation<BuildWork>({
  kind: 'process.build',
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
      async run(input) {
        const machine = await machineFor(input)
        const env = { PORT: String(input.port), NODE_ENV: 'production' }
        const { name, path } = input
        await startProcess(machine, { name, cwd: folderOf(path), argv: startArgv, env })
      },
    },
    {
      key: 'answer',
      label: 'Wait until it answers',
      async run(input) {
        await waitForAnswer(await machineFor(input), `http://127.0.0.1:${input.port}/`)
      },
    },
  ],
})

/** Starts a script as it is. */
export const startScript = defineOperation<ScriptWork>({
  kind: 'process.start',
  steps: [
    {
      key: 'start',
      label: 'Start',
      async run(input) {
        const { name, path, script } = input
        const machine = await machineFor(input)
        await startProcess(machine, { name, cwd: folderOf(path), argv: [`./${script}`] })
      },
    },
  ],
})
