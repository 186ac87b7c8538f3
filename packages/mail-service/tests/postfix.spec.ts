import { test } from '@japa/runner'
import { canStartPostfix, startPostfix } from '#tests/support/postfix'
import { eventually } from '#tests/support/eventually'
import { createDeliveryFixture, type DeliveryFixture } from './delivery_fixture.js'

test.group('Delivery to Postfix', (group) => {
  let its: DeliveryFixture

  group.each.setup(async () => {
    its = await createDeliveryFixture()
    return () => its.end()
  })

  test('Postfix’s acceptance, rejection, temporary rejection and later report have the right outcomes', async ({
    assert,
    cleanup,
  }) => {
    const outgoing = await its.start({ inboundPort: 0, inboundHost: '127.0.0.1', port: 1 })
    const postfix = await startPostfix({
      domains: ['postfix.test'],
      users: ['ann@postfix.test'],
      refused: ['nobody@postfix.test'],
      deferred: ['later@postfix.test'],
      bounced: ['bounces@postfix.test'],
      reports: outgoing.inboundPort!,
    })
    cleanup(() => postfix.stop())
    await outgoing.stop()
    const { port } = postfix
    const sending = await its.start({
      inboundHost: '127.0.0.1',
      port,
      inboundPort: outgoing.inboundPort!,
    })
    const taken = await its.put('ann@postfix.test')
    const refused = await its.put('nobody@postfix.test')
    const later = await its.put('later@postfix.test')
    const bounces = await its.put('bounces@postfix.test')
    sending.wake()
    assert.equal((await its.isFinal(taken)).state, 'delivered')
    assert.containsSubset(await its.isFinal(refused), { state: 'bounced', enhanced: '5.1.1' })
    assert.equal(await its.suppressed('nobody@postfix.test'), 'bounced')
    const waits = await its.until(later, (row) => row.attempts === 1 && row.state === 'queued')
    assert.equal(waits.enhanced, '4.7.1')
    await its.until(bounces, (row) => row.state === 'bounced')
    const [attempt] = await its.attempts(bounces)
    assert.equal(attempt!.outcome, 'delivered')
    assert.equal(attempt!.tls, 'TLSv1.3')
    await eventually(async () => {
      const letters = await postfix.arrived()
      assert.lengthOf(letters, 1)
      assert.include(letters[0], taken)
      assert.match(letters[0]!, /^Return-Path: <b-[0-9a-f]{48}@/m)
    })
  }).skip(!canStartPostfix(), 'needs Postfix')

  test('an unverified certificate is accepted unless a policy requires a verified one', async ({
    assert,
    cleanup,
  }) => {
    const postfix = await startPostfix({ domains: ['postfix.test'], users: ['ann@postfix.test'] })
    cleanup(() => postfix.stop())
    const { ServerConnection } = await import('../delivery/connection.js')
    const server = { name: 'mx.postfix.test', address: '127.0.0.1', port: postfix.port }
    const line = await ServerConnection.to(
      { key: '', servers: [server], verified: false },
      'x.test'
    )
    assert.equal(line.tls, 'TLSv1.3')
    line.close()
    await assert.rejects(
      () => ServerConnection.to({ key: '', servers: [server], verified: true }, 'x.test'),
      /self-signed/
    )
  }).skip(!canStartPostfix(), 'needs Postfix')
})
