import HostInstance from '#hosts/models/host_instance'
import { deleteOldDiscrepancies } from '#hosts/schedules/delete_old_discrepancies'
import { retireHosts, uniqueName } from '#tests/support/hosts'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

test.group('Discrepancies on hosts', () => {
  test('are deleted some time after they are resolved, and stay while they are open', async ({
    assert,
  }) => {
    const host = await HostInstance.create({
      name: uniqueName('found'),
      ip: '192.0.2.9',
      status: 'maintenance',
      provider: 'test',
      isLocal: false,
      incusUrl: 'unix:/nowhere',
      sshPort: 22,
      specifications: {},
    })
    const ago = (days: number) => DateTime.utc().minus({ days }).toSQL()
    const finding = {
      host_instance_id: host.id,
      kind: 'missing',
      words: 'gone',
      found_at: ago(200),
    }
    await db.table('compute_findings').multiInsert([
      { ...finding, system_id: 'over', gone_at: ago(100) },
      { ...finding, system_id: 'just-over', gone_at: ago(10) },
      { ...finding, system_id: 'open', gone_at: null },
    ])
    await deleteOldDiscrepancies()
    const left = await db.from('compute_findings').where('host_instance_id', host.id)
    assert.sameMembers(
      left.map((row) => row.system_id),
      ['just-over', 'open']
    )
    await retireHosts(host)
  })
})
