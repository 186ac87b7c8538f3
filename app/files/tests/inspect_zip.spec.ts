import { inspectZipBeforeUnpacking } from '#files/inspect_zip_before_unpacking'
import type { AppError } from '#core/app_error'
import { zipOf, type ZipEntry } from '#files/tests/zip'
import { startCpuTimer } from '#tests/support/cpu_timer'
import { test } from '@japa/runner'

const link: ZipEntry = { name: 'link', content: 'target', mode: 0o120777 }

/** Inspects an archive. Returns the error's message (null: no error) and the CPU time. */
async function inspect(entries: ZipEntry[]): Promise<{ message: string | null; cpuMs: number }> {
  const archive = zipOf(entries)
  const cpuMs = startCpuTimer()
  const message = await inspectZipBeforeUnpacking(archive.length, async (start, length) =>
    archive.subarray(start, start + length)
  ).then(
    () => null,
    (error: unknown) => (error as AppError).message
  )
  return { message, cpuMs: cpuMs() }
}

test.group('The inspection of an archive', () => {
  test('rejects paths with more than 255 folders', async ({ assert }) => {
    const name = 'a/'.repeat(1_999)
    const deep = Array.from({ length: 500 }, (_, index) => ({ name: `${name}${index}` }))
    const { message, cpuMs } = await inspect([...deep, link])
    assert.match(message ?? '', /more than 255 folders/)
    assert.isBelow(cpuMs, 5_000)
  })

  test('checks thousands of deep paths for links quickly', async ({ assert }) => {
    const folder = `${'a'.repeat(14)}/`.repeat(250)
    const entries = Array.from({ length: 4_000 }, (_, index) => ({ name: `${folder}${index}` }))
    const { message, cpuMs } = await inspect([...entries, link])
    assert.isNull(message)
    assert.isBelow(cpuMs, 5_000)
  })

  test('detects a file below a link, even among similar names', async ({ assert }) => {
    const around = ['link ', 'link-a/b', 'link.txt', 'link0/c', 'lin/k'].map((name) => ({ name }))
    assert.isNull((await inspect([link, ...around])).message)
    const { message } = await inspect([link, ...around, { name: 'link/sub/file' }])
    assert.match(message ?? '', /file inside a symbolic link/)
  })
})
