import { Checkbox } from '@mantine/core'
import IconFile from '@tabler/icons-react/dist/esm/icons/IconFile.mjs'
import IconFolder from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs'
import { DateText } from '@ui/date_text'
import { ActionMenu, type Action } from '~/components/action_menu'
import { Link } from '~/components/link'
import { Table } from '~/components/list/table'
import { formatSize } from '~/components/file_manager/format_size'
import { baseName, vaultHref } from './paths_and_links'
import type { FileRow, ObjectListing } from './types'
import styles from './vault.module.css'

export type ObjectEntry = { folder: string } | FileRow

export const entryPath = (entry: ObjectEntry) => ('folder' in entry ? entry.folder : entry.path)
/** A folder's key ends with a slash, so that it differs from the key of a file with the same name. */
export const entryKey = (entry: ObjectEntry) =>
  'folder' in entry ? `${entry.folder}/` : entry.path

interface ObjectTableProps {
  vault: number
  objects: ObjectListing
  selected: Set<string>
  onChoose: (entry: ObjectEntry) => void
  onOpen: (file: FileRow) => void
  actionsOf: (entry: ObjectEntry) => Action[]
}

export function ObjectTable(props: ObjectTableProps) {
  const { vault, objects, selected, onChoose, onOpen, actionsOf } = props
  const rows: ObjectEntry[] = [...objects.folders.map((folder) => ({ folder })), ...objects.files]
  return (
    <Table<ObjectEntry>
      label="Objects"
      rows={rows}
      rowKey={entryKey}
      rowHref={(entry) => ('folder' in entry ? vaultHref(vault, entry.folder) : null)}
      columns={[
        {
          label: 'Name',
          phone: 'title',
          cell: (entry) => {
            const isFolder = 'folder' in entry
            const name = baseName(entryPath(entry))
            const Icon = isFolder ? IconFolder : IconFile
            return (
              <>
                <Checkbox
                  size="xs"
                  data-keep
                  aria-label={`Select ${name}`}
                  checked={selected.has(entryKey(entry))}
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
          cell: (entry) => ('folder' in entry ? '-' : formatSize(entry.size)),
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
            <ActionMenu
              label={`Actions for ${baseName(entryPath(entry))}`}
              actions={actionsOf(entry)}
            />
          ),
        },
      ]}
    />
  )
}
