import { billListDefinition } from '#billing/public'
import { anyOf, containsOrStartsWith, type ListDefinition, startsWith } from '#core/list_page'

export const courierBillListDefinition: ListDefinition = {
  ...billListDefinition,
  search: anyOf(
    startsWith('account_number'),
    containsOrStartsWith('external_id', 'external_user', 'trx_id', 'reference')
  ),
  precounted: { list: 'bills', scope: 'autocourier' },
  indexOrdered: ['amount', 'status', 'date'],
}
