import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findCaddy } from './caddy.ts'
import { caddyAdminConfig } from '../../packages/edge/main.ts'

export function edgeAdminAddress(home: string): string {
  return `unix/${join(home, 'edge', 'admin.sock')}`
}

/** Caddy starts with only an admin socket. The worker sends the configuration over that socket after each start. */
export async function edgeCommand(
  home: string
): Promise<{ argv: string[]; env: NodeJS.ProcessEnv }> {
  const folder = join(home, 'edge')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const config = join(folder, 'start.json')
  await writeFile(config, JSON.stringify({ admin: caddyAdminConfig(edgeAdminAddress(home)) }))
  return {
    argv: [findCaddy()?.path ?? 'caddy', 'run', '--config', config],
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  }
}
