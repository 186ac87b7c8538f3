import { useState } from 'react'
import { keyOf } from './addresses'
import type { Row } from './types'

const nothing: ReadonlySet<string> = new Set()

/** The chosen rows of one place (an instance and a folder), by their names; another place begins with none. */
export function useSelection(rows: Row[], place: string) {
  const [state, setState] = useState({ place, keys: nothing })
  const keys = state.place === place ? state.keys : nothing
  return {
    keys,
    /** Those that are still there. */
    chosen: rows.filter((row) => keys.has(keyOf(row))),
    select: (next: ReadonlySet<string>) => setState({ place, keys: next }),
    clear: () => setState({ place, keys: nothing }),
  }
}
