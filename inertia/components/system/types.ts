/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { ScheduleRow, SystemPage, WorkRow } from '#core/queries/system'
