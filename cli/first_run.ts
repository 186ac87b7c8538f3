import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateJson, type BerthHome } from './berth_home.js'

export interface FirstRunContext {
  home: BerthHome
  demo: boolean
}

/** An ace command that a start runs if `wanted` returns true. It may be repeated. */
export interface FirstRunStep {
  title: string
  command: string[]
  /** Whether the step waits until Incus on this machine is ready. Other steps run before the processes start. */
  needsHost: boolean
  wanted(context: FirstRunContext): boolean
  /** Saves values from the command's output. */
  keep?(context: FirstRunContext, output: string, url: string): Promise<void>
}

export interface FirstAdminCredentials {
  url: string
  email: string
  password: string
}

export function firstAdminFile(home: BerthHome): string {
  return join(home.path, 'first-admin.json')
}

export async function readFirstAdmin(home: BerthHome): Promise<FirstAdminCredentials | undefined> {
  const file = firstAdminFile(home)
  return existsSync(file)
    ? (JSON.parse(await readFile(file, 'utf8')) as FirstAdminCredentials)
    : undefined
}

/**
 * Saves the first administrator's password, which the command prints once. If staff already exist, the command prints
 * only `{}`, and nothing is saved.
 */
async function keepFirstAdmin({ home }: FirstRunContext, output: string, url: string) {
  const line = output.split('\n').findLast((text) => text.startsWith('{"email"'))
  if (!line) return
  const { email, password } = JSON.parse(line) as Omit<FirstAdminCredentials, 'url'>
  await writePrivateJson(firstAdminFile(home), { url, email, password })
}

export const firstRunSteps: FirstRunStep[] = [
  {
    title: 'Create the first administrator',
    command: ['people:first-admin'],
    needsHost: false,
    wanted: ({ home }) => !existsSync(firstAdminFile(home)),
    keep: keepFirstAdmin,
  },
  {
    title: 'Register this machine as a host',
    command: ['host:register-local'],
    needsHost: true,
    wanted: () => true,
  },
  {
    title: 'Add sample data',
    command: ['demo:seed'],
    needsHost: true,
    wanted: ({ demo }) => demo,
  },
]
