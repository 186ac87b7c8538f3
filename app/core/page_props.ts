import type { ServiceTableSizesSource } from '#core/modules'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Health } from '#core/monitoring/health'
import type { AlertEntry, ScheduleRow, OperationRow } from '#core/queries/system_page'

/**
 * The pages by their files below `inertia/pages`, and what each is sent. Every domain adds its own
 * beside the types of their props (`declare module '#core/page_props'`); `inertia/page_files.ts` holds that
 * each is there and takes these props.
 */
export interface Pages {
  'admin/system': SystemPage
  'admin/settings/mail': MailSettingsPage
  'admin/settings/alerts': AlertSettingsPage
  'errors/not_found': ErrorPage
  'errors/refused': ErrorPage
  'errors/server_error': ErrorPage
}

interface ErrorPage {
  status: number
  /** What happened and what to do about it. */
  message: string
  /** The address where trying again begins. */
  again: string
}

/**
 * How it is, or one of the lists: what people were told of, what Berth does now, what it does again and again;
 * or what its services keep.
 */
export type SystemPage =
  | { tab: 'health'; health: Health }
  | ({ tab: 'alerts' } & ListPage<AlertEntry>)
  | ({ tab: 'work' } & ListPage<OperationRow>)
  | ({ tab: 'schedules' } & ListPage<ScheduleRow>)
  | { tab: 'tables'; services: ServiceTablesView[] }

/** `tables`: null where the service does not answer. */
export interface ServiceTablesView {
  label: string
  tables: Awaited<ReturnType<ServiceTableSizesSource['sizes']>>
}

/** Who is told of alerts. */
export interface AlertSettingsPage {
  settings: {
    /** Null: all administrators. */
    recipients: string[] | null
    webhook_url: string | null
    has_secret: boolean
    /** What the webhook answered last. */
    last: { at: string; worked: boolean; answer: string } | null
  }
  /** Addresses of the administrators. */
  administrators: string[]
}

/** How the product's own mails look, and their words. */
export interface MailSettingsPage {
  settings: { brand: string; footer: string; reply_to: string | null; logo: string | null }
  kinds: {
    name: string
    label: string
    /** What its words may name in curly brackets. */
    placeholders: string[]
    default_subject: string
    default_intro: string
    /** Staff's own; null: as it was made. */
    subject: string | null
    intro: string | null
  }[]
}

/** A page of a list, with what its filters need. */
export interface ListPage<Row> extends ListMeta {
  rows: Row[]
  /** Status key -> label. */
  statuses: StatusLabels
}
