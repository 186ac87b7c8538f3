import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { installAptPackages } from '../apt_packages.js'
import { runProgram } from '../run_program.js'

const BACKPORTS_SUITE = 'bookworm-backports'

/**
 * Returns a `go` command of version 1.21 or newer, because such a version can download newer toolchains. Installs one
 * if necessary.
 * @throws Error if none is available
 */
export async function ensureGo(): Promise<string> {
  const works = async (go: string) => {
    const { code, output } = await runProgram([go, 'version'])
    return code === 0 && Number(/go1\.(\d+)/.exec(output)?.[1]) >= 21
  }
  const places = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']
  for (const go of places) if (await works(go)) return go
  // The Go of Debian 12 is older than 1.21. Its backports have a newer Go.
  await installAptPackages(['golang-go'])
  if (await works('/usr/bin/go')) return '/usr/bin/go'
  await installAptPackages(['-t', BACKPORTS_SUITE, 'golang-go', 'golang-src'])
  if (await works('/usr/bin/go')) return '/usr/bin/go'
  throw new Error('Go 1.21 or newer is not installed, and this system has no package of it')
}

/**
 * Uses the Go module proxy. Takes minutes.
 * @param program import path with version, e.g. `example.com/cmd/tool@v1.2.3`
 * @param target path of the program. It is replaced atomically after a complete build
 * @param options.env variables that replace those of the build, for example GOCACHE
 * @throws Error with the end of Go's output if the build fails
 */
export async function buildWithGo(
  program: string,
  target: string,
  { ldflags, env: more = {} }: { ldflags?: string; env?: NodeJS.ProcessEnv } = {}
): Promise<void> {
  const go = await ensureGo()
  const folder = await mkdtemp(join(tmpdir(), 'berth-go-'))
  try {
    const env = {
      ...process.env,
      HOME: folder,
      GOPATH: folder,
      GOBIN: join(folder, 'bin'),
      GOCACHE: join(folder, 'cache'),
      CGO_ENABLED: '0',
      GOTOOLCHAIN: 'auto',
      GOFLAGS: '-modcacherw',
      ...more,
    }
    const flags = ldflags ? ['-ldflags', ldflags] : []
    const { code, output } = await runProgram([go, 'install', ...flags, program], { env })
    if (code !== 0) throw new Error(`${program} cannot be built: ${output.trim().slice(-500)}`)
    const name = program.replace(/@.*$/, '').split('/').at(-1)!
    await mkdir(dirname(target), { recursive: true, mode: 0o755 })
    await runProgram(['cp', join(folder, 'bin', name), `${target}.${process.pid}`])
    await rename(`${target}.${process.pid}`, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
