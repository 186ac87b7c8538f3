import { requestedByteRange } from '#files/controllers/downloads_controller'
import { test } from '@japa/runner'

test.group('Byte ranges of a download of 100 bytes', () => {
  test('{header}')
    .with([
      { header: undefined, range: null },
      { header: 'bytes=0-9', range: { start: 0, end: 9 } },
      { header: 'bytes=90-', range: { start: 90, end: 99 } },
      { header: 'bytes=-10', range: { start: 90, end: 99 } },
      { header: 'bytes=50-1000', range: { start: 50, end: 99 } },
      { header: 'bytes=100-', range: 'impossible' },
      { header: 'bytes=-0', range: 'impossible' },
      { header: 'bytes=9-1', range: null },
      { header: 'bytes=1-2,5-6', range: null },
      { header: 'lines=1-2', range: null },
    ])
    .run(({ assert }, { header, range }) => {
      assert.deepEqual(requestedByteRange(header, 100), range as never)
    })
})
