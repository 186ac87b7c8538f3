import { existsSync, readFileSync } from 'node:fs'
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { CliError } from '../berth_home.js'
import { isPackaged } from '../paths.js'

/** Settings file with one `NAME=value` per line (docs/guides/settings.md). It may contain secrets. */
export const settingsFilePath = process.env.BERTH_SETTINGS ?? '/etc/berth/berth.conf'

/** Name of the settings file's copy in the home. Backups contain the home, and therefore also the settings. */
export const SETTINGS_COPY_NAME = 'berth.conf'

export const settingsTemplate = `# Settings of Berth. After a change: berth install
# docs/guides/settings.md lists the names. Only root may read this file.

# The URL under which people open the console. Links in emails and cookies use it.
#APP_URL=https://console.example.com

# The public IP address of this machine. Customers point their domains to it.
#PUBLIC_IP=192.0.2.10

# SMTP relay, and sender of Berth's own emails. Without a relay, emails stay in the outbox: berth outbox
#SMTP_URL=smtps://user:password@smtp.example.com
#MAIL_FROM=Berth <berth@example.com>

# The roles that run on this machine. Default: all.
#ROLES=web,gateway,vault,mail,worker,edge,host
`

/**
 * Variables that are already set take precedence. Does nothing if the file does not exist.
 * @throws CliError if the file cannot be read
 */
export function loadSettingsIntoEnv(
  file = settingsFilePath,
  env: NodeJS.ProcessEnv = process.env
): void {
  if (!existsSync(file)) return
  try {
    for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8')))) {
      if (value !== '') env[name] ??= value
    }
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/**
 * Creates the settings file if it is missing, adds the home's path, and copies the file to the home. Only root may read
 * the file. On an installation from the Debian package, the file exists already, and only the administrator changes it.
 */
export async function ensureSettingsFile(home: string, file = settingsFilePath): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 })
  if (!existsSync(file)) await writeFile(file, settingsTemplate, { mode: 0o600 })
  await chmod(file, 0o600)
  if (!isPackaged) await noteHome(home, file)
  const copy = join(home, SETTINGS_COPY_NAME)
  await rm(copy, { force: true })
  await writeFile(copy, await readFile(file), { mode: 0o600 })
}

async function noteHome(home: string, file: string): Promise<void> {
  const known = parseEnv(await readFile(file, 'utf8'))
  if (known.BERTH_HOME === home) return
  if (known.BERTH_HOME) {
    throw new CliError(
      `${file} says BERTH_HOME=${known.BERTH_HOME}, not ${home}. Correct it, or unset BERTH_HOME`
    )
  }
  await appendFile(file, `\n# Folder of all data.\nBERTH_HOME=${home}\n`)
}

/** Names that the setting ROLES may contain. */
export const machineRoles = ['web', 'gateway', 'vault', 'mail', 'worker', 'edge', 'host'] as const
export type MachineRole = (typeof machineRoles)[number]

/** @throws CliError if the setting ROLES contains an unknown name */
export function configuredMachineRoles(env: NodeJS.ProcessEnv = process.env): MachineRole[] {
  if (!env.ROLES) return [...machineRoles]
  const names = env.ROLES.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !machineRoles.includes(name as MachineRole))
  if (unknown !== undefined) {
    throw new CliError(
      `ROLES contains the unknown role "${unknown}". Roles: ${machineRoles.join(', ')}`
    )
  }
  return machineRoles.filter((part) => names.includes(part))
}
