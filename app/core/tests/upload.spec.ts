import { receiveFiles } from '#core/upload'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

test.group('Upload of several files', () => {
  test('discards a file that is still being stored when another one fails', async ({ assert }) => {
    const slow = Promise.withResolvers<string>()
    const discarded: string[] = []
    const failure = new Error('The second file is refused')
    let take = (_part: PassThrough) => Promise.resolve()
    const multipart = {
      onFile: (_name: string, _options: object, taker: typeof take) => void (take = taker),
      process: async () => {
        const parts = ['slow', 'refused'].map((filename) =>
          Object.assign(new PassThrough(), { filename, name: 'doc_0' })
        )
        await Promise.all(parts.map((part) => take(part)))
      },
      abort: () => {},
    }
    const request = { multipart, request: new PassThrough(), header: () => undefined }
    const fail = () => assert.fail('this error is not expected') as never
    const receiving = receiveFiles({ request } as unknown as HttpContext, {
      limit: 10,
      maxFiles: 2,
      tooLarge: fail,
      tooMany: fail,
      cutOff: fail,
      missing: fail,
      keep: (_bytes, filename) => (filename === 'slow' ? slow.promise : Promise.reject(failure)),
      discard: async (stored) => void discarded.push(stored),
    })
    await assert.rejects(() => receiving, failure.message)
    assert.deepEqual(discarded, [])
    slow.resolve('the slow file')
    await nextTurn()
    assert.deepEqual(discarded, ['the slow file'])
  })
})
