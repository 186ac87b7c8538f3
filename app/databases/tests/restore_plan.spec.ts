import { readRestorePlan } from '#databases/mongodb/transfer/restore_plan'
import type { ZippedFile } from '#databases/mongodb/transfer/zip'
import type { AppError } from '#core/app_error'
import { test } from '@japa/runner'
import { Readable } from 'node:stream'

function metadataOf(collection: string, size: number): ZippedFile {
  const read = async () => Readable.from([Buffer.from('{"options":{},"indexes":[]}')])
  return { path: `shop/${collection}.metadata.json`, size, read }
}

async function problemOf(files: ZippedFile[]): Promise<string> {
  return readRestorePlan({ files, close: () => {} }).then(
    () => '',
    (error: unknown) => JSON.stringify((error as AppError).errors)
  )
}

test.group('MongoDB | metadata of dumps', () => {
  test('a metadata file above 1 MB, and files above 4 MB together, are rejected', async ({
    assert,
  }) => {
    assert.equal(await problemOf([metadataOf('visits', 1024 ** 2)]), '')
    assert.include(await problemOf([metadataOf('visits', 1024 ** 2 + 1)]), 'is larger than 1 MB')
    const many = Array.from({ length: 9 }, (_, index) => metadataOf(`c${index}`, 500_000))
    assert.include(await problemOf(many), 'larger than 4 MB together')
  })
})
