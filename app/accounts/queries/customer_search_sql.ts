import { whereInSubquery, containsOrStartsWith } from '#core/list_page'

/** @param column SQL column with the account's id */
export function customerNameSql(column: string): string {
  return `(select accounts.name from accounts where accounts.id = ${column})`
}

/** Returns SQL for an account's search text: its name, and its members' names and email addresses. */
export function customerSearchTextSql(column: string): string {
  return `(select concat_ws(' ', accounts.name, string_agg(concat_ws(' ', people.name, people.email), ' '))
    from accounts
    left join members on members.account_id = accounts.id
    left join people on people.id = members.person_id
    where accounts.id = ${column} group by accounts.id)`
}

/**
 * Returns a condition for large tables. It searches each column of the search text separately, to use the indexes.
 * Texts under three characters match only the start of a column.
 */
export function customerSearchCondition(column: string) {
  return whereInSubquery(column, (text) => {
    const { sql: account, bindings: ofAccount } = containsOrStartsWith('accounts.name')(text)
    const { sql: person, bindings: ofPerson } = containsOrStartsWith(
      'people.name',
      'people.email'
    )(text)
    return {
      sql: `select accounts.id from accounts where ${account}
        union select members.account_id from people
        join members on members.person_id = people.id where ${person}`,
      bindings: [...ofAccount, ...ofPerson],
    }
  })
}
