import type { StepContext } from '#core/operations/operations'
import { absoluteWebPath } from '#guest/public'
import { installAptPackages, runWithProgress } from '#guest/public_effects'
import { variablesForBuild } from '#projects/operations/build_app'
import { recordedCommandOptions } from '#projects/operations/step_helpers'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const INSTALL_SCRIPT = readScript(import.meta, 'install_python_packages.sh')
const INSTALL_TIMEOUT_MS = 1_800_000

interface PythonApp {
  machine: Machine
  /** Relative to the web root. */
  path: string
  command: string[]
  environment: Record<string, string>
}

/**
 * If the app has a requirements.txt, creates the virtual environment of the command's program, and installs the
 * packages there. Does nothing unless the program is in `venv/bin` or `.venv/bin` of the app.
 */
export async function installPythonPackages(
  { machine, path, command, environment }: PythonApp,
  context: StepContext
): Promise<void> {
  const [folder] = /^\.?venv(?=\/bin\/)/.exec(command[0].replace(/^\.\//, '')) ?? []
  if (!folder) return
  const options = recordedCommandOptions(context)
  await installAptPackages(machine, 'Python could not be installed', options, ['python3-venv'])
  const argv = ['sh', '-c', INSTALL_SCRIPT, 'berth-python', folder]
  await runWithProgress(machine, 'The Python packages could not be installed', argv, {
    cwd: absoluteWebPath(path),
    env: variablesForBuild(environment),
    timeout: INSTALL_TIMEOUT_MS,
    ...options,
  })
}
