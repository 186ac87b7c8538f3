import type { TestSshd } from '#packages/machine/tests/sshd'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface OpenSsh {
  ssh(line: string): Promise<string>
  sftp(batch: string): Promise<string>
  close(): Promise<void>
}

/** Opens an SSH connection and keeps it open. */
export async function openSsh({ target, folder }: TestSshd): Promise<OpenSsh> {
  const control = join(folder, '..', 'control')
  const key = join(folder, '..', 'user')
  await writeFile(key, target.privateKey, { mode: 0o600 })
  const port = String(target.port)
  const host = `${target.username}@${target.host}`
  const settings = {
    ControlPath: control,
    StrictHostKeyChecking: 'no',
    UserKnownHostsFile: '/dev/null',
    LogLevel: 'ERROR',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const common = ['-F', 'none', '-i', key, ...options]
  const master = ['-o', 'ControlMaster=yes', '-o', 'ControlPersist=600']
  await runCommand('ssh', [...common, ...master, '-p', port, '-fN', host])
  return {
    ssh: (line) => runCommand('ssh', [...common, '-p', port, host, line]),
    sftp: (batch) => runCommand('sftp', [...common, '-q', '-P', port, '-b', '-', host], batch),
    close: async () => {
      await runCommand('ssh', [...common, '-O', 'exit', host]).catch(() => '')
    },
  }
}

/**
 * Runs a program and returns its standard output.
 * @throws Error with the end of the program's error output, if it does not exit with 0
 */
export async function runCommand(name: string, argv: string[], input = '', cwd?: string) {
  const child = spawn(name, argv, { stdio: ['pipe', 'pipe', 'pipe'], cwd })
  let output = ''
  let words = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (words += chunk))
  child.stdin.on('error', () => {}).end(input)
  // `ssh -fN` leaves a background process, which keeps the pipes open. So only its exit is waited for, and not the end
  // of its output.
  const [code] = await once(child, argv.includes('-fN') ? 'exit' : 'close')
  if (code !== 0) throw new Error(`${name} failed: ${words.slice(-500)}`)
  return output
}
