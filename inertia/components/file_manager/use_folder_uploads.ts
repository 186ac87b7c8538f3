import { useEffect, useState, type DragEvent } from 'react'
import { router } from '@inertiajs/react'
import { notify } from '@ui/notify'
import { call } from '~/api_call'
import { fileManagerHref, joinPath, parentPath } from './paths_and_links'
import { type DroppedFiles, readDroppedFiles } from './dropped_files'
import type { FolderPage, FileRow } from './types'
import { uploadQueue } from './upload_queue'

type UploadTarget = Pick<
  FolderPage,
  'area' | 'path' | 'serverInstanceId' | 'uploadLimit' | 'uploadTogether' | 'resumableAbove'
>

/**
 * Reloads the page's data when files have arrived.
 * @param barred reason why nothing can be uploaded
 */
export function useFolderUploads(openFolder: UploadTarget, rows: FileRow[], barred: string | null) {
  const { area, path, serverInstanceId: instance } = openFolder
  const [over, setOver] = useState(false)

  useEffect(
    () =>
      uploadQueue.onArrival((upload) => {
        if (upload.folder === path && upload.instance === instance) router.reload()
      }),
    [path, instance]
  )

  const take = (files: File[], below = '', batch = uploadQueue.newBatch()) => {
    if (files.length === 0 || instance === null) return
    const taken = new Set(below ? [] : rows.map(({ name }) => name))
    const { uploadLimit: limit, uploadTogether: together, resumableAbove } = openFolder
    const folder = below ? joinPath(path, below) : path
    uploadQueue.add(files, {
      batch,
      folder,
      instance,
      area,
      limit,
      together,
      resumableAbove,
      taken,
    })
  }

  /** Creates the dropped folders, then uploads the files. The person decides about each existing file. */
  const takeDropped = async (reading: Promise<DroppedFiles>) => {
    const { files, folders } = await reading
    for (const folder of folders) {
      const created = await call(`${fileManagerHref(area)}/store`, {
        data: {
          path: joinPath(path, parentPath(folder)),
          name: folder.slice(folder.lastIndexOf('/') + 1),
          type: 'folder',
          server_instance_id: instance,
        },
        toasts: 'none',
      })
      if (created.success || created.code === 'exists') continue
      const message = `Could not create the folder ${folder}: ${created.message}`
      return void notify({ success: false, message })
    }
    const batch = uploadQueue.newBatch()
    for (const folder of ['', ...folders]) {
      const inFolder = files.filter((each) => each.folder === folder)
      take(
        inFolder.map(({ file }) => file),
        folder,
        batch
      )
    }
    if (folders.length > 0) router.reload()
  }

  return {
    take,
    over,
    /** Event handlers of the element onto which files are dropped. */
    target: {
      onDragOver: (event: DragEvent) => {
        if (barred || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        setOver(false)
        if (barred) return
        takeDropped(readDroppedFiles(event.dataTransfer)).catch(() => {
          const message = 'The browser could not read the dropped files. Try again.'
          void notify({ success: false, message })
        })
      },
    },
  }
}
