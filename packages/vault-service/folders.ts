import { join } from 'node:path'

/** Bodies of objects (`store/folder_body_storage.ts`). */
export const bodiesFolder = (folder: string) => join(folder, 'bodies')
/** Counts that are not added to the tables yet (`meter/journal.ts`). */
export const requestCountsFolder = (folder: string) => join(folder, 'counts')
/** Bodies that are being uploaded to a bucket. */
export const spoolFolder = (folder: string) => join(folder, 'spool')
/** States the tables that the folder belongs to (`folder_marker.ts`). */
export const folderMarkerFile = (folder: string) => join(folder, 'mark')
