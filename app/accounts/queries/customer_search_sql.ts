import { whereInSubquery, containsOrStartsWith } from '#core/list_page'

/** SQL of an account's name, for lists of things that have its id in this column. */
export function customerNameSql(column: string): string {
  return `(select accounts.name from accounts where accounts.id = ${column})`
}

/** SQL of all that such things are found by: the account's name, its members' names and addresses. */
export function customerSearchTextSql(column: string): string {
  return `(select concat_ws(' ', accounts.name, string_agg(concat_ws(' ', people.name, people.email), ' '))
    from accounts
    left join members on members.account_id = accounts.id
    left join people on people.id = members.person_id
    where accounts.id = ${column} group by accounts.id)`
}

/**
 * Finds such things by the same, where there are too many to look at each: an account's name, a member's
 * name or address.
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
