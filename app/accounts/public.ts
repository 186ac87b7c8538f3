export { default as Account } from '#accounts/models/account'
export { lockAccountRow } from '#accounts/actions/lock_account_row'
export { onAccountResumed, onAccountSuspended } from '#accounts/suspension_hooks'
export { loadCustomersById, OWNER_EMAIL_SQL } from '#accounts/queries/customer_summaries'
export {
  customerNameSql,
  customerSearchTextSql,
  customerSearchCondition,
} from '#accounts/queries/customer_search_sql'
export {
  saveDefaultInstance,
  clearInstanceAsDefault,
  listMemberEmails,
} from '#accounts/queries/memberships'
export {
  registerAccountResourceKind,
  type AccountResourceRow,
  listAccountResources,
} from '#accounts/account_resources'
