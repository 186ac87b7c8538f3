import { useState } from 'react'
import { entryKey } from './paths_and_links'
import type { FileRow } from './types'

const noKeys: ReadonlySet<string> = new Set()

/** The selected rows, by entry key. A change of folder clears the selection. */
export function useSelection(rows: FileRow[], folderKey: string) {
  const [state, setState] = useState({ place: folderKey, keys: noKeys })
  const keys = state.place === folderKey ? state.keys : noKeys
  return {
    keys,
    chosen: rows.filter((row) => keys.has(entryKey(row))),
    select: (next: ReadonlySet<string>) => setState({ place: folderKey, keys: next }),
    clear: () => setState({ place: folderKey, keys: noKeys }),
  }
}
