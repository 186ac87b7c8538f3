import { actorOf } from '#identity/public'
import { loadUsableInstance } from '#instances/public'
import { connectToGuestForOperation } from '#instances/public_effects'
import { runAsOwner } from '#guest/public_effects'
import { makeInstance, makeInstanceAt } from '#guest/tests/instances'
import { AppError } from '#core/app_error'
import { generateKeyPair } from '#packages/machine/main'
import { FakeGuest } from '#tests/support/fake_guest'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'

async function refusal(work: () => Promise<unknown>): Promise<AppError> {
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown
  )
  if (error instanceof AppError) return error
  throw new Error(`No refusal: ${String(error)}`)
}

test.group('Instance access', () => {
  test('customers can access their own instances and staff all, and a foreign instance gets the same 404 as a missing one', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const { id } = await makeInstance(customer)
    for (const person of [customer, await makeStaff()]) {
      assert.equal((await loadUsableInstance(await actorOf(person), id)).id, id)
    }
    const other = await actorOf(await makeCustomer())
    const [foreign, none] = [
      await refusal(() => loadUsableInstance(other, id)),
      await refusal(() => loadUsableInstance(other, 999_999_999)),
    ]
    assert.equal(foreign.status, 404)
    assert.equal(foreign.message, none.message)
  })

  test('is rejected while the instance is {$self}')
    .with(['pending', 'stopped', 'suspended', 'failed'] as const)
    .run(async ({ assert }, status) => {
      const customer = await makeCustomer()
      const { id } = await makeInstance(customer, { status })
      assert.equal(
        (await refusal(async () => loadUsableInstance(await actorOf(customer), id))).status,
        409
      )
      const work = await refusal(() => connectToGuestForOperation(id))
      assert.equal(work.message, 'This server instance is not active.')
    })

  test('commands run as the site owner, and errors say what failed', async ({
    assert,
    cleanup,
  }) => {
    const guest = await FakeGuest.start(await makeCustomer())
    cleanup(() => guest.stop())
    const { machine } = await connectToGuestForOperation(guest.instance.id)
    const run = () => runAsOwner(machine, 'No sum', ['sha256sum'], { stdin: 'x' })
    guest.answer = { exitCode: 0, stdout: '2d71 -' }
    assert.equal(await run(), '2d71 -')
    assert.deepEqual(guest.commandsAsOwner, [{ argv: ['sha256sum'], stdin: 'x' }])
    guest.answer = { exitCode: 1, stderr: '\u001b[31mDisk full' }
    assert.equal((await refusal(run)).message, 'No sum: Disk full')
    guest.answer = { exitCode: 137 }
    assert.match((await refusal(run)).message, /memory/)
  })

  test('an operation accesses an instance of any owner, unless the instance is deleted', async ({
    assert,
  }) => {
    const { privateKey, publicKey } = generateKeyPair('work')
    const target = { host: '192.0.2.1', port: 22, username: 'berth', privateKey }
    const customer = await makeCustomer()
    const instance = await makeInstanceAt(customer, { ...target, hostKey: publicKey })
    const guest = await connectToGuestForOperation(instance.id)
    assert.equal(guest.instance.id, instance.id)
    assert.isFunction(guest.machine.exec)

    await instance.merge({ status: 'deleted' }).save()
    assert.equal((await refusal(() => connectToGuestForOperation(instance.id))).status, 404)
    assert.equal(
      (await refusal(async () => loadUsableInstance(await actorOf(customer), instance.id))).status,
      404
    )
  })
})
