import { customerNameSql, customerSearchCondition } from '#accounts/public'
import { anyOf, containsOrStartsWith, searchAnywhereIn, type ListDefinition } from '#core/list_page'
import { senderStatuses, mailDomainStatuses } from '#mail/statuses'

const month = `to_char(now() at time zone 'utc', 'YYYY-MM')`
const sorts = {
  email: 'email',
  sent: `coalesce((sent_mail_count ->> ${month})::bigint, 0)`,
  created: 'created_at',
  status: 'status',
}

export const senderListDefinition: ListDefinition = {
  statuses: senderStatuses,
  apart: ['deleted'],
  sorts,
  search: searchAnywhereIn('email'),
}

export const adminSenderListDefinition: ListDefinition = {
  ...senderListDefinition,
  sorts: { ...sorts, customer: `lower(${customerNameSql('mail_senders.account_id')})` },
  search: anyOf(containsOrStartsWith('email'), customerSearchCondition('mail_senders.account_id')),
  precounted: { list: 'mail_senders', scope: '' },
  indexOrdered: ['email', 'created', 'status'],
}

export const mailDomainListDefinition: ListDefinition = {
  statuses: mailDomainStatuses,
  apart: ['deleted'],
  sorts: { domain: 'domain', status: 'status', checked: 'checked_at', created: 'created_at' },
  search: searchAnywhereIn('domain'),
}
