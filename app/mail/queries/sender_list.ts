import { customerName, ofCustomer } from '#accounts/public'
import { any, has, holds, type ListDefinition } from '#core/list_page'
import { emailStatuses, mailDomainStatuses } from '#mail/statuses'

const month = `to_char(now() at time zone 'utc', 'YYYY-MM')`
const sorts = {
  email: 'email',
  sent: `coalesce((sent_mail_count ->> ${month})::bigint, 0)`,
  created: 'created_at',
  status: 'status',
}

/** A customer's list. */
export const senderList: ListDefinition = {
  statuses: emailStatuses,
  apart: ['deleted'],
  sorts,
  search: holds('email'),
}

/** Staff's list of all, found and sorted by their customers too. */
export const adminSenderList: ListDefinition = {
  ...senderList,
  sorts: { ...sorts, customer: `lower(${customerName('mail_senders.account_id')})` },
  search: any(has('email'), ofCustomer('mail_senders.account_id')),
  counted: { list: 'mail_senders', scope: '' },
  walked: ['email', 'created', 'status'],
}

export const domainList: ListDefinition = {
  statuses: mailDomainStatuses,
  apart: ['deleted'],
  sorts: { domain: 'domain', status: 'status', checked: 'checked_at', created: 'created_at' },
  search: holds('domain'),
}
