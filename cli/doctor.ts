import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder } from './build.js'
import { findChromium, chromiumInstallHint } from './chromium.js'
import { findLockHolder, homePath, openHome } from './berth_home.js'
import { findMissingControllers } from './host/cgroup_controllers.js'
import { type CaddyBinary, findCaddy } from './host/caddy.js'
import { findIncusd, listMissingHostPackages } from './host/host_packages.js'
import { isDebianLike, readOsRelease } from './host/operating_system.js'
import { findIncusHostProblem } from './incus_host.js'
import { runsFromBuild, typescriptLoaderArgs, installRoot } from './paths.js'
import { findRunningDatabase, openDatabase } from './postgres/open_database.js'
import { usesEmbeddedPrograms } from './postgres/cluster_folder.js'
import { portsFromEnv, listeningPortNames, tryListenOnPort } from './roles.js'
import { assertDiskSpace, findNearestExistingFolder } from './preconditions.js'
import { runProgram } from './run_program.js'
import { print, formatTable, colorize } from './print.js'

/** `no`: Berth cannot run. `later`: only some features do not work. */
interface Finding {
  what: string
  state: 'ok' | 'no' | 'later'
  detail: string
  fix: string
}

type Probe = () => Promise<Finding | Finding[]>

/** Returns exit code 1 if Berth cannot run. */
export async function runDoctorCommand(): Promise<number> {
  const findings = (await Promise.all(probes.map((probe) => probe()))).flat()
  const labels = { ok: 'ok', no: 'MISSING', later: 'missing' }
  const rows = findings.map(({ what, state, detail, fix }) => [
    what,
    labels[state],
    detail,
    state === 'ok' ? '' : fix,
  ])
  print(formatTable(['what', 'state', 'found', 'how to fix'], rows))
  const bad = findings.filter(({ state }) => state === 'no')
  const lacking = findings.filter(({ state }) => state === 'later')
  print()
  if (bad.length)
    print(
      colorize(
        'red',
        `Berth cannot run yet. Fix these first: ${bad.map(({ what }) => what).join(', ')}`
      )
    )
  else if (lacking.length)
    print('Berth can run. Without the missing items above, some features are not available.')
  else print('Nothing is missing.')
  if (findIncusHostProblem()) {
    print('This machine cannot be a host. Add another machine in the console under Host Instances:')
    print(
      'create an Incus trust token on that machine (incus config trust add berth) and paste it.'
    )
  }
  return bad.length ? 1 : 0
}

const finding = (what: string, state: Finding['state'], detail: string, fix = ''): Finding => ({
  what,
  state,
  detail,
  fix,
})

const probes: Probe[] = [
  async () => {
    const root = process.getuid?.() === 0
    return finding(
      'root',
      root ? 'ok' : 'later',
      root ? 'yes' : 'no',
      'run ./berth as root to make this machine a host, or add a remote host'
    )
  },
  async () => {
    const reason = findIncusHostProblem()
    const fits = reason !== 'neither Debian nor Ubuntu'
    return finding(
      'distribution',
      fits ? 'ok' : 'later',
      readOsRelease().name,
      'a local host needs Debian 12+, or Ubuntu 24.04+; otherwise add a remote host'
    )
  },
  async () => {
    const enough = Number(process.versions.node.split('.')[0]) >= 24
    return finding('node', enough ? 'ok' : 'no', process.version, 'rm -rf .node && ./berth doctor')
  },
  async () => program('incus', findIncusd()),
  async () => {
    const installed = existsSync('/usr/bin/lxcfs')
    const detail = existsSync('/var/lib/lxcfs/proc/meminfo') ? 'running' : 'installed, not running'
    return finding('lxcfs', installed ? 'ok' : 'later', installed ? detail : 'no', byUp())
  },
  cgroups,
  async () => describeCaddy(findCaddy()),
  async () => {
    const missing = listMissingHostPackages()
    const detail = missing.length ? `without ${missing.join(', ')}` : 'all'
    return finding('host packages', missing.length ? 'later' : 'ok', detail, byUp())
  },
  async () => {
    const path = findChromium()
    return finding(
      'chromium',
      path ? 'ok' : 'later',
      path ?? 'no',
      `${chromiumInstallHint()}; only tests need it`
    )
  },
  database,
  ports,
  async () => {
    const full = await assertDiskSpace(homePath()).catch((error: Error) => error)
    if (full) return finding('disk', 'no', full.message, 'free space on this disk')
    const { bavail, bsize } = await statfs(findNearestExistingFolder(homePath()))
    const free = Math.floor((bavail * bsize) / 1024 ** 3)
    return finding(
      'disk',
      free >= 12 ? 'ok' : 'later',
      `${free} GB free`,
      'instances need room: at least 12 GB free at BERTH_HOME'
    )
  },
  ssh,
  secrets,
  async () => {
    const to = process.env.SMTP_URL ? 'SMTP_URL is set' : 'emails stay in the outbox'
    return finding(
      'mail',
      process.env.SMTP_URL ? 'ok' : 'later',
      to,
      'set SMTP_URL; until then ./berth outbox lists the unsent emails'
    )
  },
]

