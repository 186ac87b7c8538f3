import { eventually } from '#tests/support/eventually'
import { findFreePort } from '#tests/support/find_free_port'
import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Mariadb {
  url: string
  folder: string
  root: Connection
  /** @throws the server's error */
  signIn(user: string, password: string, database?: string): Promise<Connection>
  ask<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>
  crash(): Promise<void>
  stop(): Promise<void>
}

export async function startMariadb(settings: string[] = []): Promise<Mariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mariadb-'))
  const data = join(folder, 'data')
  const user = `--user=${userInfo().username}`
  await run('mariadb-install-db', [
    '--no-defaults',
    user,
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
  ])
  const port = await findFreePort()
  const socket = join(folder, 'sock')
  let words = ''
  const launch = () => {
    const child = spawn(
      'mariadbd',
      [
        '--no-defaults',
        user,
        `--datadir=${data}`,
        `--socket=${socket}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        '--innodb-buffer-pool-size=32M',
        // As in production, committed data survives a crash.
        '--innodb-flush-log-at-trx-commit=1',
        `--pid-file=${join(folder, 'pid')}`,
        ...settings,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: `${process.env.PATH}:/usr/sbin` } }
    )
    child.stderr.on('data', (chunk: Buffer) => (words = `${words}${chunk}`.slice(-4_000)))
    return child
  }
  let server = launch()
  const end = async () => {
    server.kill('SIGKILL')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  }
  const first = await eventually(() => {
    if (server.exitCode !== null) throw new Error(`MariaDB ended: ${words}`)
    return createConnection({ socketPath: socket, user: 'root' })
  })
  const password = randomBytes(12).toString('hex')
  await first.query(`CREATE USER 'keeper'@'%' IDENTIFIED BY '${password}'`)
  await first.query(`GRANT ALL PRIVILEGES ON *.* TO 'keeper'@'%' WITH GRANT OPTION`)
  await first.end()
  const connect = () => createConnection({ host: '127.0.0.1', port, user: 'keeper', password })
  const mariadb = { root: await connect() }
  const url = `mysql://keeper:${password}@127.0.0.1:${port}`
  const before = env.get('MYSQL_URL')
  env.set('MYSQL_URL', new Secret(url))
  return {
    url,
    folder,
    get root() {
      return mariadb.root
    },
    signIn: (name, secret, database) =>
      createConnection({ host: '127.0.0.1', port, user: name, password: secret, database }),
    async ask<Row>(sql: string, values: unknown[] = []) {
      const [rows] = await mariadb.root.query<RowDataPacket[]>(sql, values)
      return rows as Row[]
    },
    async crash() {
      mariadb.root.destroy()
      await end()
      server = launch()
      mariadb.root = await eventually(connect)
    },
    async stop() {
      env.set('MYSQL_URL', before as never)
      // `env.set` with undefined has set the text "undefined".
      if (!before) delete process.env.MYSQL_URL
      mariadb.root.destroy()
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
