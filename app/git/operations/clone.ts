import { defineOperation, type StepContext } from '#core/operations/operations'
import { RepositoryAddress } from '#git/repository_address'
import { requireSshCredentials, type SshCredentials } from '#git/deploy_keys'
import { gitError, errorForExitCode } from '#git/errors'
import { gitCommandError, gitTransferError } from '#git/git_error_messages'
import {
  gitScriptArgv,
  runGit,
  gitConfigArguments,
  starterPageVariables,
} from '#git/machine/run_git'
import { reportCloneProgress } from '#git/clone_progress'
import {
  describeMissingContent,
  findMissingContent,
  type MissingContent,
} from '#git/missing_content'
import { encodePathInWebRoot } from '#guest/public'
import { connectToGuestForOperation } from '#instances/public_effects'
import { translateMachineErrors } from '#guest/public_effects'
import type { Machine } from '#packages/machine/main'
import encryption from '@adonisjs/core/services/encryption'
import { randomUUID } from 'node:crypto'
import { addAbortListener } from 'node:events'

const CLONE_TIMEOUT_MS = 3_600_000
const ENCRYPTION_PURPOSE = 'git.clone'

/**
 * Git credential helper that prints user name and password from environment variables. Git calls it
 * only for the server of the repository.
 */
const CREDENTIAL_HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$BERTH_GIT_USERNAME" "$BERTH_GIT_PASSWORD"; }; f'

export interface HttpsCredentials {
  username: string
  password: string
}

interface CloneInput {
  instanceId: number
  /** Without user name and password. */
  repository: string
  /** Relative to the web root; `''` is the web root itself. */
  target: string
  /** Encrypted user name and password. Null for SSH and public repositories, and after use. */
  credentials: string | null
}

/** The result is valid for a day. */
export function encryptCredentials(credentials: HttpsCredentials): string {
  return encryption.encrypt(credentials, { expiresIn: '24h', purpose: ENCRYPTION_PURPOSE })
}

/**
 * Clones into a temporary folder next to the target, and then renames it, so that the target is
 * either unchanged or complete. If the target is the web root itself, its files move one by one,
 * and `.git` last.
 */
export const cloneOperation = defineOperation<CloneInput>({
  kind: 'git.clone',
  queue: 'transfer',
  cancellable: true,
  steps: [
    { key: 'download', label: 'Download the repository', run: download },
    { key: 'place', label: 'Move the repository into its folder', run: putIntoFolder },
  ],
  async result({ target }, { state: { starterPage, missing } }) {
    const { submodules = [], lfsFiles = [] } = (missing ?? {}) as Partial<MissingContent>
    return {
      path: encodePathInWebRoot(target),
      ...(starterPage !== undefined && { starterPage }),
      ...(submodules.length > 0 && { submodules }),
      ...(lfsFiles.length > 0 && { lfsFiles }),
    }
  },
  async failed({ instanceId, target }, _reason, context) {
    await forgetCredentials(context)
    const names = temporaryFolders(context)
    if (names.length === 0) return
    const guest = await connectToGuestForOperation(instanceId).catch(() => null)
    await guest?.machine.exec(gitScriptArgv('discard', target, [names.join(' ')])).catch(() => null)
  },
})

async function download(input: CloneInput, context: StepContext): Promise<void> {
  const { instance, machine } = await connectToGuestForOperation(input.instanceId)
  const address = RepositoryAddress.ofLink(input.repository)
  const login = address.ssh
    ? withKey(await requireSshCredentials(instance, address))
    : withPassword(input, address)
  const earlier = temporaryFolders(context)
  // Uses a new name for each attempt, because an interrupted attempt may still be writing into its
  // folder.
  const temporary = `.berth-clone-${randomUUID()}`
  await context.saveState('temporaries', [...earlier, temporary])
  const rest = [temporary, earlier.join(' '), address.url, ...(await address.settings())]
  rest.push(...login.settings)
  const { code, stderr } = await clone(machine, input.target, rest, login, context)
  const outcome = errorForExitCode(code)
  if (outcome) throw outcome
  if (code !== 0) throw gitTransferError(stderr, login)
  await forgetCredentials(context)
}

/** Settings and secrets of a git command. Error messages hide `secrets`, and may mention `server`. */
interface Login {
  settings: string[]
  env: Record<string, string>
  /** Private deploy key, sent to standard input. */
  key?: string
  secrets?: string[]
  server?: SshCredentials['server']
}

function withKey({ env, privateKey, server }: SshCredentials): Login {
  return { settings: [], env, key: privateKey, server }
}

function withPassword(input: CloneInput, address: RepositoryAddress): Login {
  if (!input.credentials) return { settings: [], env: {} }
  const credentials = encryption.decrypt<HttpsCredentials>(input.credentials, ENCRYPTION_PURPOSE)
  if (!credentials) throw gitError('Cloning did not start in time. Clone again.')
  return {
    settings: gitConfigArguments({ [`credential.${address.origin}.helper`]: CREDENTIAL_HELPER }),
    env: { BERTH_GIT_USERNAME: credentials.username, BERTH_GIT_PASSWORD: credentials.password },
    secrets: [credentials.password],
  }
}

async function clone(
  machine: Machine,
  target: string,
  rest: string[],
  login: Login,
  { reportProgress, signal }: StepContext
) {
  const env = Object.assign(await starterPageVariables(machine, target), login.env)
  return translateMachineErrors(async () => {
    const process = await machine.spawn(gitScriptArgv('clone', target, rest), {
      env,
      timeout: CLONE_TIMEOUT_MS,
    })
    const stop = () => void process.kill().catch(() => {})
    // Kills git on an abort, including one that happened while git was starting.
    const watching = addAbortListener(signal, stop)
    process.stdin.on('error', () => {})
    process.stdin.end(login.key)
    process.stdout.resume()
    try {
      const [stderr, status] = await Promise.all([
        reportCloneProgress(process.stderr, reportProgress),
        process.exit,
      ])
      return { code: status.code, stderr }
    } finally {
      watching[Symbol.dispose]()
    }
  })
}

async function putIntoFolder(
  { instanceId, target }: CloneInput,
  context: StepContext
): Promise<void> {
  const { machine } = await connectToGuestForOperation(instanceId)
  const temporary = temporaryFolders(context).at(-1) ?? ''
  const env = await starterPageVariables(machine, target)
  const { code, stdout, stderr } = await runGit(machine, 'place', target, [temporary], { env })
  if (code !== 0)
    throw gitCommandError(stderr.toString(), 'The repository could not be moved into its folder.')
  const page = stdout.toString()
  if (page !== '') await context.saveState('starterPage', page)
  const missing = await findMissingContent(machine, target)
  await context.saveState('missing', missing)
  const starterNotes = page === '' ? [] : [`Replaced the starter page ${page}.`]
  const notes = starterNotes.concat(describeMissingContent(missing))
  if (notes.length > 0) await context.reportProgress(notes.join(' '))
}

function temporaryFolders({ state }: StepContext): string[] {
  return (state.temporaries as string[] | undefined) ?? []
}

async function forgetCredentials({ operation }: StepContext): Promise<void> {
  operation.input = { ...operation.input, credentials: null }
  await operation.save()
}
