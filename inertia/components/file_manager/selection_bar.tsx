import { Button } from '@mantine/core'
import { DisabledReason } from '@ui/disabled_reason'
import { itemsText } from './clipboard'
import type { Row } from './types'
import styles from './selection_bar.module.css'

interface SelectionBarProps {
  rows: Row[]
  chosen: Row[]
  /** How many one call takes. */
  atOnce: number
  /** Why nothing can be changed here. */
  barred: string | null
  /** What is chosen, as one file; null where the names are too long for an address. */
  download: string | null
  onCopy: () => void
  onCut: () => void
  onDelete: () => void
  onMode: () => void
  onClear: () => void
}

/** Above the table, always as high: what is there, or what was chosen and can be done with it. */
export function SelectionBar(props: SelectionBarProps) {
  const { rows, chosen, atOnce, barred, download } = props
  const reason = barred ?? (chosen.length > atOnce ? tooManyText(atOnce) : null)
  const count = chosen.length
  return (
    <div className={styles.bar}>
      <span role="status" className={styles.count}>
        {count ? `${count.toLocaleString('en')} selected` : itemsText(rows.length)}
      </span>
      {count > 0 && (
        <div role="group" aria-label="Selected items" className={styles.actions}>
          {download ? (
            <Button {...button} component="a" href={download} download>
              Download
            </Button>
          ) : (
            <DisabledReason {...button} reason={TOO_MANY_NAMES_MESSAGE}>
              Download
            </DisabledReason>
          )}
          <DisabledReason {...button} reason={reason} onClick={props.onCopy}>
            Copy
          </DisabledReason>
          <DisabledReason {...button} reason={reason} onClick={props.onCut}>
            Cut
          </DisabledReason>
          <DisabledReason {...button} reason={reason ?? whyNoMode(chosen)} onClick={props.onMode}>
            Change mode
          </DisabledReason>
          <DisabledReason
            {...button}
            variant="outline"
            color="red"
            reason={reason}
            onClick={props.onDelete}
          >
            Delete
          </DisabledReason>
          <DisabledReason {...button} variant="subtle" onClick={props.onClear}>
            Clear
          </DisabledReason>
        </div>
      )}
    </div>
  )
}

const button = { size: 'compact-sm', variant: 'default' } as const

const TOO_MANY_NAMES_MESSAGE =
  'Too many items for one download. Select fewer, or download their folder.'

/** Links have no mode that can be changed. */
export function whyNoMode(rows: Row[]) {
  const link = rows.find((row) => row.link !== undefined)
  return link ? `“${link.name}” is a link. Links have no mode of their own.` : null
}

export function tooManyText(atOnce: number) {
  return `You can select at most ${atOnce} items at once.`
}
