import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDebianPackages } from '../ensure_debian_packages.js'
import { runCommand } from '../openssh.js'

export interface Load {
  url: string
  connections: number
  /** In milliseconds. */
  duration: number
  headers?: Record<string, string>
  script?: string
}

/**
 * Uses wrk, a client that needs little CPU time, to measure requests per second.
 * @throws Error if a request fails, but not if only connection attempts fail
 */
export async function measureRequestRate(folder: string, options: Load): Promise<number> {
  const { url, connections, duration, headers = {}, script } = options
  await ensureDebianPackages({ '/usr/bin/wrk': 'wrk' })
  const told = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  if (script) {
    const file = join(folder, 'load.lua')
    await writeFile(file, script)
    told.push('-s', file)
  }
  const seconds = `${Math.max(1, Math.round(duration / 1000))}s`
  const output = await runCommand('wrk', ['-t1', `-c${connections}`, `-d${seconds}`, ...told, url])
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(output)
  if (failed && !/read 0, write 0, timeout 0/.test(failed[0])) {
    throw new Error(`${url}: ${failed[0]}`)
  }
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)![1])
}

/** Returns a Lua program for wrk that requests `count` objects, one after the other. */
export const getObjectsScript = (path: string, count: number) => `
local at = 0
request = function()
  at = (at + 1) % ${count}
  return wrk.format("GET", "${path}" .. at)
end`

/** Returns a Lua program for wrk that replaces `NAME` in the path and the body by a new name in each request. */
export const sendNewNamesScript = (method: string, path: string, body: string, type: string) => `
local at = 0
local before, after = ${lua(body.split('NAME')[0]!)}, ${lua(body.split('NAME')[1] ?? '')}
local isNamed = ${body.includes('NAME')}
wrk.headers["Content-Type"] = ${lua(type)}
request = function()
  at = at + 1
  local name = "n" .. at
  local body = isNamed and before .. name .. after or before
  return wrk.format("${method}", (string.gsub(${lua(path)}, "NAME", name)), nil, body)
end`

function lua(text: string): string {
  return JSON.stringify(text)
}
