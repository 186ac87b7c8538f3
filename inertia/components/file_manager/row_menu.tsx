import { Menu } from '@mantine/core'
import type { FileRow } from './types'
import styles from './row_menu.module.css'

interface RowMenuProps {
  row: FileRow
  /** Position in pixels of the window. */
  x: number
  y: number
  /** Reason why nothing can be changed here. */
  barred: string | null
  /** URL that downloads the file, or the folder as a zip. */
  download: string | undefined
  onRename: () => void
  onCopy: () => void
  onCut: () => void
  onMode: () => void
  onUnzip: () => void
  onDelete: () => void
  onClose: () => void
}

/** Mount it only while it is open. */
export function RowMenu({ row, x, y, barred, download, onClose, ...on }: RowMenuProps) {
  const disabled = barred !== null
  const file = row.type === 'file' && { download: row.name }
  return (
    <Menu opened position="bottom-start" onClose={onClose} returnFocus>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          className={styles.point}
          style={{ left: x, top: y }}
          aria-label={`Menu of ${row.name}`}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={`Actions for ${row.name}`}>
        {barred && <Menu.Label>{barred}</Menu.Label>}
        <Menu.Item disabled={disabled} onClick={on.onRename}>
          Rename
        </Menu.Item>
        <Menu.Item component="a" href={download} {...file}>
          {row.type === 'file' ? 'Download' : 'Download as zip'}
        </Menu.Item>
        <Menu.Item disabled={disabled} onClick={on.onCopy}>
          Copy
        </Menu.Item>
        <Menu.Item disabled={disabled} onClick={on.onCut}>
          Cut
        </Menu.Item>
        <Menu.Item disabled={disabled} onClick={on.onMode}>
          Change mode
        </Menu.Item>
        {row.type === 'file' && /\.zip$/i.test(row.name) && (
          <Menu.Item disabled={disabled} onClick={on.onUnzip}>
            Unzip
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item color="red" disabled={disabled} onClick={on.onDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
