import { join } from 'node:path'

export const bodiesFolder = (folder: string) => join(folder, 'bodies')
/** Returns the folder of usage counts that are not in the tables yet (`meter/journal.ts`). */
export const requestCountsFolder = (folder: string) => join(folder, 'counts')
/** Returns the folder of bodies that are waiting for their upload to a bucket. */
export const spoolFolder = (folder: string) => join(folder, 'spool')
/** Returns the path of the mark file, which shows to which tables the folder belongs (`folder_marker.ts`). */
export const folderMarkerFile = (folder: string) => join(folder, 'mark')
/**
 * Returns the path of the file with the current and earlier marks. By an earlier mark, tables that were restored from a
 * backup match the folder.
 */
export const folderMarkHistoryFile = (folder: string) => join(folder, 'marks')
