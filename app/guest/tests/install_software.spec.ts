import { installMariadb, installAptPackages } from '#guest/public_effects'
import type { ExecOptions, Machine, SpawnOptions } from '#packages/machine/main'
import { test } from '@japa/runner'
import { PassThrough } from 'node:stream'

interface Run {
  argv: string[]
  options: ExecOptions & SpawnOptions
}

/**
 * Returns a fake machine that has these packages. It records all commands except `dpkg-query`. Spawned commands exit
 * with `code`.
 */
function machineWith(installed: string[], code = 0, words = ''): { machine: Machine; runs: Run[] } {
  const runs: Run[] = []
  const machine = {
    async exec(argv: string[], options: ExecOptions = {}) {
      if (argv[0] !== 'dpkg-query') runs.push({ argv, options })
      const has = argv.slice(4).every((name) => installed.includes(name))
      const isMissing = argv[0] === 'dpkg-query' && !has
      const said = isMissing ? '' : 'installed\ninstalled\n'
      return {
        code: isMissing ? 1 : 0,
        signal: null,
        stdout: Buffer.from(said),
        stderr: Buffer.alloc(0),
      }
    },
    async spawn(argv: string[], options: SpawnOptions = {}) {
      runs.push({ argv, options })
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      stdout.end()
      stderr.end(words)
      return { stdin, stdout, stderr, exit: Promise.resolve({ code, signal: null }) }
    },
  }
  return { machine: machine as unknown as Machine, runs }
}

const progress = { signal: new AbortController().signal, report: async () => {} }

test.group('Software installation', () => {
  test('does nothing if the software is installed', async ({ assert }) => {
    const { machine, runs } = machineWith(['one', 'two'])
    await installAptPackages(machine, 'No', progress, ['one', 'two'])
    assert.lengthOf(runs, 0)
  })

  test('runs as root, with each package name as an argument of a constant script', async ({
    assert,
  }) => {
    const { machine, runs } = machineWith(['one'])
    await installAptPackages(machine, 'No', progress, ['one', 'two'], ['three-'])
    assert.lengthOf(runs, 1)
    const [{ argv, options }] = runs
    assert.deepEqual(argv.slice(-3), ['one', 'two', 'three-'])
    assert.deepEqual([argv[0], argv[1]], ['sh', '-c'])
    assert.notInclude(argv[2], 'two')
    assert.equal(options.user, 'root')
    assert.equal(options.env?.DEBIAN_FRONTEND, 'noninteractive')
  })

  test('fails with the instance’s own message', async ({ assert }) => {
    const { machine } = machineWith([], 100, 'E: Unable to locate package two\n')
    await assert.rejects(
      () => installAptPackages(machine, 'Two could not be installed', progress, ['two']),
      'Two could not be installed: E: Unable to locate package two'
    )
  })

  test('starts a service, now and at each boot', async ({ assert }) => {
    const { machine, runs } = machineWith(['mariadb-server'])
    await installMariadb(machine, progress)
    assert.deepEqual(
      runs.map(({ argv, options }) => [argv.join(' '), options.user]),
      [['systemctl enable --now -q -- mariadb', 'root']]
    )
  })
})
