import { describeExistingFiles, describeUndecided, planMerge } from '#files/existing_files'
import type { ExistingEntry } from '#files/machine/web_root'
import { bytesToLosslessText } from '#guest/public'
import { test } from '@japa/runner'

function existingFile(path: string): ExistingEntry {
  return { path, unpacked: 'file', there: 'file', isWritable: true }
}

/** Returns the paths as the operation stores them and the page sends them back. */
function sentBack(paths: string[]): string[] {
  return JSON.parse(JSON.stringify(describeUndecided(paths).names)) as string[]
}

test.group('Decisions about existing files', () => {
  test('apply to exact bytes of a name, not to its displayed text', ({ assert }) => {
    const paths = [Buffer.from('img/caf\xe9', 'latin1'), Buffer.from('img/caf\xe8', 'latin1')]
      .map((bytes) => bytesToLosslessText(bytes))
      .concat('img/caf\ufffd', '100%2e', '%2e%2e')
    const entries = paths.map(existingFile)
    for (const [index, skipped] of paths.entries()) {
      const exceptions = sentBack([skipped])
      const plan = planMerge(entries, { action: 'replace', exceptions })
      assert.deepEqual(plan.skipped, [skipped])
      assert.deepEqual(plan.replaced, paths.toSpliced(index, 1))
    }
  })

  test('results show names as text', ({ assert }) => {
    const path = bytesToLosslessText(Buffer.from('caf\xe9', 'latin1'))
    const plan = planMerge([existingFile(path)], { action: 'skip', exceptions: [] })
    assert.deepEqual(describeExistingFiles(plan).skipped, { count: 1, names: ['caf\ufffd'] })
  })
})
