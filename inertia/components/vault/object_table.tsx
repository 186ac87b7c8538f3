import { Checkbox } from '@mantine/core'
import IconFile from '@tabler/icons-react/dist/esm/icons/IconFile.mjs'
import IconFolder from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs'
import { DateText } from '@ui/date_text'
import { ActionMenu, type Action } from '~/components/action_menu'
import { Link } from '~/components/link'
import { Table } from '~/components/list/table'
import { sizeText } from '~/components/file_manager/sizes'
import { nameOf, vaultHref } from './addresses'
import type { FileRow, Objects } from './types'
import styles from './vault.module.css'

/** A folder by its whole path, or a file. */
export type Entry = { folder: string } | FileRow

export const pathOf = (entry: Entry) => ('folder' in entry ? entry.folder : entry.path)
/** A folder and a file may have the same name. */
export const keyOf = (entry: Entry) => ('folder' in entry ? `${entry.folder}/` : entry.path)

interface ObjectTableProps {
  vault: number
  objects: Objects
  chosen: Set<string>
  onChoose: (entry: Entry) => void
  onOpen: (file: FileRow) => void
  actionsOf: (entry: Entry) => Action[]
}

/** The folders and files of one folder. */
export function ObjectTable(props: ObjectTableProps) {
  const { vault, objects, chosen, onChoose, onOpen, actionsOf } = props
  const rows: Entry[] = [...objects.folders.map((folder) => ({ folder })), ...objects.files]
  return (
    <Table<Entry>
      label="Objects"
      rows={rows}
      rowKey={keyOf}
      rowHref={(entry) => ('folder' in entry ? vaultHref(vault, entry.folder) : null)}
      columns={[
        {
          label: 'Name',
          phone: 'title',
          cell: (entry) => {
            const isFolder = 'folder' in entry
            const name = nameOf(pathOf(entry))
            const Icon = isFolder ? IconFolder : IconFile
            return (
              <>
                <Checkbox
                  size="xs"
                  data-keep
                  aria-label={`Select ${name}`}
                  checked={chosen.has(keyOf(entry))}
                  onChange={() => onChoose(entry)}
                />
                <Icon size={18} stroke={1.5} className={styles.icon} aria-hidden />
                {isFolder ? (
                  <Link href={vaultHref(vault, entry.folder)} title={name} prefetch={false}>
                    {name}
                  </Link>
                ) : (
                  <button
                    type="button"
                    className={styles.name}
                    title={name}
                    onClick={() => onOpen(entry)}
                  >
                    {name}
                  </button>
                )}
              </>
            )
          },
        },
        {
          label: 'Type',
          width: '22%',
          cell: (entry) => ('folder' in entry ? 'Folder' : entry.type),
        },
        {
          label: 'Size',
          width: '100px',
          align: 'right',
          mono: true,
          phone: 'second',
          cell: (entry) => ('folder' in entry ? '-' : sizeText(entry.size)),
        },
        {
          label: 'Last Modified',
          width: '180px',
          phone: 'second',
          cell: (entry) =>
            'folder' in entry ? '-' : <DateText value={entry.last_modified} shape="moment" />,
        },
        {
          label: 'Action',
          align: 'right',
          width: '80px',
          phone: 'action',
          cell: (entry) => (
            <ActionMenu label={`Actions for ${nameOf(pathOf(entry))}`} actions={actionsOf(entry)} />
          ),
        },
      ]}
    />
  )
}
