import { join } from 'node:path'

export const bodiesFolder = (folder: string) => join(folder, 'bodies')
/** Returns the folder of counts that are not in the tables yet (`meter/journal.ts`). */
export const requestCountsFolder = (folder: string) => join(folder, 'counts')
/** Returns the folder of bodies that are being uploaded to a bucket. */
export const spoolFolder = (folder: string) => join(folder, 'spool')
/** Returns the file that identifies the tables of the folder (`folder_marker.ts`). */
export const folderMarkerFile = (folder: string) => join(folder, 'mark')
/** File with this and earlier marks, so that a folder fits tables that were restored to an earlier moment. */
export const folderMarkHistoryFile = (folder: string) => join(folder, 'marks')
