import type { PageHref } from '#core/page_addresses'
import type { Engine } from '#databases/engines'
import type { AreaPrefix } from '~/area_prefix'

const staffOnlyTypes = ['host_instance', 'host', 'account', 'mails']
/** Subject types of operations and audit entries that have no page for staff. */
const customerOnlyTypes = ['database', 'database_server', 'mail_domain']

const hrefsByType: Record<string, (prefix: AreaPrefix, id: number, name: string) => PageHref> = {
  instance: (prefix, id) => `${prefix}/server-instance/${id}`,
  server_instance: (prefix, id) => `${prefix}/server-instance/${id}`,
  host_instance: (_, id) => `/admin/host-instance/${id}`,
  host: (_, id) => `/admin/host-instance/${id}`,
  project: (prefix, id) => `${prefix}/project/${id}`,
  // Redirects to the database's page, whose URL depends on the engine (MySQL or MongoDB).
  database: (_, id) => `/database/${id}`,
  vault: (prefix, id) => (prefix ? '/admin/vault/list' : `/vault/${id}`),
  sender: (prefix, id) => `${prefix}/email/${id}`,
  mail_domain: (_, id) => `/email/domain/${id}`,
  mails: () => '/admin/settings/mail',
  account: (_, id) => `/admin/customer/${id}`,
  // `mysql-3` is the server on instance 3; `mysql-managed-7` is account 7 on the managed server.
  database_server: (_prefix, _id, name) => {
    const [engine, location] = name.split('-')
    return `/database/${engine as Engine}?server_instance_id=${location}`
  },
}

/** Returns null if the resource has no page in this area. */
export function resourceHref(
  { type, id }: { type: string; id: string | number },
  prefix: AreaPrefix
): PageHref | null {
  if (!prefix && staffOnlyTypes.includes(type)) return null
  if (prefix && customerOnlyTypes.includes(type)) return null
  return hrefsByType[type]?.(prefix, Number(id), String(id)) ?? null
}
