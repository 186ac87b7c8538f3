import { GREETING_FILE } from '#greetings/operations/apply_greeting'
import { runSteps } from '#core/operations/runner'
import { createInstanceOrderer } from '#tests/support/instance_orders'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'

const socket = process.env.INCUS_SOCKET

test.group('Greetings on a real instance', () => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  test('are written to a file of the site owner', async ({ assert, cleanup }) => {
    const orders = await createInstanceOrderer()
    cleanup(() => orders.end())
    const customer = await makeCustomer()
    const { instance, sh } = await orders.order(customer, 'regular')
    const owner = await signIn(customer)
    const change = async (action: string, body: object) => {
      const { json } = await owner.post(`/greeting/${action}`, body)
      await runSteps(json.data!.operation_id as string)
      return json.data!.id
    }
    const id = await change('store', { server_instance_id: instance.id, text: `It's $HOME` })
    const file = await sh(`stat -c %U ${GREETING_FILE} && cat ${GREETING_FILE}`)
    assert.equal(file.trim(), `berth\nIt's $HOME`)
    await change('delete', { id })
    assert.equal((await sh(`ls ${GREETING_FILE} || echo none`)).trim(), 'none')
  })
})
