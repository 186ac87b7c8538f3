import { hostStatuses } from '#hosts/models/host_instance'
import { instanceStatuses } from '#instances/models/server_instance'
import { loadAllowedColumnValues } from '#tests/support/allowed_column_values'
import { test } from '@japa/runner'

test.group('Labels of statuses', () => {
  for (const [table, column, words] of [
    ['host_instances', 'status', Object.keys(hostStatuses)],
    ['server_instances', 'status', Object.keys(instanceStatuses)],
    ['server_instances', 'instance_type', ['regular', 'shared']],
    ['server_instances', 'billing_period', ['month', 'year']],
    ['server_packages', 'instance_type', ['regular', 'shared']],
    ['server_packages', 'server_series', ['bronze', 'silver', 'gold']],
    ['subscriptions', 'subject_type', ['server_instance']],
    ['subscriptions', 'period', ['month', 'year']],
    ['subscriptions', 'end_reason', ['resized', 'deleted']],
  ] as const) {
    test(`the database accepts the statuses of ${table}.${column}`, async ({ assert }) => {
      assert.sameMembers(await loadAllowedColumnValues(table, column), [...words])
    })
  }
})
