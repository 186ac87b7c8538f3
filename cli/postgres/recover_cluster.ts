import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readScript } from '../../packages/machine/read_script.js'
import { CliError } from '../berth_home.js'
import { separateHardLinkedFiles } from '../database/hard_linked_files.js'
import { findFreePort } from '../find_free_port.js'
import { withParentDeathSignal } from '../run_program.js'
import type { PostgresCluster } from './cluster_folder.js'
import { localDatabaseUrl, withDatabaseClient } from './connections.js'
import {
  commonServerSettings,
  environmentWithoutSecrets,
  commandForServerSetting,
  readLastLines,
} from './server_command.js'

const RESTORE_WAL_SCRIPT = readScript(import.meta, 'restore_wal.sh')

/** Target at which a recovery stops: a named restore point in the WAL, or a time (ISO 8601, UTC). */
export type RecoveryTarget = { name: string } | { time: string }

/**
 * Recovers a copied data folder (with its `backup_label`) from a folder of WAL files. The returned server is running
 * and accepts writes. `url` is that of the superuser.
 * @throws CliError with the server's last log lines if it cannot reach the target
 */
export async function recoverPostgresCluster(
  { clusterFolder, native, account }: PostgresCluster,
  {
    wal,
    target,
    password,
    log,
    fast,
  }: { wal: string; target: RecoveryTarget; password: string; log: string; fast?: boolean }
): Promise<{ url: string; stop: () => Promise<void> }> {
  const data = join(clusterFolder, 'data')
  // restic restores hard links as hard links, but PostgreSQL's files must not share data.
  await separateHardLinkedFiles(data)
  const port = await findFreePort(0)
  const settings = [
    ...commonServerSettings(native),
    'archive_mode=off',
    'hot_standby=off',
    'max_wal_senders=0',
    `restore_command=${commandForServerSetting(RESTORE_WAL_SCRIPT, wal, ['%f', '%p'])}`,
    'recovery_target_action=promote',
    'recovery_target_timeline=latest',
    'name' in target
      ? `recovery_target_name=${target.name}`
      : // PostgreSQL's recovery settings accept UTC only in the form `+00`.
        `recovery_target_time=${target.time.replace('T', ' ').replace('Z', '+00')}`,
    ...(fast ? ['fsync=off', 'full_page_writes=off'] : []),
  ]
  const argv = [
    join(native, 'bin/postgres'),
    `--port=${port}`,
    '-D',
    data,
    ...settings.flatMap((setting) => ['-c', setting]),
  ]
  const [program, ...rest] = withParentDeathSignal(argv, 'INT', account)
  const output = openSync(log, 'a', 0o600)
  const child = spawn(program, rest, {
    cwd: clusterFolder,
    env: environmentWithoutSecrets(),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = new Promise<void>((done) => {
    child.once('error', () => done())
    child.once('exit', () => done())
  })
  const address = localDatabaseUrl('postgres', password, port, 'berth')
  const ready = () =>
    withDatabaseClient(address, async (client) => {
      const { rows } = await client.query<{ is: boolean }>('select not pg_is_in_recovery() as is')
      return rows[0].is
    }).catch(() => false)
  // No timeout, because the duration depends on the amount of WAL. Fails only if the server exits.
  while (!(await ready())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new CliError(
        `The database could not be restored to that point in time\n${readLastLines(log)}`
      )
    }
    await sleep(100)
  }
  const stop = async () => {
    child.kill('SIGINT')
    await ended
  }
  return { url: address, stop }
}
