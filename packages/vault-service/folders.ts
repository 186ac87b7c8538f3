import { join } from 'node:path'

export const bodiesFolder = (folder: string) => join(folder, 'bodies')
/** Returns the folder of usage counts that have not been added to the tables yet (`meter/journal.ts`). */
export const requestCountsFolder = (folder: string) => join(folder, 'counts')
/** Returns the folder of bodies that must still be uploaded to a bucket. */
export const spoolFolder = (folder: string) => join(folder, 'spool')
/** Returns the path of the mark file, which shows to which tables the folder belongs (`folder_marker.ts`). */
export const folderMarkerFile = (folder: string) => join(folder, 'mark')
/**
 * Returns the path of the file with the current and earlier marks. Tables that were restored from a backup contain an
 * earlier mark, and still match the folder.
 */
export const folderMarkHistoryFile = (folder: string) => join(folder, 'marks')
