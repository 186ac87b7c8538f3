import { audit } from '#core/audit/audit'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

test.group('Audit log', () => {
  test('entries can be added, but not changed or deleted', async ({ assert }) => {
    const subject = { type: 'person' as const, id: crypto.randomUUID(), label: 'web-1' }
    await audit({ actor: null, action: 'test.done', subject, before: { a: 1 }, after: { a: 2 } })
    const entries = () => db.from('audit_entries').where('subject_id', subject.id)
    const [entry] = await entries()
    assert.deepInclude(entry, { actor_name: 'Berth', before: { a: 1 }, after: { a: 2 } })
    await assert.rejects(() => entries().update({ action: 'x' }))
    await assert.rejects(() => entries().delete())
    assert.lengthOf(await entries(), 1)
  })
})
