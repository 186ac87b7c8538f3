import { IncusBroker } from '../main.ts'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('Broker', (group) => {
  let folder: string
  let broker: IncusBroker
  const at = (name: string) => join(folder, name)

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'broker-'))
    broker = new IncusBroker({ incus: at('incus'), installation: randomUUID() })
    await broker.listen('web', at('web'))
    return async () => {
      await broker.close()
      await rm(folder, { recursive: true })
    }
  })

  test('a body with too many JSON values is rejected with a message that says so', async ({
    assert,
  }) => {
    const response = await new Promise<string>((resolve) => {
      const body = JSON.stringify(Array.from({ length: 30_000 }, () => 0))
      const client = connect(at('web'))
      client.end(
        `POST /1.0/instances/a/exec HTTP/1.1\r\nhost: incus\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      )
      let text = ''
      client.on('data', (chunk) => (text += String(chunk)))
      client.on('end', () => resolve(text))
    })
    assert.include(response, 'the JSON has more than 20000 values or 20 levels')
  })
})
