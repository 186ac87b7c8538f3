import { readScript } from '#packages/machine/read_script'

/** Prints facts about an app's package manager, the input of `planBuild`. */
export const DESCRIBE_APP_SCRIPT = readScript(import.meta, 'describe_app.sh')

export const KEEP_LOCK_FILES_SCRIPT = readScript(import.meta, 'keep_lock_files.sh')

/** Package managers that the process form offers (docs/product.md, "Projects"). */
export const packageManagers = ['npm', 'pnpm', 'yarn'] as const

export type PackageManager = (typeof packageManagers)[number]

/** Starts apps of all package managers, because npm only reads the start script in package.json here. */
export const npmStartArgv = ['npm', 'start']

export interface BuildPlan {
  /**
   * Command that installs the locked versions or only checks them, and fails if the lock file does not match
   * package.json. Null: the app has no lock file of this package manager.
   */
  frozenInstall: string[] | null
  /** Whether `frozenInstall` only checks the lock file, so that `install` always runs afterwards. */
  frozenChecksOnly: boolean
  /** Command that installs even if the lock file does not match. */
  install: string[]
  build: string[]
  /** Matches the error output of `frozenInstall` if the lock file does not match package.json. */
  mismatch: RegExp
  env: Record<string, string>
  /** Messages to the customer about the choice of the package manager. */
  notes: string[]
}

const LOCK_FILES: Record<string, string[]> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
}

/** Major version of pnpm by version of the lock file. Newer lock files need the default version. */
const PNPM_BY_LOCK_VERSION: Record<string, string> = { 5: '7', 6: '8' }
const DEFAULT_PNPM = '10'
/** Major version of Yarn by version of the lock file. Yarn 1 writes no version. */
const YARN_BY_LOCK_VERSION: Record<string, string> = { 4: '2', 5: '3', 6: '3' }
const DEFAULT_MODERN_YARN = '4'
const DEFAULT_BUN = '1'

/**
 * Chooses the commands that install and build an app. They install development packages, because builds need them. Run
 * `install` with `keep_lock_files.sh`, because git rejects a pull over a changed lock file.
 * @param facts output of `describe_app.sh`
 */
export function planBuild(manager: PackageManager, facts: string): BuildPlan {
  const lines = facts.split('\n').map((line) => line.trim())
  const factOf = (key: string) =>
    lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
  const [namedManager, namedVersion] = factOf('packageManager')?.split('@') ?? []
  const version = namedManager === manager ? namedVersion : undefined
  const isLocked = (owner: string) =>
    LOCK_FILES[owner].some((name) => lines.includes(`file ${name}`))
  const owner = Object.keys(LOCK_FILES).find((each) => each !== manager && isLocked(each))
  const other = namedManager && namedManager !== manager ? namedManager : owner
  const isOther = other !== undefined && (other === namedManager || !isLocked(manager))
  const usesBun = isOther && other === 'bun'
  const commands = usesBun
    ? bunCommands((namedManager === 'bun' && namedVersion) || DEFAULT_BUN)
    : manager === 'npm'
      ? npmCommands
      : manager === 'pnpm'
        ? pnpmCommands(version ?? PNPM_BY_LOCK_VERSION[factOf('pnpmLock') ?? ''] ?? DEFAULT_PNPM)
        : isModernYarn(version ?? '', lines)
          ? modernYarnCommands(
              version ?? YARN_BY_LOCK_VERSION[factOf('yarnLock') ?? ''] ?? DEFAULT_MODERN_YARN,
              lines.includes('nodeLinker')
            )
          : classicYarnCommands(version ?? '1')
  const notes = [...commands.notes]
  if (usesBun)
    notes.push(
      `The app uses bun, so Bun installs and builds it instead of ${manager}. npm starts it. If its start script calls bun, add the package bun to its dependencies.`
    )
  else if (isOther) notes.push(`The app uses ${other}, but ${manager} was chosen.`)
  return {
    ...commands,
    notes,
    frozenInstall: isLocked(usesBun ? 'bun' : manager) ? commands.frozenInstall : null,
  }
}

type Commands = BuildPlan & { frozenInstall: string[] }

