import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { DevProcesses, hotReloadArgs, watchFolders } from '../dev_processes.js'
import { installRoot } from '../paths.js'
import { findFreePorts } from '../roles.js'
import { Supervisor } from '../supervisor.js'
import { pollUntil } from './poll_until.js'

test.group('Processes of ./berth dev', () => {
  test('a process restarts when a file changes that it imports, and reports why it does not run', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-dev-'))
    const lines: string[] = []
    const report = (line: string) => void lines.push(line)
    const supervisor = new Supervisor({ logs: folder, report, summarizeLine: (line) => line })
    const web = { host: '127.0.0.1', port: (await findFreePorts()).web }
    const processes = new DevProcesses({ supervisor, report, web })
    let unwatch = () => {}
    cleanup(async () => {
      unwatch()
      await processes.stop()
      await supervisor.stop()
      await rm(folder, { recursive: true, force: true })
    })
    const write = (name: string, text: string) => writeFile(join(folder, name), text)
    const program = (value: string) =>
      `import settings from './${value}.json' with { type: 'json' }; console.log('value', settings); setInterval(() => {}, 1000)`
    await write('one.json', '1')
    await write('other.json', '1')
    await write('web.mjs', program('one'))
    await write('worker.mjs', program('other'))
    unwatch = watchFolders([folder], (files) => processes.onChange(files))
    for (const name of ['web', 'worker']) {
      const argv = [process.execPath, ...hotReloadArgs, join(folder, `${name}.mjs`)]
      await processes.start({ name, argv, env: { PATH: process.env.PATH }, cwd: installRoot })
    }
    const says = (text: string) => pollUntil(() => lines.some((line) => line.includes(text)))
    await says('web      value 1')
    await says('worker   value 1')

    await write('one.json', '2')
    await says('web      value 2')
    await write('one.json', 'no JSON')
    await says('web      ended with code 1. It starts again after the next change of a file')
    const page = await pollUntil(() =>
      fetch(`http://127.0.0.1:${web.port}/`).catch(() => undefined)
    )
    assert.equal(page.status, 503)
    assert.match(await page.text(), /SyntaxError.*one\.json.*not valid JSON/s)

    await write('one.json', '3')
    await says('web      value 3')
    await fetch(`http://127.0.0.1:${web.port}/`).then(
      () => assert.fail('The page of the error is still there'),
      () => {}
    )
    assert.notInclude(lines.join('\n'), 'worker   restarts')

    // All processes must restart, because it is unknown which module reads this script.
    await write('script.sh', 'true\n')
    await says('worker   restarts after a change')
  })
})
