import { WebRoot } from '#files/machine/web_root'
import type { ExecResult, Machine } from '#packages/machine/main'
import { test } from '@japa/runner'

/** Returns a web root on a fake machine, whose programs print `stdout`. */
function webRoot(stdout: Buffer): WebRoot {
  const result: ExecResult = { code: 0, signal: null, stdout, stderr: Buffer.alloc(0) }
  return new WebRoot({ exec: async () => result } as unknown as Machine)
}

test.group('Listings from a hostile instance', () => {
  test('a folder of millions of empty entries is rejected', async ({ assert }) => {
    const work = webRoot(Buffer.alloc(16 * 1024 ** 2)).list('')
    await assert.rejects(() => work, /more than 100,000 files and folders/)
  })

  test('a comparison of millions of empty entries is rejected', async ({ assert }) => {
    const work = webRoot(Buffer.alloc(50_000_000)).compareUnpacked('', '.berth-unzip-1', false)
    await assert.rejects(() => work, /cannot be read/)
  })
})
