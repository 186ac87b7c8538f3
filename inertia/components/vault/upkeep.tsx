import { Button } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { DisabledReason } from '@ui/disabled_reason'
import { counted } from '~/components/counted'
import { sizeText } from '~/components/file_manager/sizes'
import { Table } from '~/components/list/table'
import { useCall } from '~/components/use_call'
import type { DamageRow, UploadRow } from './types'
import { useRead } from './use_read'
import styles from './vault.module.css'

interface UpkeepProps {
  vault: number
  barred: string | null
}

/** Uploads in parts that were never ended, and objects whose bytes are damaged. */
export function Upkeep({ vault, barred }: UpkeepProps) {
  const { data, problem, again } = useRead<{ uploads: UploadRow[]; damaged: DamageRow[] }>(
    `/vault/${vault}/upkeep`
  )
  const { busy, run } = useCall()
  const abort = async ({ id }: UploadRow) => {
    await run('/vault/upload/abort', { id: vault, upload_id: id })
    again()
  }

  return (
    <>
      <section className={styles.part} aria-label="Unfinished uploads">
        <header className={styles.head}>
          <h2>Unfinished uploads</h2>
          <Button size="compact-sm" variant="subtle" onClick={again}>
            Refresh
          </Button>
        </header>
        {problem && <p className={styles.calm}>{problem}</p>}
        {data?.uploads.length === 0 && (
          <p className={styles.calm}>None. Unfinished multipart uploads appear here.</p>
        )}
        {data && data.uploads.length > 0 && (
          <Table<UploadRow>
            label="Unfinished uploads"
            rows={data.uploads}
            rowKey={({ id }) => id}
            columns={[
              { label: 'Name', phone: 'title', cell: ({ name }) => name },
              {
                label: 'Stored',
                width: '160px',
                phone: 'second',
                cell: ({ bytes, parts }) => `${sizeText(bytes)} in ${counted(parts, 'part')}`,
              },
              {
                label: 'Started',
                width: '180px',
                phone: 'second',
                cell: ({ started_at: at }) => <DateText value={at} shape="moment" />,
              },
              {
                label: 'Action',
                align: 'right',
                width: '90px',
                phone: 'action',
                cell: (upload) => (
                  <DisabledReason
                    size="compact-sm"
                    variant="default"
                    reason={barred}
                    loading={busy !== null}
                    aria-label={`Delete ${upload.name}`}
                    onClick={() => void abort(upload)}
                  >
                    Delete
                  </DisabledReason>
                ),
              },
            ]}
          />
        )}
      </section>
      <section className={styles.part} aria-label="Damaged objects">
        <header className={styles.head}>
          <h2>Damaged objects</h2>
        </header>
        {data?.damaged.length === 0 && (
          <p className={styles.calm}>None. Files are verified regularly.</p>
        )}
        {data && data.damaged.length > 0 && (
          <Table<DamageRow>
            label="Damaged objects"
            rows={data.damaged}
            rowKey={({ name }) => name}
            columns={[
              { label: 'Name', phone: 'title', cell: ({ name }) => name },
              { label: 'Problem', width: '160px', phone: 'aside', cell: ({ kind }) => kind },
              {
                label: 'Found',
                width: '180px',
                phone: 'second',
                cell: ({ found_at: at }) => <DateText value={at} shape="moment" />,
              },
            ]}
          />
        )}
      </section>
    </>
  )
}
