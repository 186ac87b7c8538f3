import { join } from 'node:path'

export const bodiesFolder = (folder: string) => join(folder, 'bodies')
/** Folder of counts that are not added to the tables yet (`meter/journal.ts`). */
export const requestCountsFolder = (folder: string) => join(folder, 'counts')
/** Folder of bodies that are being uploaded to a bucket. */
export const spoolFolder = (folder: string) => join(folder, 'spool')
/** File that names the tables of the folder (`folder_marker.ts`). */
export const folderMarkerFile = (folder: string) => join(folder, 'mark')
