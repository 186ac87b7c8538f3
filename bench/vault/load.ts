import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '../debian.js'
import { command } from '../openssh.js'

export interface Load {
  url: string
  connections: number
  /** Milliseconds. */
  duration: number
  headers?: Record<string, string>
  /** Lua of wrk: what each request is. */
  script?: string
}

/** Requests a second of wrk, a client that takes little of the processors itself. Any failure is one. */
export async function load(folder: string, options: Load): Promise<number> {
  const { url, connections, duration, headers = {}, script } = options
  await needs({ '/usr/bin/wrk': 'wrk' })
  const told = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  if (script) {
    const file = join(folder, 'load.lua')
    await writeFile(file, script)
    told.push('-s', file)
  }
  const seconds = `${Math.max(1, Math.round(duration / 1000))}s`
  const output = await command('wrk', ['-t1', `-c${connections}`, `-d${seconds}`, ...told, url])
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(output)
  if (failed && !/read 0, write 0, timeout 0/.test(failed[0])) {
    throw new Error(`${url}: ${failed[0]}`)
  }
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)![1])
}

/** Asks for one of `count` objects after the other. */
export const inTurn = (path: string, count: number) => `
local at = 0
request = function()
  at = (at + 1) % ${count}
  return wrk.format("GET", "${path}" .. at)
end`

/** Sends a body under a new name each time; `NAME` in path and body is where it goes. */
export const sending = (method: string, path: string, body: string, type: string) => `
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
