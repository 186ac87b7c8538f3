import { eventually } from '#tests/support/eventually'
import { managedServer } from '#databases/servers/reach'
import type { Server } from '#databases/servers/server'
import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import { type Connection, createConnection } from 'mysql2/promise'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A MariaDB of its own, which is the managed server of this process until `stop`. */
export interface TestMariadb {
  folder: string
  /** As its administrator. */
  root: Connection
  /** As an account uses it. */
  serverOf(accountId: number): Server
  stop(): Promise<void>
}

/** Starts one in a folder of its own; it listens on a socket alone. */
export async function startMariadb(settings: string[] = []): Promise<TestMariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mariadb-'))
  const [data, socket] = [join(folder, 'data'), join(folder, 's')]
  const user = `--user=${process.getuid!() === 0 ? 'root' : process.env.USER}`
  await promisify(execFile)('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    user,
  ])
  const server = spawn(
    '/usr/sbin/mariadbd',
    [
      '--no-defaults',
      ...[`--datadir=${data}`, `--socket=${socket}`, user, '--skip-networking'],
      ...['--innodb-buffer-pool-size=64M', '--innodb-flush-log-at-trx-commit=0'],
      ...settings,
    ],
    { stdio: 'ignore' }
  )
  const ended = once(server, 'exit')
  const root = await eventually(() => createConnection({ socketPath: socket, user: 'root' }))
  env.set('MYSQL_URL' as never, new Secret(`mysql://root@localhost?socket=${socket}`) as never)
  return {
    folder,
    root,
    serverOf: (accountId) => managedServer(accountId, 'mysql')!,
    async stop() {
      env.set('MYSQL_URL' as never, undefined as never)
      root.destroy()
      server.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
