import type { ServiceTableSizesSource } from '#core/modules'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Health } from '#core/monitoring/health'
import type { AlertEntry, ScheduleRow, OperationRow } from '#core/queries/system_page'

/**
 * Props of each page. The key is the page's file below `inertia/pages`. Modules add their own keys.
 * `inertia/page_files.ts` checks that each page exists and accepts these props.
 */
export interface PagePropsByFile {
  'admin/system': SystemPage
  'admin/settings/mail': MailSettingsPage
  'admin/settings/alerts': AlertSettingsPage
  'errors/not_found': ErrorPage
  'errors/refused': ErrorPage
  'errors/server_error': ErrorPage
}

interface ErrorPage {
  status: number
  message: string
  again: string
}

export type SystemPage =
  | { tab: 'health'; health: Health }
  | ({ tab: 'alerts' } & ListPage<AlertEntry>)
  | ({ tab: 'work' } & ListPage<OperationRow>)
  | ({ tab: 'schedules' } & ListPage<ScheduleRow>)
  | { tab: 'tables'; services: ServiceTablesView[] }

/** `tables` is `null` if the service does not respond. */
export interface ServiceTablesView {
  label: string
  tables: Awaited<ReturnType<ServiceTableSizesSource['sizes']>>
}

export interface AlertSettingsPage {
  settings: {
    /** `null`: all administrators. */
    recipients: string[] | null
    webhook_url: string | null
    has_secret: boolean
    last: { at: string; worked: boolean; answer: string } | null
  }
  administrators: string[]
}

export interface MailSettingsPage {
  settings: { brand: string; footer: string; reply_to: string | null; logo: string | null }
  kinds: {
    name: string
    label: string
    /** Names of placeholders that the texts may contain in curly brackets. */
    placeholders: string[]
    default_subject: string
    default_intro: string
    /** `null`: the default. */
    subject: string | null
    intro: string | null
  }[]
}

export interface ListPage<Row> extends ListMeta {
  rows: Row[]
  statuses: StatusLabels
}
