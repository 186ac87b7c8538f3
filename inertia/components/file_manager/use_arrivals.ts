import { useEffect, useState, type DragEvent } from 'react'
import { router } from '@inertiajs/react'
import { notify } from '@ui/notify'
import { call } from '~/api_call'
import { fileManager, joinPath, parentOf } from './addresses'
import { type Dropped, readDropped } from './dropped_files'
import type { FolderPage, Row } from './types'
import { uploads } from './uploads'

type Place = Pick<
  FolderPage,
  'area' | 'path' | 'serverInstanceId' | 'uploadLimit' | 'uploadTogether'
>

/**
 * Files and folders that come into a folder of an instance, chosen or dropped; the page is read anew as they arrive.
 * @param barred why none can
 */
export function useArrivals(place: Place, rows: Row[], barred: string | null) {
  const { area, path, serverInstanceId: instance } = place
  const [over, setOver] = useState(false)

  useEffect(
    () =>
      uploads.onArrival((upload) => {
        if (upload.folder === path && upload.instance === instance) router.reload()
      }),
    [path, instance]
  )

  const take = (files: File[], below = '') => {
    if (files.length === 0 || instance === null) return
    const taken = new Set(below ? [] : rows.map(({ name }) => name))
    const { uploadLimit: limit, uploadTogether: together } = place
    const folder = below ? joinPath(path, below) : path
    uploads.add(files, { folder, instance, area, limit, together, taken })
  }

  /** Makes the folders first; what is in one that is there already is asked about, file by file. */
  const takeDropped = async (reading: Promise<Dropped>) => {
    const { files, folders } = await reading
    for (const folder of folders) {
      const made = await call(`${fileManager(area)}/store`, {
        data: {
          path: joinPath(path, parentOf(folder)),
          name: folder.slice(folder.lastIndexOf('/') + 1),
          type: 'folder',
          server_instance_id: instance,
        },
        toasts: 'none',
      })
      if (made.success || made.code === 'exists') continue
      const message = `Could not create the folder ${folder}: ${made.message}`
      return void notify({ success: false, message })
    }
    for (const folder of ['', ...folders]) {
      const here = files.filter((each) => each.folder === folder)
      take(
        here.map(({ file }) => file),
        folder
      )
    }
    if (folders.length > 0) router.reload()
  }

  return {
    take,
    /** Whether files are held over the page. */
    over,
    /** For the element that takes what is dropped. */
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
        takeDropped(readDropped(event.dataTransfer)).catch(() => {
          const message = 'The browser could not read the dropped files. Try again.'
          void notify({ success: false, message })
        })
      },
    },
  }
}
