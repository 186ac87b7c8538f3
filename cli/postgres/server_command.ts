import { readFileSync } from 'node:fs'
import { readScript } from '../../packages/machine/read_script.js'
import { quoteForShell } from '../../packages/machine/shell_quote.js'
import { isOlderThan } from './programs.js'

export function commonServerSettings(native: string): string[] {
  return [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // JIT-compiled queries need memory that is both writable and executable, which the systemd unit forbids.
    'jit=off',
    // Berth needs neither I/O workers nor logical replication workers. They would only use memory.
    ...(isOlderThan(18, native) ? [] : ['io_method=sync']),
    'max_logical_replication_workers=0',
  ]
}

const ARCHIVE_WAL_SCRIPT = readScript(import.meta, 'archive_wal.sh')

export function archiveCommand(folder: string): string {
  return commandForServerSetting(ARCHIVE_WAL_SCRIPT, folder, ['%p', '%f'])
}

/** PostgreSQL replaces placeholders such as `%p` in the command. */
export function commandForServerSetting(
  script: string,
  folder: string,
  placeholders: string[]
): string {
  const plain = quoteForShell(['sh', '-c', script, 'sh', folder]).replaceAll('%', '%%')
  return `${plain} ${placeholders.map((word) => `"${word}"`).join(' ')}`
}

export function environmentWithoutSecrets(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

export function readLastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-20).join('\n')
}
