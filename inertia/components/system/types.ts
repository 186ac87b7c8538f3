/** The shapes that the server sends; types only, nothing of it reaches the browser. */
import type { SystemPage } from '#core/page_props'

export type { SystemPage }
export type { Need, ProcessRow } from '#core/monitoring/health'
export type { AlertEntry, ScheduleRow, WorkRow } from '#core/queries/system'
export type HealthPage = Extract<SystemPage, { tab: 'health' }>
export type AlertsPage = Extract<SystemPage, { tab: 'alerts' }>
export type WorkPage = Extract<SystemPage, { tab: 'work' }>
export type TablesPage = Extract<SystemPage, { tab: 'tables' }>
export type SchedulesPage = Extract<SystemPage, { tab: 'schedules' }>
