import { runDumpImport } from '#databases/mysql/transfer/run_dump_import'
import type { Server } from '#databases/servers/server'
import { LocalMachine, type Machine } from '#packages/machine/main'
import { test } from '@japa/runner'

const EMPTY_REPORT = {
  findings: [],
  unlisted: 0,
  rejection: null,
  longest: { bytes: 1, line: 1 },
  statements: 1,
  changes: 1,
  dumpHead: false,
  dumpEnd: false,
  lines: 1,
}
const SUCCESSFUL_EXIT = { status: 0, said: '', trouble: '', report: EMPTY_REPORT }

/** Imports on a machine whose `node` only prints these lines. */
function importWith(lines: unknown[], tell: () => Promise<void> = () => Promise.resolve()) {
  const local = new LocalMachine()
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  const machine = {
    exec: (...args: Parameters<Machine['exec']>) => local.exec(...args),
    spawn: () => local.spawn(['printf', '%s\\n', ...text]),
  } as unknown as Machine
  const server = { engine: 'mysql', instance: null, machine, clientArgs: [] } as unknown as Server
  return runDumpImport(server, {
    file: '/etc/hostname',
    collations: [],
    maxPacket: 1024,
    into: { database: 'a', account: { user: 'a', password: '' } },
    doing: 'Importing',
    report: tell,
  })
}

test.group('MySQL | an import on an instance whose `node` was replaced', () => {
  test('unexpected output of `node` fails the import with a clear error, and the worker continues', async ({
    assert,
  }) => {
    const hostile = [
      'garbage',
      'null',
      '[]',
      '7',
      '{"__proto__":1}',
      '{"read":"1","size":2}',
      '{"read":-1,"size":2}',
      { end: null },
      { end: 1 },
      { end: { status: 0, said: '', trouble: '' } },
      { end: { status: {}, said: '', trouble: '', report: EMPTY_REPORT } },
      { end: { status: 1, said: 7, trouble: '', report: EMPTY_REPORT } },
      { end: { status: 0, said: '', trouble: '', report: { rejection: null } } },
      {
        end: Object.assign({}, SUCCESSFUL_EXIT, {
          report: Object.assign({}, EMPTY_REPORT, { findings: [null] }),
        }),
      },
      {
        end: Object.assign({}, SUCCESSFUL_EXIT, {
          report: Object.assign({}, EMPTY_REPORT, { rejection: 'x' }),
        }),
      },
    ]
    for (const line of hostile) {
      await assert.rejects(
        () => importWith([line, { end: SUCCESSFUL_EXIT }]),
        /printed text that the import did not write/
      )
    }
    assert.deepEqual(
      await importWith([{ read: 1, size: 2 }, { end: SUCCESSFUL_EXIT }]),
      EMPTY_REPORT
    )
  })

  test('an import continues if its progress cannot be saved', async ({ assert }) => {
    let calls = 0
    const tell = () => {
      calls++
      return Promise.reject(new Error('PostgreSQL is away'))
    }
    const progress = Array.from({ length: 500 }, () => ({ read: 1, size: 2 }))
    assert.deepEqual(await importWith([...progress, { end: SUCCESSFUL_EXIT }], tell), EMPTY_REPORT)
    // Of the progress lines, those that came faster than MIN_PROGRESS_INTERVAL_MS must have been ignored.
    assert.isBelow(calls, 50)
  })
})
