import { describeCaddy } from '../doctor.js'
import type { BerthHome } from '../berth_home.js'
import { buildCaddy, CADDY_VERSION, findCaddy } from '../host/caddy.js'
import { describeLocalEdge, rebuildOutdatedCaddy } from '../local_edge.js'
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

  const missing = () => join(folder, 'missing')
  const built = async (says: string) => ({
    built: await program('built', says),
    packaged: await program('packaged', '2.6.2'),
  })

  test('the Caddy that was built on this machine is used, and an old version counts as outdated', async ({
    assert,
  }) => {
    const both = await built(`v${CADDY_VERSION} h1:c7b2`)
    assert.deepEqual(findCaddy(both), {
      path: both.built,
      version: CADDY_VERSION,
      isOutdated: false,
    })
    assert.deepEqual(findCaddy({ built: missing(), packaged: both.packaged }), {
      path: both.packaged,
      version: '2.6.2',
      isOutdated: true,
    })
    const isOutdated = async (says: string) => findCaddy(await built(says))!.isOutdated
    assert.isTrue(await isOutdated('no version'))
    assert.isTrue(await isOutdated('v2.11.8'))
    assert.isTrue(await isOutdated('v2.9.30'))
    assert.isFalse(await isOutdated('v2.11.10'))
    assert.isFalse(await isOutdated('v3.0.1'))
    const packaged = await program('packaged', '2.10.2')
    assert.isFalse(findCaddy({ built: missing(), packaged })!.isOutdated)
    assert.isNull(findCaddy({ built: missing(), packaged: missing() }))
  })

  test('doctor and the System page report a Caddy that an earlier release built', async ({
    assert,
  }) => {
    const home = { path: folder } as BerthHome
    const old = findCaddy(await built('v2.11.8'))
    assert.deepInclude(describeLocalEdge(home, {}, old), { version: '2.11.8', isOutdated: true })
    const { state, fix } = describeCaddy(old)
    assert.equal(state, 'later')
    assert.include(fix, './berth edge build')
    const current = findCaddy(await built(`v${CADDY_VERSION}`))
    assert.isFalse(describeLocalEdge(home, {}, current).isOutdated)
    assert.equal(describeCaddy(current).state, 'ok')
  })

  test('an outdated Caddy is built again, and is kept if the build fails', async ({ assert }) => {
    let builds = 0
    const build: typeof buildCaddy = async (paths) => {
      builds++
      await program('built', `v${CADDY_VERSION}`)
      return findCaddy(paths)!
    }
    const old = await built('v2.11.8')
    await rebuildOutdatedCaddy(old, () => Promise.reject(new Error('no internet')))
    assert.equal(findCaddy(old)!.version, '2.11.8')
    await rebuildOutdatedCaddy(old, build)
    assert.equal(findCaddy(old)!.version, CADDY_VERSION)
    await rebuildOutdatedCaddy(old, build)
    // This machine has only the package's Caddy. So the operator has not asked for a build, and Berth must not build
    // one.
    await rebuildOutdatedCaddy({ built: missing(), packaged: old.packaged }, build)
    assert.equal(builds, 1)
  })
})
