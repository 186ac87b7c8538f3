import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@japa/runner'
import modules from '../../app/modules.json' with { type: 'json' }
import { installRoot, typescriptLoaderArgs } from '../paths.js'
import { runOrThrow } from '../run_program.js'

const ORDER = 'app/instances/actions/order_instance.ts'
const MAX_ORDER_FILES = 80
/**
 * Modules of clients for machines, which these imports must not load. `packages/machine/` is listed too, because it
 * loads ssh2 only at the first connection.
 */
const MACHINE_CLIENTS = ['packages/incus/', 'packages/machine/', 'ssh2']

test.group('light imports', () => {
  test('the code for orders and the `public.ts` of each module load neither Incus nor SSH clients', async ({
    assert,
  }) => {
    const entries = modules
      .flat()
      .map((name) => `app/${name}/public.ts`)
      .filter((path) => existsSync(join(installRoot, path)))
      .concat(ORDER)
    const program = join(installRoot, 'tests/support/run_time_imports.ts')
    const output = await runOrThrow([
      process.execPath,
      ...typescriptLoaderArgs,
      program,
      ...entries,
    ])
    const loaded = JSON.parse(output) as Record<string, { files: string[]; packages: string[] }>
    for (const [entry, { files, packages }] of Object.entries(loaded)) {
      const clients = [...files, ...packages].filter((name) =>
        MACHINE_CLIENTS.some((client) => name.startsWith(client))
      )
      assert.isEmpty(
        clients,
        `${entry}: move what needs these to the public_effects.ts of its module`
      )
    }
    const { files } = loaded[ORDER]
    assert.isBelow(files.length, MAX_ORDER_FILES, `${ORDER} loads\n${files.join('\n')}`)
  })
})
