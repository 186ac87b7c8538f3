import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { installRoot } from '../paths.js'
import { runProgram } from '../run_program.js'

/** Logs its command and the variable `npm_config_nodedir`. */
const fakeNpm = `#!/bin/sh
echo "npm $1 nodedir=$npm_config_nodedir" >> "$CALLS"
[ "$1" = ci ] && sleep 0.3 && mkdir -p node_modules
if [ "$1" = pack ]; then
  mkdir -p package/include/node package/bin
  tar -czf headers.tgz package && rm -r package && echo headers.tgz
fi
exit 0
`
const fakeNode = `#!/bin/sh
if [ "$1" = -p ]; then echo 137; exit; fi
echo "node $*" >> "$CALLS"
`

test.group('The launcher ./berth', (group) => {
  let folder: string
  let calls: string
  const launch = (...args: string[]) =>
    runProgram([join(folder, 'berth'), ...args], {
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: folder, CALLS: calls },
    })

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-launcher-'))
    calls = join(folder, 'calls')
    await mkdir(join(folder, '.node/bin'), { recursive: true })
    await copyFile(join(installRoot, 'berth'), join(folder, 'berth'))
    await writeFile(join(folder, 'package-lock.json'), '{}')
    await writeFile(join(folder, '.node/bin/npm'), fakeNpm)
    await writeFile(join(folder, '.node/bin/node'), fakeNode)
    for (const file of ['berth', '.node/bin/npm', '.node/bin/node']) {
      await chmod(join(folder, file), 0o755)
    }
    return () => rm(folder, { recursive: true, force: true })
  })

  const called = async () => (await readFile(calls, 'utf8')).trim().split('\n')

  test('packages are installed once, and again after a change of the lock file, with the path of Node’s headers', async ({
    assert,
  }) => {
    const { code, output } = await launch('help', '--flag')
    assert.equal(code, 0, output)
    assert.match(output, /✓ Install npm packages \(\d+ s\)/)
    const [headers, install, start] = await called()
    assert.match(headers, /^npm pack /)
    // ssh2's native module aborts the process if it is built with the headers of Node.js 24.19 or newer.
    assert.match(install, /^npm ci nodedir=.*\/\.node\/headers-24\.18\.0$/)
    assert.deepEqual(await readdir(install.split('nodedir=')[1]!), ['include'])
    assert.equal(start, 'node --import @poppinss/ts-exec cli/main.ts help --flag')

    await launch('help')
    assert.lengthOf(await called(), 4)
    await writeFile(join(folder, 'package-lock.json'), '{"changed":true}')
    await launch('help')
    assert.lengthOf(
      (await called()).filter((line) => line.startsWith('npm ci')),
      2
    )
  })

  test('two launchers that start at the same time install packages once', async ({ assert }) => {
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
