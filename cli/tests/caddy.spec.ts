import { findCaddy } from '../host/caddy.js'
import { test } from '@japa/runner'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('The Caddy of the edge', (group) => {
  let folder: string
  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-caddy-'))
    return () => rm(folder, { recursive: true })
  })

  async function program(name: string, says: string): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 })
    return path
  }

  test('is the one that was built here, and an old one is reported as outdated', async ({
    assert,
  }) => {
    const debian = await program('debian', '2.6.2')
    const built = await program('built', 'v2.11.9 h1:c7b2')
    const missing = join(folder, 'missing')
    assert.deepEqual(findCaddy([built, debian]), {
      path: built,
      version: '2.11.9',
      isOutdated: false,
    })
    assert.deepEqual(findCaddy([missing, debian]), {
      path: debian,
      version: '2.6.2',
      isOutdated: true,
    })
    assert.isTrue(findCaddy([await program('odd', 'no version')])!.isOutdated)
    assert.isFalse(findCaddy([await program('next', 'v3.0.1')])!.isOutdated)
    assert.isNull(findCaddy([missing]))
  })
})
