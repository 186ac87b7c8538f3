import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'

/**
 * Limits in megabytes or seconds. `usual` is the default. PHP's own upload limit of 2 MB is too small for a theme or a
 * photo.
 */
export const phpLimits = {
  php_upload_mb: { usual: 64, least: 1, most: 1024, words: 'an upload size from 1 to 1024 MB' },
  php_memory_mb: { usual: 256, least: 32, most: 4096, words: 'a memory limit from 32 to 4096 MB' },
  php_seconds: { usual: 60, least: 5, most: 3600, words: 'a time limit from 5 to 3600 seconds' },
} as const

const BYTES_PER_MB = 1024 ** 2
/** Memory in MB that a WordPress request with a few plugins uses. */
const WORKER_MB = 64
const MIN_WORKERS = 3
const MAX_WORKERS = 40

/**
 * Returns how many requests a site can run at the same time. One half of the instance's memory is for the database and
 * the system. Each site may use all of the other half: idle sites use no memory, and a fixed share would slow down a
 * busy site while other sites have no visitors.
 */
export function maxPhpWorkers(memoryBytes: number | string | null): number {
  const fitting = Math.floor(Number(memoryBytes ?? 0) / 2 / (WORKER_MB * BYTES_PER_MB))
  return Math.min(Math.max(fitting, MIN_WORKERS), MAX_WORKERS)
}

export type PhpLimit = keyof typeof phpLimits

/** Megabytes that a form may have in addition to the uploaded file. */
const FORM_OVERHEAD_MB = 8

/** Last line of a pool file. A file without it was not transferred completely. */
export const POOL_FILE_LAST_LINE = '; End of Berth project'

/** Each project has its own PHP-FPM pool, so that a site's limits do not affect other sites. */
export function poolName(projectId: number): string {
  return `berth-${whole(projectId)}`
}

/** The path contains the PHP version, so that two versions never share a socket. */
export function poolSocket(projectId: number, version: string): string {
  return `/run/php/${poolName(projectId)}-${plain(version)}.sock`
}

export function phpIniSettings(limits: Record<PhpLimit, number>): Record<string, string> {
  const upload = whole(limits.php_upload_mb)
  return {
    upload_max_filesize: `${upload}M`,
    post_max_size: `${upload + FORM_OVERHEAD_MB}M`,
    memory_limit: `${whole(limits.php_memory_mb)}M`,
    max_execution_time: String(whole(limits.php_seconds)),
  }
}

/** `php_version` is null for the newest version. */
export type PhpSettings = Record<PhpLimit, number> & { php_version: string | null }

export function phpSettingsOf(host: VirtualHost | null): PhpSettings {
  const limit = (name: PhpLimit) => host?.[name] ?? phpLimits[name].usual
  return {
    php_upload_mb: limit('php_upload_mb'),
    php_memory_mb: limit('php_memory_mb'),
    php_seconds: limit('php_seconds'),
    php_version: host?.php_version ?? null,
  }
}

/**
 * Renders the pool file from whole numbers and a PHP version, so that no value can add settings.
 * @throws TypeError for any other value
 */
export function renderPool(
  projectId: number,
  version: string,
  { host, workers }: { host: VirtualHost | null; workers: number }
): string {
  const settings = Object.entries(phpIniSettings(phpSettingsOf(host)))
  const lines = [
    `; Berth project ${whole(projectId)}. Changes made here are overwritten.`,
    `[${poolName(projectId)}]`,
    'user = www-data',
    'group = www-data',
    `listen = ${poolSocket(projectId, version)}`,
    'listen.owner = www-data',
    'listen.group = www-data',
    // With `ondemand`, a site without visitors uses no memory.
    'pm = ondemand',
    `pm.max_children = ${whole(workers)}`,
    'pm.process_idle_timeout = 30s',
    ...settings.map(([name, value]) => `php_value[${name}] = ${value}`),
    POOL_FILE_LAST_LINE,
  ]
  return `${lines.join('\n')}\n`
}

function whole(value: number): number {
  if (!Number.isSafeInteger(Number(value)) || Number(value) < 0) {
    throw new TypeError(`${JSON.stringify(value)} is not allowed in PHP's configuration`)
  }
  return Number(value)
}

function plain(version: string): string {
  if (!/^\d{1,2}\.\d{1,2}$/.test(version)) {
    throw new TypeError(`${JSON.stringify(version)} is not a version of PHP`)
  }
  return version
}
