import { mongodbServerApi, mongodConfig } from '#databases/mongodb/server_api'
import { isBadKernel, preflightFromMachineInfo } from '#databases/mongodb/preflight'
import type { Server } from '#databases/servers/server'
import type { ExecOptions, Machine } from '#packages/machine/main'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

const good = {
  avx: 'yes',
  machine: 'x86_64',
  kernel: '6.12.48+deb13-amd64',
  memory: '4000000000',
  disk: '20000000000',
  pages: '[always] madvise never',
}

/** Creates a fake machine. `suite`: the Debian release for which the repository has packages. `null`: none. */
function machineOf(facts: Record<string, string>, suite: string | null) {
  const runs: string[][] = []
  const machine = {
    async exec(argv: string[], _options: ExecOptions = {}) {
      runs.push(argv)
      const asksFacts = argv[2]?.includes('/proc/cpuinfo')
      const lines = Object.entries(facts).map(([key, value]) => `${key}=${value}`)
      const said = asksFacts ? lines.join('\n') : (suite ?? '')
      const code = asksFacts || suite ? 0 : 3
      return { code, signal: null, stdout: Buffer.from(said), stderr: Buffer.alloc(0) }
    },
  }
  return { machine: machine as unknown as Machine, runs }
}

test.group('MongoDB | checks before the installation', () => {
  test('an instance that cannot run MongoDB is rejected with the reason', ({ assert }) => {
    assert.deepEqual(preflightFromMachineInfo(good), { unsupportedReason: null, warning: null })
    const cases: [Record<string, string>, RegExp][] = [
      [{ avx: 'no' }, /needs a processor with AVX.* or use MySQL\. Nothing was changed\.$/],
      [{ kernel: '6.19.1' }, /kernels 6\.19 to 7\.0\.13, and the host .* runs 6\.19\.1\./],
      [{ kernel: '7.0.13-1-amd64' }, /Ask support to update the host/],
      [{ machine: 'aarch64' }, /only for x86_64 processors\. This server instance has aarch64/],
      [{ memory: '500000000' }, /needs 1 GB of memory, and this server instance has 0\.5 GB/],
      [
        { disk: '900000000' },
        /needs 2 GB of free disk space, and this server instance has 0\.9 GB/,
      ],
      [{ taken: 'yes' }, /Another program listens on port 27017/],
    ]
    for (const [facts, words] of cases)
      assert.match(preflightFromMachineInfo({ ...good, ...facts }).unsupportedReason!, words)
    assert.isNull(
      preflightFromMachineInfo({ ...good, taken: 'yes', package: 'installed' }).unsupportedReason
    )
  })

  test('too little memory or disabled huge pages cause a warning', ({ assert }) => {
    assert.match(
      preflightFromMachineInfo({ ...good, memory: '1200000000' }).warning!,
      /works well with at least 2 GB/
    )
    assert.match(
      preflightFromMachineInfo({ ...good, pages: 'always madvise [never]' }).warning!,
      /huge pages/
    )
    assert.isNull(preflightFromMachineInfo({ ...good, pages: '' }).warning)
  })

  test('unsupported kernels are recognized', ({ assert }) => {
    const bad = ['6.19.0', '6.19', '6.20.4', '7.0.0', '7.0.13+deb14']
    const fine = ['6.12.48+deb13-amd64', '6.18.99', '7.0.14', '7.1.0', '5.10.0-28', '']
    assert.deepEqual(bad.filter(isBadKernel), bad)
    assert.deepEqual(fine.filter(isBadKernel), [])
  })

  test('an installation without a package or AVX fails and changes nothing', async ({ assert }) => {
    const customer = await makeCustomer()
    const instance = await makeInstance(customer)
    for (const [facts, suite, words] of [
      [good, null, /MongoDB 8\.0 cannot be installed on this server instance/],
      [{ ...good, avx: 'no' }, 'bookworm', /AVX/],
    ] as const) {
      const { machine, runs } = machineOf(facts, suite)
      const server: Server = {
        engine: 'mongodb',
        accountId: customer.id,
        instance,
        machine,
        prefix: '',
        clientArgs: [],
      }
      const progress = { signal: new AbortController().signal, report: async () => {} }
      await assert.rejects(() => mongodbServerApi.install(server, progress), words)
      const scripts = runs.map((argv) => argv[2]).join('\n')
      assert.notMatch(scripts, /\/etc\/apt|apt-get -q -o DPkg|systemctl enable/)
    }
  })

  test('the configuration listens on localhost, requires passwords and limits the cache', ({
    assert,
  }) => {
    const settings = mongodConfig(4 * 1024 ** 3)
    assert.include(settings, '  bindIp: 127.0.0.1\n')
    assert.include(settings, 'security:\n  authorization: enabled\n')
    assert.include(settings, 'cacheSizeGB: 1\n')
    assert.include(mongodConfig(0.5 * 1024 ** 3), 'cacheSizeGB: 0.25\n')
  })
})
