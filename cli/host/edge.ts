import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adminOf } from '../../packages/edge/main.ts'

export interface EdgeProgram {
  /** What the other processes are told: the admin address. */
  admin: string
  argv: string[]
  env: NodeJS.ProcessEnv
}

/**
 * The Caddy of a home, as a program to keep running. It starts with nothing but its admin socket;
 * the worker tells it what to serve, again whenever it was restarted.
 */
export async function edgeProgram(home: string): Promise<EdgeProgram> {
  const folder = join(home, 'edge')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const admin = `unix/${join(folder, 'admin.sock')}`
  const config = join(folder, 'start.json')
  await writeFile(config, JSON.stringify({ admin: adminOf(admin) }))
  return {
    admin,
    argv: ['caddy', 'run', '--config', config],
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  }
}
