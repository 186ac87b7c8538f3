import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

// Import only Node's own modules here, because this file also runs without the others inside an instance.

/** Capability masks as the kernel prints them: none, and the one that Caddy needs. */
export const NO_CAPABILITIES = '0000000000000000'
export const NET_BIND_SERVICE_CAPABILITY = '0000000000000400'

export interface ProcessDetails {
  pid: number
  command: string[]
  identity: ProcessIdentity
  environment: Record<string, string>
  open: { files: string[]; tcp: string[] }
}

export interface ProcessIdentity {
  /** User or group ids (real, effective, saved, file system) without duplicates: `101 / 102`. */
  ids: string
  groups: number[]
  /** Masks of all five capability sets, without duplicates. */
  capabilities: string[]
  NoNewPrivs: string
}

/** Lists the processes of a cgroup, for example of a systemd service. Requires root. */
export function listProcessesInCgroup(name: string): ProcessDetails[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.flatMap((pid) => {
    try {
      const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n')
      if (!groups.some((group) => group.endsWith(`/${name}`))) return []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
      const environment = readEnvironment(pid)
      return [
        { pid, command, identity: readProcessIdentity(pid), environment, open: readOpenFiles(pid) },
      ]
    } catch (error) {
      // Ignored if the process has just ended.
      if (existsSync(`/proc/${pid}`)) throw error
      return []
    }
  })
}

export function readProcessIdentity(pid: number): ProcessIdentity {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n')
  const status = Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)))
  const { Uid, Gid, Groups, CapInh, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs } = status
  const groups = (Groups ?? '').trim().split(/\s+/).filter(Boolean).map(Number)
  return {
    ids: [...new Set([...Uid.split('\t'), '/', ...Gid.split('\t')])].join(' '),
    groups: groups.sort((a: number, b: number) => a - b),
    capabilities: [...new Set([CapInh, CapPrm, CapEff, CapBnd, CapAmb])],
    NoNewPrivs,
  }
}

export function readEnvironment(pid: number): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], pair.replace(/^.*?=/, '')]))
}

/** Returns the paths of the open files, and the ports of TCP connections as `local > remote`. */
export function readOpenFiles(pid: number): { files: string[]; tcp: string[] } {
  const targets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return []
    }
  })
  const inodes = new Set(targets.map((path) => /^socket:\[(\d+)\]$/.exec(path)?.[1]))
  const tcp = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => inodes.has(fields[9]))
      .map(([, here, there]) => `${parsePort(here)} > ${parsePort(there)}`)
  )
  return { files: targets.filter((path) => path.startsWith('/')), tcp }
}

function parsePort(address: string): number {
  return parseInt(address.split(':')[1], 16)
}

export const secretsByProcess: Record<string, string[]> = {
  web: ['appKey', 'databaseApp', 'google', 'mysql', 'vaultControlKey', 'mailControlKey'],
  gateway: ['appKey', 'databaseApp'],
  vault: ['databaseVault', 'vaultKey', 'vaultControlKey'],
  mail: ['databaseMail', 'mailKey', 'mailControlKey', 'smtp'],
  worker: ['appKey', 'databaseApp', 'smtp', 'mysql', 'incus', 'vaultControlKey', 'mailControlKey'],
  broker: ['incus'],
  edge: [],
  certificates: [],
}

export type AccessAttempt = ['read' | 'write' | 'list' | 'connect', string]

/** Program that tries the accesses in its argument. It prints the outcome of each: `ok` or the error code. */
export const ACCESS_ATTEMPT_PROGRAM = `
const fs = require('node:fs'), net = require('node:net')
const attempts = JSON.parse(process.argv[1])
const connect = (path) => new Promise((done) => {
  const socket = net.connect(path)
  socket.once('connect', () => { socket.destroy(); done('ok') })
  socket.once('error', (error) => done(error.code))
})
const tried = async ([what, path]) => {
  try {
    if (what === 'read') fs.closeSync(fs.openSync(path, 'r'))
    if (what === 'write') fs.closeSync(fs.openSync(path, 'a'))
    if (what === 'list') fs.readdirSync(path)
    if (what === 'connect') return connect(path)
    return 'ok'
  } catch (error) { return error.code }
}
Promise.all(attempts.map(tried)).then((all) => process.stdout.write(JSON.stringify(all)))
`
