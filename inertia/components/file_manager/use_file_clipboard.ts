import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { notify } from '@ui/notify'
import type { CallResult } from '~/api_call'
import { entryPath } from './paths_and_links'
import {
  fileClipboard,
  type ClipboardContent,
  pasteEndpoints,
  pasteDisabledReason,
} from './file_clipboard'
import type { FileEndpoint } from './file_dialogs'
import type { FileRow } from './types'

interface FileClipboardOptions {
  instance: number | null
  path: string
  /** Reason why nothing can be changed here. */
  barred: string | null
  whyNot: (rows: FileRow[]) => string | null
  run: (call: FileEndpoint, data: Record<string, unknown>) => Promise<CallResult<unknown>>
}

export function useFileClipboard({ instance, path, barred, whyNot, run }: FileClipboardOptions) {
  const clip = useSyncExternalStore(fileClipboard.subscribe, fileClipboard.content, () => null)
  const [pasting, setPasting] = useState(false)
  const reason = barred ?? pasteDisabledReason(clip, instance, path)

  const paste = async () => {
    if (!clip || reason) return void notify({ success: false, message: reason ?? '' })
    if (pasting) return
    setPasting(true)
    const result = await run(pasteEndpoints[clip.kind], { paths: clip.paths, folder: path })
    setPasting(false)
    if (result.success && clip.kind === 'cut') fileClipboard.set(null)
    else if (!result.success && result.status !== 403) void notify(result)
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'v' || !(event.ctrlKey || event.metaKey) || !clip) return
    const at = event.target instanceof Element ? event.target : document.body
    const isInOtherField = at.closest(
      '[role="dialog"], [contenteditable], textarea, input:not([type="checkbox"])'
    )
    if (isInOtherField || event.shiftKey || event.altKey) return
    event.preventDefault()
    void paste()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])

  const isCutFromThisFolder =
    clip?.kind === 'cut' && clip.instance === instance && clip.folder === path
  return {
    paste,
    pasting,
    reason,
    waiting: clip?.instance === instance ? clip.paths.length : 0,
    cut: new Set(
      isCutFromThisFolder ? clip.paths.map((one) => one.slice(one.lastIndexOf('/') + 1)) : []
    ) as ReadonlySet<string>,
    takeAlong: (kind: ClipboardContent['kind'], rows: FileRow[]) => {
      const refused = whyNot(rows)
      if (refused) return void notify({ success: false, message: refused })
      const paths = rows.map((row) => entryPath(path, row))
      fileClipboard.set({ kind, instance: instance!, folder: path, paths })
    },
  }
}
