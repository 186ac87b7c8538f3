import { recordOutput, type StepContext } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { absoluteWebPath } from '#guest/public'
import { runAsOwner, runWithProgress } from '#guest/public_effects'
import { recordedCommandOptions } from '#projects/operations/step_helpers'
import {
  type BuildPlan,
  DESCRIBE_APP_SCRIPT,
  KEEP_LOCK_FILES_SCRIPT,
  type PackageManager,
  planBuild,
} from '#projects/pm2/package_managers'
import { DEFAULT_MODE } from '#projects/pm2/process_actions'
import { pm2Variables } from '#projects/pm2/run_pm2'
import type { Machine } from '#packages/machine/main'

const BUILD_TIMEOUT_MS = 1_800_000

interface BuildTarget {
  machine: Machine
  /** Relative to the web root. */
  path: string
  /** The customer's variables, which are secrets. */
  environment: Record<string, string>
  packageManager: PackageManager
}

/** The customer's values override the defaults. */
export function variablesForBuild(environment: Record<string, string>): Record<string, string> {
  return { NEXT_TELEMETRY_DISABLED: '1', CI: 'true', ...environment, ...pm2Variables }
}

/** The customer's NODE_ENV overrides the default. */
export function variablesForAppStart(port: number | string, environment: Record<string, string>) {
  return { PORT: String(port), NODE_ENV: environment.NODE_ENV || DEFAULT_MODE }
}

/**
 * Installs the packages of an app, in the versions of its lock file if that matches package.json. The lock file stays
 * unchanged.
 */
export async function installAppPackages(target: BuildTarget, context: StepContext): Promise<void> {
  const plan = await loadPlan(target)
  const isMatching = plan.frozenInstall && (await installFrozen(target, plan, context))
  if (!isMatching || plan.frozenChecksOnly) {
    const keep = ['sh', '-c', KEEP_LOCK_FILES_SCRIPT, 'berth-install']
    await run(target, plan, plan.install, context, keep)
  }
  const notes = [...plan.notes]
  if (isMatching === false)
    notes.push('The lock file does not match package.json, and was not changed.')
  // Reported after the installation's other output, so that the page still shows the notes after the step.
  if (notes.length) await context.reportProgress(notes.join(' '))
}

/**
 * Installs the locked versions, or only checks them (`frozenChecksOnly`). Returns false if the lock file does not match
 * package.json.
 */
async function installFrozen(
  target: BuildTarget,
  plan: BuildPlan,
  context: StepContext
): Promise<boolean> {
  try {
    await run(target, plan, plan.frozenInstall!, context)
    return true
  } catch (error) {
    if (!(error instanceof AppError && plan.mismatch.test(error.message))) throw error
    return false
  }
}

export async function buildApp(target: BuildTarget, context: StepContext): Promise<void> {
  const plan = await loadPlan(target)
  await run(target, plan, plan.build, context)
}

async function loadPlan({ machine, path, packageManager }: BuildTarget): Promise<BuildPlan> {
  const argv = ['sh', '-c', DESCRIBE_APP_SCRIPT]
  const options = { cwd: absoluteWebPath(path) }
  return planBuild(
    packageManager,
    await runAsOwner(machine, 'The folder of the app could not be read', argv, options)
  )
}

async function run(
  { machine, path, environment }: BuildTarget,
  plan: BuildPlan,
  argv: string[],
  context: StepContext,
  wrapper: string[] = []
): Promise<void> {
  await recordOutput(context, [`$ ${argv.join(' ')}`])
  await runWithProgress(machine, `${argv.join(' ')} failed`, [...wrapper, ...argv], {
    cwd: absoluteWebPath(path),
    env: { ...variablesForBuild(environment), ...plan.env },
    timeout: BUILD_TIMEOUT_MS,
    ...recordedCommandOptions(context),
  })
}
