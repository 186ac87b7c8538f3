import { useState } from 'react'
import { entryKey } from './paths_and_links'
import type { FileRow } from './types'

const noKeys: ReadonlySet<string> = new Set()

/** The chosen rows of one place (an instance and a folder), by their names; another place begins with none. */
export function useSelection(rows: FileRow[], folderKey: string) {
  const [state, setState] = useState({ place: folderKey, keys: noKeys })
  const keys = state.place === folderKey ? state.keys : noKeys
  return {
    keys,
    /** Those that are still there. */
    chosen: rows.filter((row) => keys.has(entryKey(row))),
    select: (next: ReadonlySet<string>) => setState({ place: folderKey, keys: next }),
    clear: () => setState({ place: folderKey, keys: noKeys }),
  }
}
