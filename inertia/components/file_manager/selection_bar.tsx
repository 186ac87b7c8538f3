import { Button } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { itemCountLabel } from './file_clipboard'
import type { FileRow } from './types'
import styles from './selection_bar.module.css'

interface SelectionBarProps {
  rows: FileRow[]
  selected: FileRow[]
  /** Maximum number of entries on which one call can act. */
  atOnce: number
  /** Reason why nothing can be changed here. */
  barred: string | null
  /** Download URL. Null if the selection has too many names for one download. */
  download: string | null
  onCopy: () => void
  onCut: () => void
  onDelete: () => void
  onMode: () => void
  onClear: () => void
}

/** Its height is constant, so that the page does not move. */
export function SelectionBar(props: SelectionBarProps) {
  const { rows, selected, atOnce, barred, download } = props
  const reason = barred ?? (selected.length > atOnce ? tooManySelectedMessage(atOnce) : null)
  const count = selected.length
  return (
    <div className={styles.bar}>
      <span role="status" className={styles.count}>
        {count ? `${count.toLocaleString('en')} selected` : itemCountLabel(rows.length)}
      </span>
      {count > 0 && (
        <div role="group" aria-label="Selected items" className={styles.actions}>
          {download ? (
            <Button {...button} component="a" href={download} download>
              Download
            </Button>
          ) : (
            <ButtonWithDisabledReason {...button} reason={TOO_MANY_NAMES_MESSAGE}>
              Download
            </ButtonWithDisabledReason>
          )}
          <ButtonWithDisabledReason {...button} reason={reason} onClick={props.onCopy}>
            Copy
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason {...button} reason={reason} onClick={props.onCut}>
            Cut
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            {...button}
            reason={reason ?? fileModeDisabledReason(selected)}
            onClick={props.onMode}
          >
            Change mode
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            {...button}
            variant="outline"
            color="red"
            reason={reason}
            onClick={props.onDelete}
          >
            Delete
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason {...button} variant="subtle" onClick={props.onClear}>
            Clear
          </ButtonWithDisabledReason>
        </div>
      )}
    </div>
  )
}

const button = { size: 'compact-sm', variant: 'default' } as const

const TOO_MANY_NAMES_MESSAGE =
  'Too many items for one download. Select fewer, or download their folder.'

/** Returns null if the modes (permissions) can be changed. Symbolic links have no mode. */
export function fileModeDisabledReason(rows: FileRow[]) {
  const link = rows.find((row) => row.link !== undefined)
  return link
    ? `“${link.name}” is a symbolic link. Symbolic links have no mode of their own.`
    : null
}

export function tooManySelectedMessage(atOnce: number) {
  return `You can select at most ${atOnce} items at once.`
}
