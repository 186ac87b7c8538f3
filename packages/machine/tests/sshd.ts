import { findFreePort } from '#tests/support/find_free_port'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPair, type SshTarget } from '../main.js'

export interface TestSshd {
  target: SshTarget
  /** Folder for the test's files. `stop` removes it. */
  folder: string
  /** Kills the server and all its connections. */
  kill(): Promise<void>
  /** Starts the killed server again, on the same port. */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts an OpenSSH server with its own keys and settings. Needs root.
 * @param settings additional lines of sshd_config
 */
export async function startSshd(settings: string[] = []): Promise<TestSshd> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-sshd-'))
  const keys = join(folder, 'keys')
  const files = join(folder, 'files')
  await mkdir(keys, { mode: 0o700 })
  await mkdir(files)
  await mkdir('/run/sshd', { recursive: true })
  // Other users may enter the folder, but only its owner can write to it.
  await chmod(folder, 0o755)
  const host = generateKeyPair('host')
  const user = generateKeyPair('user')
  await writeFile(join(keys, 'host'), host.privateKey, { mode: 0o600 })
  await writeFile(join(keys, 'authorized_keys'), `${user.publicKey}\n`, { mode: 0o600 })
  const port = await findFreePort()
  const config = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(keys, 'host')}`,
    `AuthorizedKeysFile ${join(keys, 'authorized_keys')}`,
    `PidFile ${join(keys, 'pid')}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'StrictModes no',
    'UsePAM no',
    'UseDNS no',
    'PrintMotd no',
    'Subsystem sftp internal-sftp',
    // Bash skips the user's start-up files only if SHLVL is above 1.
    ...(settings.some((line) => line.startsWith('SetEnv')) ? [] : ['SetEnv SHLVL=2']),
    ...settings,
  ]
  const written = join(keys, 'sshd_config')
  // OpenSSH 9.8 and later block an address that connects repeatedly without signing in. `PerSourcePenalties no` turns
  // this off. Earlier versions reject this setting.
  await writeFile(written, ['PerSourcePenalties no', ...config, ''].join('\n'))
  const { status } = spawnSync('/usr/sbin/sshd', ['-t', '-f', written])
  if (status !== 0) await writeFile(written, [...config, ''].join('\n'))
  let server: ChildProcess | null = null

  const start = async () => {
    const log = join(keys, 'log')
    const argv = ['-D', '-E', log, '-f', written]
    const child = spawn('/usr/sbin/sshd', argv, { stdio: 'ignore', detached: true })
    server = child
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
      if (await answers(port)) return
      if (child.exitCode !== null) break
    }
    throw new Error(`sshd did not start: ${await readFile(log, 'utf8').catch(() => 'no log')}`)
  }

  const kill = async () => {
    const child = server
    server = null
    if (!child?.pid || child.exitCode !== null) return
    const gone = once(child, 'exit')
    const sessions = await descendants(child.pid)
    child.kill('SIGKILL')
    // Kills only processes of sshd itself, because tests check that commands continue after sshd is killed.
    for (const { pid, name } of sessions) {
      if (name.startsWith('sshd')) killQuietly(pid)
    }
    await gone
  }

  await start()
  return {
    target: {
      host: '127.0.0.1',
      port,
      username: userInfo().username,
      privateKey: user.privateKey,
      hostKey: host.publicKey,
    },
    folder: files,
    kill,
    start,
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @throws Error that contains the text `what`, after two minutes */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>
): Promise<void> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
    if (await holds()) return
  }
  throw new Error(`Waited in vain until ${what}`)
}

/** A zombie counts as not running. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return stat !== null && !/^\S+ \(.*\) [ZX]/s.test(stat)
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
  })
}

async function descendants(pid: number): Promise<{ pid: number; name: string }[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const found: { pid: number; name: string }[] = []
  for (const child of list.split(' ').filter(Boolean).map(Number)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    found.push({ pid: child, name }, ...(await descendants(child)))
  }
  return found
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Ignores a process that has already exited.
  }
}