// With this option, npm and others do not fail for an app without a build script. Yarn has no such option.
const IF_PRESENT = '--if-present'

const NPM_OPTIONS = ['--include=dev', '--no-audit', '--no-fund']

const npmCommands: Commands = {
  // Without `--dry-run`, npm deletes `node_modules` first, and a failed build would break the running app.
  frozenInstall: ['npm', 'ci', '--dry-run', '--ignore-scripts', ...NPM_OPTIONS],
  frozenChecksOnly: true,
  // Installs the locked versions and does not write the lock file. If it fails, npm restores `node_modules`.
  install: ['npm', 'install', '--no-save', ...NPM_OPTIONS],
  build: ['npm', 'run', IF_PRESENT, 'build'],
  mismatch: /EUSAGE/,
  env: {},
  notes: [],
}

function pnpmCommands(version: string): Commands {
  const pnpm = ['npx', '--yes', `pnpm@${version}`]
  const install = [...pnpm, 'install', '--prod=false', '--config.confirmModulesPurge=false']
  return {
    frozenInstall: [...install, '--frozen-lockfile'],
    frozenChecksOnly: false,
    // Without `CI`, pnpm fails on a lock file of another version. It is set here because the project's variables may
    // unset it.
    install: ['env', 'CI=true', ...install, '--no-frozen-lockfile'],
    build: [...pnpm, 'run', IF_PRESENT, 'build'],
    mismatch:
      /ERR_PNPM_(\w*OUTDATED_LOCKFILE|NO_LOCKFILE|LOCKFILE_|BROKEN_LOCKFILE)|Headless installation requires/,
    env: {},
    notes: [],
  }
}

function classicYarnCommands(version: string): Commands {
  const yarn = ['npx', '--yes', `yarn@${version}`]
  const install = [...yarn, 'install', '--non-interactive', '--production=false']
  return {
    frozenInstall: [...install, '--frozen-lockfile'],
    frozenChecksOnly: false,
    install: [...install, '--pure-lockfile'],
    build: [...yarn, 'run', 'build'],
    mismatch: /lockfile needs to be updated/,
    env: {},
    notes: [],
  }
}

/** Returns whether the app needs Yarn 2 or later, which is another npm package than Yarn 1. */
function isModernYarn(version: string, facts: string[]): boolean {
  if (version) return !/^[01]\./.test(version)
  return facts.some((fact) => fact === 'file .yarnrc.yml' || fact.startsWith('yarnLock '))
}

/** @param isLinked whether the app's settings already make Yarn install into `node_modules` */
function modernYarnCommands(version: string, isLinked: boolean): Commands {
  const withYarn = ['npx', '--yes', '--package', `@yarnpkg/cli-dist@${version}`]
  const yarn = [...withYarn, 'yarn']
  return {
    frozenInstall: [...yarn, 'install', '--immutable'],
    frozenChecksOnly: false,
    install: [...yarn, 'install', '--no-immutable'],
    // Runs the build script with npm, because `yarn run` fails if the lock file does not match. The script can still
    // call `yarn`.
    build: [...withYarn, 'npm', 'run', IF_PRESENT, 'build'],
    mismatch: /YN0028|lockfile would have been modified/,
    // Makes Yarn install into `node_modules`. `npm start` and PM2 cannot load packages of Plug'n'Play, Yarn's default.
    env: isLinked ? {} : { YARN_NODE_LINKER: 'node-modules' },
    notes: isLinked ? [] : ["Yarn installs into node_modules instead of using Plug'n'Play."],
  }
}

/** Bun is not an option in the process form. Berth uses it only for apps whose package.json or lock file names Bun. */
function bunCommands(version: string): Commands {
  const withBun = ['npx', '--yes', '--package', `bun@${version}`]
  const install = [...withBun, 'bun', 'install', '--no-progress']
  return {
    frozenInstall: [...install, '--frozen-lockfile'],
    frozenChecksOnly: false,
    install: [...install, '--no-save'],
    // npx adds Bun to `$PATH`, so that the build script can call it.
    build: [...withBun, 'npm', 'run', IF_PRESENT, 'build'],
    mismatch: /lockfile had changes, but lockfile is frozen/,
    env: {},
    notes: [],
  }
}
