import { Button } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { ContentSection } from '~/components/content_section'
import { countWithNoun } from '../../../packages/text/count_with_noun'
import { formatSize } from '~/components/file_manager/format_size'
import { Table } from '~/components/list/table'
import { useApiCall } from '~/components/use_api_call'
import type { DamagedObjectRow, UnfinishedUploadRow } from './types'
import { useFetch } from '../use_fetch'
import styles from './vault.module.css'

interface VaultMaintenanceProps {
  vault: number
  barred: string | null
}

export function VaultMaintenance({ vault, barred }: VaultMaintenanceProps) {
  const { data, problem, again } = useFetch<{
    uploads: UnfinishedUploadRow[]
    damaged: DamagedObjectRow[]
  }>(`/vault/${vault}/upkeep`)
  const { busy, run } = useApiCall()
  const abort = async ({ id }: UnfinishedUploadRow) => {
    await run('/vault/upload/abort', { id: vault, upload_id: id })
    again()
  }

  return (
    <>
      <ContentSection
        title="Unfinished uploads"
        action={
          <Button size="compact-sm" variant="subtle" onClick={again}>
            Refresh
          </Button>
        }
      >
        {problem && <p className={styles.calm}>{problem}</p>}
        {data?.uploads.length === 0 && (
          <p className={styles.calm}>None. Unfinished multipart uploads appear here.</p>
        )}
        {data && data.uploads.length > 0 && (
          <Table<UnfinishedUploadRow>
            label="Unfinished uploads"
            rows={data.uploads}
            rowKey={({ id }) => id}
            columns={[
              { label: 'Name', phone: 'title', cell: ({ name }) => name },
              {
                label: 'Stored',
                width: '160px',
                phone: 'second',
                cell: ({ bytes, parts }) =>
                  `${formatSize(bytes)} in ${countWithNoun(parts, 'part')}`,
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
                  <ButtonWithDisabledReason
                    size="compact-sm"
                    variant="default"
                    reason={barred}
                    loading={busy !== null}
                    aria-label={`Delete ${upload.name}`}
                    onClick={() => void abort(upload)}
                  >
                    Delete
                  </ButtonWithDisabledReason>
                ),
              },
            ]}
          />
        )}
      </ContentSection>
      <ContentSection title="Damaged objects">
        {data?.damaged.length === 0 && (
          <p className={styles.calm}>None. Files are verified regularly.</p>
        )}
        {data && data.damaged.length > 0 && (
          <Table<DamagedObjectRow>
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
      </ContentSection>
    </>
  )
}
