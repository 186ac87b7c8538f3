import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { root } from '../paths.js'
import { run } from '../run.js'

/** A stand-in that notes its call and its environment's nodedir. */
const fakeNpm = `#!/bin/sh
echo "npm $1 nodedir=$npm_config_nodedir" >> "$CALLS"
[ "$1" = ci ] && sleep 0.3 && mkdir -p node_modules
exit 0
`
const fakeNode = `#!/bin/sh
if [ "$1" = -p ]; then echo 137; exit; fi
echo "node $*" >> "$CALLS"
`

test.group('launcher', (group) => {
  let folder: string
  let calls: string
  const launch = (...args: string[]) =>
    run([join(folder, 'berth'), ...args], {
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: folder, CALLS: calls },
    })

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-launcher-'))
    calls = join(folder, 'calls')
    const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
    await mkdir(join(folder, '.node/bin'), { recursive: true })
    const headers = `.node/node_modules/node/node_modules/node-linux-${arch}`
    await mkdir(join(folder, headers), { recursive: true })
    await copyFile(join(root, 'berth'), join(folder, 'berth'))
    await writeFile(join(folder, 'package-lock.json'), '{}')
    await writeFile(join(folder, '.node/bin/npm'), fakeNpm)
    await writeFile(join(folder, '.node/bin/node'), fakeNode)
    for (const file of ['berth', '.node/bin/npm', '.node/bin/node']) {
      await chmod(join(folder, file), 0o755)
    }
    return () => rm(folder, { recursive: true, force: true })
  })

  const called = async () => (await readFile(calls, 'utf8')).trim().split('\n')

  test('installs once, again only when the lock file changed, with the headers named', async ({
    assert,
  }) => {
    const { code, output } = await launch('help', '--flag')
    assert.equal(code, 0, output)
    assert.match(output, /✓ Install npm packages \(\d+ s\)/)
    const [install, start] = await called()
    assert.match(install, /^npm ci nodedir=.*\/node-linux-(x64|arm64)$/)
    assert.equal(start, 'node --import @poppinss/ts-exec cli/main.ts help --flag')

    await launch('help')
    assert.lengthOf(await called(), 3)
    await writeFile(join(folder, 'package-lock.json'), '{"changed":true}')
    await launch('help')
    assert.lengthOf(
      (await called()).filter((line) => line.startsWith('npm ci')),
      2
    )
  })

  test('two at once do not install twice', async ({ assert }) => {
    const both = await Promise.all([launch('help'), launch('help')])
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0]
    )
    const lines = await called()
    assert.lengthOf(
      lines.filter((line) => line.startsWith('npm ci')),
      1
    )
    assert.lengthOf(
      lines.filter((line) => line.startsWith('node ')),
      2
    )
  })
})
