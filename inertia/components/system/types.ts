import type { SystemPage } from '#core/page_props'

export type { SystemPage }
export type { OpenAlert, ProcessRow } from '#core/monitoring/health'
export type { AlertEntry, ScheduleRow, OperationRow } from '#core/queries/system_page'
export type HealthPage = Extract<SystemPage, { tab: 'health' }>
export type AlertsPage = Extract<SystemPage, { tab: 'alerts' }>
export type OperationsPage = Extract<SystemPage, { tab: 'work' }>
export type TableSizesPage = Extract<SystemPage, { tab: 'tables' }>
export type SchedulesPage = Extract<SystemPage, { tab: 'schedules' }>
