import { listenWithProgramPerConnection } from '../../cli/program_per_connection.js'
import { MAX_SANDBOXES, sandboxArgv, sandboxCommandFromSource } from '../../cli/sandbox_launcher.js'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestSandboxSocket {
  socketPath: string
  sockets: string
  close(): Promise<void>
}

/** Opens the socket for sandboxes as `./berth up` does. Returns `null` if the tests do not run as root. */
export async function openTestSandboxSocket(): Promise<TestSandboxSocket | null> {
  if (process.getuid?.() !== 0) return null
  const folder = await mkdtemp(join(tmpdir(), 'berth-sandboxes-'))
  await chmod(folder, 0o711)
  const sockets = join(folder, 'sockets')
  await mkdir(join(folder, 'door'), { mode: 0o750 })
  await mkdir(sockets)
  await chmod(sockets, 0o711)
  const door = join(folder, 'door', 'socket')
  const { PATH } = process.env
  const argv = sandboxArgv(sandboxCommandFromSource, folder)
  const closeDoor = await listenWithProgramPerConnection(door, argv, { PATH }, MAX_SANDBOXES)
  return {
    socketPath: door,
    sockets,
    async close() {
      await closeDoor()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
