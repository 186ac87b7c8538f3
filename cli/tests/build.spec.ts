import { buildParts, listSourceFiles } from '../build.js'
import { installRoot } from '../paths.js'
import { test } from '@japa/runner'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('Sources of the build', () => {
  test('a copy of the sources without Git has the same list of files, so its build is not repeated', async ({
    assert,
    cleanup,
  }) => {
    const copy = await mkdtemp(join(tmpdir(), 'berth-sources-'))
    cleanup(() => rm(copy, { recursive: true }))
    const sources = [...new Set(Object.values(buildParts).flatMap((part) => part.sources))]
    for (const name of sources) {
      await cp(join(installRoot, name), join(copy, name), { recursive: true })
    }

    const copied = await listSourceFiles(sources, copy)
    assert.deepEqual(copied, await listSourceFiles(sources))
    assert.isAbove(copied.length, 1000)
  })
})