async function cgroups(): Promise<Finding> {
  const missing = await findMissingControllers()
  const fix =
    'a local host needs them for the limits of instances: mount them at /sys/fs/cgroup, then restart Incus'
  const detail = missing.length ? `without ${missing.join(', ')}` : 'all'
  return finding('cgroup controllers', missing.length ? 'later' : 'ok', detail, fix)
}

export function describeCaddy(binary: CaddyBinary | null): Finding {
  if (!binary) return program('caddy', null)
  const fix =
    'its HTTP server has known vulnerabilities. ./berth edge build builds a current one (Go, some minutes)'
  const text = `${binary.version || 'unknown version'} (${binary.path})`
  return finding('caddy', binary.isOutdated ? 'later' : 'ok', text, fix)
}

function program(what: string, path: string | null | false): Finding {
  return finding(what, path ? 'ok' : 'later', path || 'no', byUp())
}

function byUp(): string {
  return isDebianLike() ? './berth up installs it (as root)' : 'only a local host needs it'
}

async function database(): Promise<Finding> {
  if (process.env.DATABASE_URL) {
    return openDatabase(await openHome()).then(
      ({ description }) => finding('postgres', 'ok', description),
      (error: Error) =>
        finding(
          'postgres',
          'no',
          error.message,
          'correct DATABASE_URL, or unset it to use the embedded PostgreSQL'
        )
    )
  }
  if (!existsSync(join(homePath(), 'secrets.json'))) {
    return finding('postgres', 'ok', 'embedded, created by the first ./berth up')
  }
  const home = await openHome()
  const running = await findRunningDatabase(home)
  const kind = usesEmbeddedPrograms(home) ? 'embedded' : 'system'
  return finding('postgres', 'ok', `${kind}, ${running?.description ?? 'not running'}`)
}

async function ports(): Promise<Finding[]> {
  const holder = findLockHolder(join(homePath(), 'berth.pid'))
  const selectedPorts = portsFromEnv()
  return Promise.all(
    listeningPortNames.map(async (name) => {
      const port = selectedPorts[name]
      if (holder) return finding(`port ${port}`, 'ok', `${name}, Berth runs (process ${holder})`)
      const error = await tryListenOnPort(port, process.env.HOST ?? '0.0.0.0')
      const variable = name === 'web' ? 'PORT' : `${name.toUpperCase()}_PORT`
      return error
        ? finding(
            `port ${port}`,
            'no',
            `${name}, ${error.code}`,
            `ss -ltnp 'sport = :${port}' shows the program that uses it; or set ${variable}`
          )
        : finding(`port ${port}`, 'ok', `${name}, free`)
    })
  )
}

async function secrets(): Promise<Finding> {
  const file = join(homePath(), 'secrets.json')
  if (!existsSync(file)) return finding('secrets', 'ok', 'created by the first ./berth up')
  const [{ mode }, folder] = await Promise.all([stat(file), stat(homePath())])
  const tight = (mode & 0o777) === 0o600 && (folder.mode & 0o066) === 0
  const detail = `${(mode & 0o777).toString(8)} in a folder of ${(folder.mode & 0o777).toString(8)}`
  return finding(
    'secrets',
    tight ? 'ok' : 'no',
    detail,
    `chmod 711 ${homePath()} && chmod 600 ${file}`
  )
}

/**
 * Without its native part, the ssh2 package silently uses slower JavaScript. A native part that was built with the
 * headers of Node 24.19 or newer aborts the process that uses it (packages/machine/ssh/cipher_probe.ts).
 */
async function ssh(): Promise<Finding> {
  const again = 'rm -rf node_modules && ./berth doctor builds it again'
  const [folder, ending] = runsFromBuild ? [buildFolder, 'js'] : [installRoot, 'ts']
  const probe = join(folder, `packages/machine/ssh/cipher_probe.${ending}`)
  const { code } = await runProgram([
    process.execPath,
    '--expose-gc',
    ...typescriptLoaderArgs,
    probe,
    '5000',
  ])
  if (code === 0) return finding('ssh2', 'ok', 'native')
  if (code !== 2) return finding('ssh2', 'no', 'its native module crashes the process', again)
  const fix = `apt-get install g++ make python3, then ${again}`
  return finding('ssh2', 'later', 'JavaScript only (slower)', fix)
}
