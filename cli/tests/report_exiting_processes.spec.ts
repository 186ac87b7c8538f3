import { test } from '@japa/runner'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveProcessMetrics, trackOpenRequest } from '../../packages/telemetry/metrics.js'
import type { BerthHome } from '../berth_home.js'
import type { ManagedProcess, ProcessManager } from '../release/process_manager.js'
import {
  describeExitingProcesses,
  reportExitingProcesses,
} from '../release/report_exiting_processes.js'

test.group('Waiting for processes of the previous release', () => {
  test('the upgrade prints each process, its open requests with their age, and how to end it', async ({
    assert,
    cleanup,
  }) => {
    const path = await mkdtemp(join(tmpdir(), 'berth-exiting-'))
    cleanup(() => rm(path, { recursive: true, force: true }))
    cleanup(
      await serveProcessMetrics({ role: 'web', version: '1.2.3', folder: join(path, 'metrics') })
    )
    const web = { id: 'berth-web-2.service', name: 'web', folder: '/srv', deaths: 0 }
    const all: ManagedProcess[] = [
      { ...web, pid: process.pid, leaving: true },
      { ...web, id: 'berth-web.service', pid: 1, leaving: false },
      { ...web, id: 'berth-mail.service', name: 'mail', leaving: true },
    ]
    const processManager = { list: async () => all } as Partial<ProcessManager> as ProcessManager
    const options = { processManager, home: { path } as BerthHome, isService: true }
    const close = trackOpenRequest('POST', '/project/7/files?token=secret')
    const lines = await describeExitingProcesses(options)
    assert.lengthOf(lines, 2)
    assert.match(lines[0]!, /^web \(process \d+\) finishes uploads.*systemctl stop berth-web-2/)
    assert.match(lines[1]!, /^ {2}POST \/project\/7\/files, for \d+\.\d s$/)
    close()
    assert.lengthOf(await describeExitingProcesses(options), 1)
    assert.match(
      (await describeExitingProcesses({ ...options, isService: false }))[0]!,
      new RegExp(`To end it now: kill ${process.pid}$`)
    )

    const printed: string[] = []
    const stop = await reportExitingProcesses({
      ...options,
      print: (line) => printed.push(line),
    })
    stop()
    assert.match(printed.at(-1)!, /Ctrl-C only stops this command: run it again later/)
  })
})
