import { allAlertRules, evaluateAlertRules } from '#core/monitoring/alerts'
import { saveAlertSettings } from '#core/monitoring/alert_settings'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { hasValidSignature } from '#packages/service/webhooks'
import db from '@adonisjs/lucid/services/db'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedAlert {
  id: string
  type: string
  body: string
  isSigned: boolean
}

export async function startAlertReceiver() {
  const calls: ReceivedAlert[] = []
  let secret = ''
  let status = 200
  const server = createServer(async (asked, response) => {
    let body = ''
    for await (const chunk of asked) body += chunk
    const header = (name: string) => String(asked.headers[name])
    const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
    const signature = header('webhook-signature')
    calls.push({
      id,
      body,
      type: (JSON.parse(body) as { type: string }).type,
      isSigned: hasValidSignature([secret], { id, timestamp, signature }, body),
    })
    response.writeHead(status).end('noted')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    calls,
    trust: (told: string) => void (secret = told),
    answerWith: (told: number) => void (status = told),
    stop: () => new Promise((done) => server.close(done)),
  }
}

/** Replaces the alert settings by one email recipient and a webhook. Returns functions that check the delivery. */
export async function startAlertDeliveryChecker() {
  const target = await startAlertReceiver()
  const to = `watch-${randomUUID()}@example.com`
  await db.from('alert_settings').delete()
  const settings = { recipients: [to], webhook_url: target.url }
  target.trust((await db.transaction((trx) => saveAlertSettings(settings, trx)))!)

  /**
   * Sends an alert's queued webhook calls, and asserts that all its calls are signed. Returns the types of its calls,
   * and all emails to the recipient, also those about other alerts.
   */
  async function arrived(name: string, key: string) {
    const rows = (await db.from('alerts').where({ name, key })) as { id: number; label: string }[]
    const ids = rows.map(({ id }) => id)
    const waiting = await Operation.query().where({ kind: 'alert.webhook', status: 'queued' })
    for (const { id, subjectId } of waiting)
      if (ids.some((one) => subjectId.startsWith(`alert-${one}-`))) await runSteps(id)
    const mails = (await db.from('outbox_mails').where({ to }).orderBy('id')) as { text: string }[]
    const calls = target.calls.filter(({ id }) => ids.some((one) => id.startsWith(`alert-${one}-`)))
    assert.ok(calls.every((call) => call.isSigned))
    return { mails: mails.map(({ text }) => text), calls: calls.map(({ type }) => type) }
  }

  return {
    /**
     * Asserts that the alert starts, and ends after `mend`. Each time, an email and a webhook call must arrive.
     * @param key the alert's subject
     * @param words must match the email
     * @param mend removes the cause of the alert
     */
    async seesArrive(name: string, key: string, words: RegExp, mend: () => Promise<unknown>) {
      const alert = allAlertRules().find((one) => one.name === name)
      assert.ok(alert, name)
      await db.from('alerts').where({ name, key }).delete()
      const soon = (seconds: number) => new Date(Date.now() + seconds * 1_000)
      await evaluateAlertRules([alert], soon(0))
      await evaluateAlertRules([alert], soon((alert.after ?? 0) + 1))
      const began = await arrived(name, key)
      assert.deepEqual(began.calls, ['alert.began'], name)
      const mail = began.mails.find((text) => words.test(text))
      assert.ok(mail, `${name}: ${began.mails.join('\n')}`)
      assert.ok(mail.includes(`docs/runbooks/${alert.runbook}.md`))
      await mend()
      await evaluateAlertRules([alert], soon(3_600))
      const ended = await arrived(name, key)
      assert.deepEqual(ended.calls, ['alert.began', 'alert.ended'], name)
      assert.ok(
        ended.mails.some((text) => text.includes('Resolved') && words.test(text)),
        name
      )
    },
    async stop() {
      await target.stop()
      await db.from('alert_settings').delete()
    },
  }
}
