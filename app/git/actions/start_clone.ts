import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { Address } from '#git/address'
import { runGit } from '#git/machine/run'
import { cloneOperation, seal } from '#git/operations/clone'
import type { Place } from '#git/place'
import { cleanTextPath, join } from '#guest/public'

export interface CloneAsked {
  repository: string
  username: string
  password: string
  /** Relative to the place; empty, `.` and `/` are the place itself. */
  directory: string
}

/** Starts to clone a repository into a folder that is empty or not there. Throws 409, 422, 503. */
export async function startClone(
  { instance, machine, path }: Place,
  { repository, username, password, directory }: CloneAsked
): Promise<Operation> {
  const address = Address.ofLink(repository)
  const below = cleanTextPath(directory, 'directory')
  const target = below ? join(path, below) : path
  await address.settings()
  await runGit(machine, 'look', target)
  const input = {
    instanceId: instance.id,
    repository: address.url,
    target,
    credentials: seal({ username, password }),
  }
  return startOperation(cloneOperation, input, {
    title: `Cloning ${new URL(address.url).pathname.split('/').filter(Boolean).at(-1) ?? 'a repository'}`,
    accountId: instance.accountId,
    subject: { type: 'instance', id: instance.id },
  })
}
