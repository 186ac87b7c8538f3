import { ContentSection } from '~/components/content_section'
import { formatSize } from '~/components/file_manager/format_size'
import { Table } from '~/components/list/table'
import styles from '~/components/vault/vault.module.css'
import type { TableSizesPage } from './types'

export function TableSizesByService({ page }: { page: TableSizesPage }) {
  return page.services.map(({ label, tables }) => (
    <ContentSection
      key={label}
      title={label}
      action={
        tables && <span>{formatSize(tables.reduce((sum, { bytes }) => sum + bytes, 0))}</span>
      }
    >
      {tables ? (
        <Table
          label={`Tables of ${label}`}
          rows={tables}
          rowKey={({ name }) => name}
          columns={[
            { label: 'Table', phone: 'title', cell: ({ name }) => name },
            {
              label: 'Size',
              width: '120px',
              align: 'right',
              mono: true,
              phone: 'aside',
              cell: ({ bytes }) => formatSize(bytes),
            },
            {
              label: 'Rows (estimate)',
              width: '140px',
              align: 'right',
              mono: true,
              phone: 'action',
              phoneLabel: true,
              cell: ({ rows }) => rows?.toLocaleString('en-US') ?? '-',
            },
            { label: 'Retention', phone: 'second', cell: ({ kept }) => kept ?? 'Until deleted' },
          ]}
        />
      ) : (
        <p className={styles.calm}>This service does not respond.</p>
      )}
    </ContentSection>
  ))
}
