import { test } from '@japa/runner'
import type { ServiceDatabase } from '#packages/service/database'
import { SubmissionWriter, type Submission } from '../accept/submission_writer.js'

/** Accepts everything, and records the number of messages in each group. */
class FakeDatabase implements Pick<ServiceDatabase, 'rows'> {
  readonly groups: number[] = []

  async rows<Row>(_sql: string, values: unknown[] = []): Promise<Row[]> {
    const [, calls, messages] = values as string[]
    this.groups.push((JSON.parse(messages!) as unknown[]).length)
    return (JSON.parse(calls!) as { at: number }[]).map(({ at }) => ({ at, outcome: 'ok' }) as Row)
  }
}

function submissionOf(messages: number, bytes = 10): Submission {
  const message = { content: 'c', recipient: 'a@example.com', destination: 'example.com' }
  return {
    sender: 1,
    key: null,
    contents: [{ id: 'c', raw: Buffer.alloc(bytes) }],
    messages: Array.from({ length: messages }, (_, at) => ({
      ...message,
      id: String(at),
      subject: '',
    })),
  }
}

/** Returns the number of messages in each group after the first one, which contains only an additional submission. */
async function groupsOf(submissions: Submission[]): Promise<number[]> {
  const database = new FakeDatabase()
  const writer = new SubmissionWriter(
    database as Partial<ServiceDatabase> as ServiceDatabase,
    () => {}
  )
  await Promise.all([submissionOf(1), ...submissions].map((one) => writer.accept(one)))
  return database.groups.slice(1)
}

test.group('Groups of submissions', () => {
  test('a group has at most 250 messages, in batches or alone', async ({ assert }) => {
    const batches = Array.from({ length: 6 }, () => submissionOf(100))
    assert.deepEqual(await groupsOf(batches), [200, 200, 200])
    const single = Array.from({ length: 260 }, () => submissionOf(1))
    assert.deepEqual(await groupsOf(single), [250, 10])
    assert.deepEqual(await groupsOf([submissionOf(300), submissionOf(1)]), [300, 1])
  })

  test('a group has at most 32 MB, except for a single larger submission', async ({ assert }) => {
    const large = [submissionOf(1, 40e6), submissionOf(2, 20e6), submissionOf(3, 10e6)]
    assert.deepEqual(await groupsOf(large), [1, 5])
  })
})
