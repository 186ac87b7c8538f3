import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from '@japa/runner'
import { findMissingControllers } from '../cgroup_controllers.ts'

test.group('Host | cgroup controllers', (group) => {
  let root: string

  group.each.setup(async () => {
    root = await mkdtemp(join(tmpdir(), 'berth-cgroup-'))
    return () => rm(root, { recursive: true, force: true })
  })

  async function write(file: string, text = '') {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }

  test('controllers are found whether all use cgroup version 2, all use version 1, or some use each', async ({
    assert,
  }) => {
    assert.deepEqual(await findMissingControllers(root), ['cpu', 'memory', 'pids'])
    // If cpu, memory and pids are in use in version 1, version 2 offers only the others.
    await write('cgroup.controllers', 'hugetlb\n')
    assert.deepEqual(await findMissingControllers(root), ['cpu', 'memory', 'pids'])
    await write('cgroup.controllers', 'cpuset cpu io memory hugetlb pids rdma misc\n')
    assert.deepEqual(await findMissingControllers(root), [])
    await rm(join(root, 'cgroup.controllers'))

    await write('unified/cgroup.controllers', 'cpuset cpu\n')
    await write('memory/cgroup.procs')
    // A folder with the name of a controller, but without a mount.
    await mkdir(join(root, 'pids'))
    assert.deepEqual(await findMissingControllers(root), ['pids'])
    await write('pids/cgroup.procs')
    assert.deepEqual(await findMissingControllers(root), [])
  })
})
