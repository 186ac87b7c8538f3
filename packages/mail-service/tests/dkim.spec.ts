import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import type { DomainInfo } from '../control/contract.js'
import type { DnsResolver } from '../delivery/dns.js'
import type { OutgoingMailService } from '../outgoing_mail_types.js'
import { deleteExpiredRows } from '../upkeep/main.js'
import {
  createDeliveryFixture,
  MAIL_HOST,
  createTestResolver,
  type DeliveryFixture,
} from './delivery_fixture.js'
import { startSmtpSink, type SmtpSink } from './smtp_sink.js'

const PYTHON_PATH = '/usr/bin/python3'
const HAS_DKIMPY = existsSync('/usr/bin/dkimverify')
const MS_PER_DAY = 86_400_000

/** Returns whether the program dkimpy accepts the message's signature with these DNS records. */
async function verifies(raw: string, records: Record<string, string>): Promise<boolean> {
  const program = [
    'import sys, json, dkim',
    'records = json.loads(sys.argv[1])',
    'find = lambda name, timeout=5: records.get(name.decode().rstrip(".")).encode()',
    'print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=find))',
  ].join('\n')
  const child = spawn(PYTHON_PATH, ['-c', program, JSON.stringify(records)])
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdin.end(Buffer.from(raw, 'latin1'))
  await new Promise((done) => child.once('close', done))
  return said.trim() === 'True'
}

test.group('DKIM', (group) => {
  let its: DeliveryFixture
  let sink: SmtpSink
  let outgoing: OutgoingMailService
  let published: Record<string, string>
  let id: number

  group.each.setup(async () => {
    its = await createDeliveryFixture()
    sink = await startSmtpSink()
    published = {}
    id = randomInt(1_000_000_000, 2_000_000_000)
    const names: DnsResolver = createTestResolver({
      txt: async (name) => {
        if (published[name]) return [published[name]]
        throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      },
    })
    outgoing = await its.start({ port: sink.port, names })
    return async () => {
      await its.database.rows('delete from mail.domains where id = $1', [id])
      await its.end()
      await sink.stop()
    }
  })

  const make = () =>
    outgoing.handlers.makeDomain({ id, accountId: its.sender, domain: 'Shop.test' })
  const publish = (info: DomainInfo) => {
    for (const { purpose, name, value } of info.records) {
      if (purpose === 'dkim') published[name] = value
    }
  }
  async function letter(raw?: string) {
    const message = await its.put('ann@there.test', raw ? { raw } : {})
    outgoing.wake()
    await its.isFinal(message)
    return sink.letters.at(-1)!
  }

  test('`records` lists the DNS records to publish', async ({ assert }) => {
    const info = await make()
    assert.deepEqual(await make(), info)
    const found = info.records.map(({ purpose, type, name }) => `${purpose} ${type} ${name}`)
    assert.deepEqual(found, [
      'dkim TXT berth1._domainkey.shop.test',
      'spf TXT bounce.shop.test',
      'return_path MX bounce.shop.test',
      'dmarc TXT _dmarc.shop.test',
    ])
    assert.equal(info.state, 'pending')
    const stored = await its.database.row<{ private_key: string }>(
      'select private_key from mail.dkim_keys where domain_id = $1',
      [id]
    )
    assert.notInclude(Buffer.from(stored!.private_key, 'base64').toString('latin1'), 'PRIVATE')
  })

  test('dkimpy, another implementation, verifies the received message', async ({ assert }) => {
    publish(await make())
    await outgoing.handlers.changeDomain({ id, state: 'active' })
    const raw =
      'From: Shop <shop@shop.test>\nSubject: Umlaute \u00e4 \u2713\nMessage-ID: <1@x.test>\n\n.dot\n..two\r\nbare\nend  \n\n\n'
    const arrived = await letter(raw)
    assert.match(arrived.from, /@bounce\.shop\.test$/)
    assert.match(arrived.raw, /d=shop\.test/)
    assert.isTrue(await verifies(arrived.raw, published))
    assert.isFalse(await verifies(arrived.raw.replace('bare', 'bear'), published))
  }).skip(!HAS_DKIMPY, 'needs dkimpy')

  test('a key is published, checked, switched, retired and deleted', async ({ assert }) => {
    publish(await make())
    await outgoing.handlers.changeDomain({ id, state: 'active' })
    const next = await outgoing.handlers.nextDkim({ id })
    assert.deepEqual(
      next.keys.map(({ selector, state }) => [selector, state]),
      [
        ['berth2', 'next'],
        ['berth1', 'active'],
      ]
    )
    await assert.rejects(() => outgoing.handlers.switchDkim({ id }), /no record for berth2/)
    published['berth2._domainkey.shop.test'] = published['berth1._domainkey.shop.test']!
    await assert.rejects(() => outgoing.handlers.switchDkim({ id }), /no record for berth2/)
    publish(next)
    const after = await outgoing.handlers.switchDkim({ id })
    assert.deepEqual(
      after.keys.map(({ selector, state }) => [selector, state]),
      [
        ['berth2', 'active'],
        ['berth1', 'retired'],
      ]
    )
    assert.lengthOf(
      after.records.filter(({ purpose }) => purpose === 'dkim'),
      2
    )
    assert.match((await letter()).raw, /s=berth2/)
    await deleteExpiredRows(its.database, new Date(Date.now() + 6 * MS_PER_DAY))
    assert.lengthOf((await outgoing.handlers.domain({ id })).keys, 2)
    await deleteExpiredRows(its.database, new Date(Date.now() + 8 * MS_PER_DAY))
    assert.lengthOf((await outgoing.handlers.domain({ id })).keys, 1)
    const third = await outgoing.handlers.nextDkim({ id })
    assert.equal(third.keys.find(({ state }) => state === 'next')!.selector, 'berth3')
  })

  test('a domain of another account, or one that is not active, does not sign', async ({
    assert,
  }) => {
    await outgoing.handlers.makeDomain({ id, accountId: its.sender + 1, domain: 'shop.test' })
    await outgoing.handlers.changeDomain({ id, state: 'active' })
    assert.match((await letter()).raw, new RegExp(`d=${MAIL_HOST.replaceAll('.', '\\.')}`))
  })

  test('a domain is active for one account at a time', async ({ assert }) => {
    await make()
    await outgoing.handlers.changeDomain({ id, state: 'active' })
    await outgoing.handlers.makeDomain({ id: id + 1, accountId: 5, domain: 'shop.test' })
    await assert.rejects(
      () => outgoing.handlers.changeDomain({ id: id + 1, state: 'active' }),
      /Another account/
    )
    await its.database.rows('delete from mail.domains where id = $1', [id + 1])
  })
})
