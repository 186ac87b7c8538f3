import { readModule, readScript } from '../read_script.js'
import { test } from '@japa/runner'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('Scripts next to the code', (group) => {
  let dirname: string
  const meta = () => ({ dirname, filename: join(dirname, 'caller.ts') }) as ImportMeta

  group.each.setup(async () => {
    dirname = await mkdtemp(join(tmpdir(), 'berth-script-'))
    return () => rm(dirname, { recursive: true })
  })

  test('several files are joined without the comments at their tops', async ({ assert }) => {
    await writeFile(join(dirname, 'a.sh'), '#!/bin/sh\n# About.\n\nset -u\n# Why.\n')
    await writeFile(join(dirname, 'b.sh'), '# About.\ncat << END\n# Text\nEND\n')
    await writeFile(join(dirname, 'c.php'), '<?php\n// About.\necho 1;\n')
    assert.equal(readScript(meta(), 'a.sh', 'b.sh'), 'set -u\n# Why.\ncat << END\n# Text\nEND\n')
    assert.equal(readScript(meta(), 'c.php'), 'echo 1;\n')
    assert.throws(() => readScript(meta(), 'd.sh'), /d\.sh/)
  })

  test('types are removed from TypeScript files', async ({ assert }) => {
    await writeFile(join(dirname, 'sum.ts'), 'export const sum = (a: number, b: number) => a + b\n')
    const module = `data:text/javascript,${encodeURIComponent(readModule(meta(), 'sum'))}`
    const { sum } = (await import(module)) as { sum: (a: number, b: number) => number }
    assert.equal(sum(1, 2), 3)
  })
})
