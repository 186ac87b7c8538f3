import { usePage } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import type { SharedProps } from '~/types'
import { pageEntries } from './palette_entries'
import styles from './command_palette.module.css'

const generalShortcuts: [keys: string[], what: string][] = [
  [['Ctrl', 'K'], 'Find a page, an action or a resource'],
  [['/'], 'Search the list on this page'],
  [['?'], 'Show keyboard shortcuts'],
  [['Esc'], 'Close the dialog or menu'],
  [['↑', '↓'], 'Move between rows of a focused list'],
  [['Enter'], 'Open the focused row'],
]

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { menu, unavailable } = usePage<SharedProps>().props
  const pages = pageEntries(menu, unavailable).filter(({ key }) => key)
  const all = [...generalShortcuts, ...pages.map(({ key, name }) => [['g', key!], name] as const)]
  return (
    <Dialog opened onClose={onClose} title="Keyboard shortcuts" size={560}>
      <dl className={styles.keys}>
        {all.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
