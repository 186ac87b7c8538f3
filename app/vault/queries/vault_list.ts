import { customerNameSql, customerSearchTextSql } from '#accounts/public'
import { searchAnywhereIn, type ListDefinition } from '#core/list_page'
import { vaultStatuses } from '#vault/statuses'

const month = `to_char(now() at time zone 'utc', 'YYYY-MM')`
const sorts = {
  name: 'lower(name)',
  requests: `coalesce((request_count ->> ${month})::bigint, 0)`,
  created: 'created_at',
}

export const vaultListDefinition: ListDefinition = {
  statuses: vaultStatuses,
  apart: ['deleted'],
  sorts,
  search: searchAnywhereIn('name', 'key'),
}

export const adminVaultListDefinition: ListDefinition = {
  ...vaultListDefinition,
  sorts: {
    ...sorts,
    customer: `lower(${customerNameSql('vaults.account_id')})`,
    size: 'bytes',
    objects: 'objects',
    status: 'status',
  },
  search: searchAnywhereIn('name', 'key', customerSearchTextSql('vaults.account_id')),
}
