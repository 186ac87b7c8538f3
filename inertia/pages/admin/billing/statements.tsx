import { useState, type DragEvent } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Stack } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { UploadStatementDialog } from '~/components/billing/upload_statement_dialog'
import { UnmatchedPayments } from '~/components/billing/unmatched_payments'
import type { StatementRow, StatementsPage } from '~/components/billing/types'
import { rowLinkColumn } from '~/components/list/columns'
import { List } from '~/components/list/list'
import { TwoLineCell } from '~/components/list/two_line_cell'
import type { SharedProps } from '~/types'
import styles from '~/components/billing/statements.module.css'

export default function OperatorStatements(page: StatementsPage) {
  const { statements, operators, missing, missingCount } = page
  const { unavailable } = usePage<SharedProps>().props
  const barred = unavailable?.['bills.decide'] ?? null
  const [opened, open] = useState(false)
  const [file, setFile] = useState<File | null>(null)
  const [over, setOver] = useState(false)
  const add = (dropped: File | null) => {
    setFile(dropped)
    open(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!barred) add(event.dataTransfer.files.item(0))
  }
  const button = (
    <ButtonWithDisabledReason reason={barred} onClick={() => add(null)}>
      Add statement
    </ButtonWithDisabledReason>
  )

  return (
    <div
      className={styles.page}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(!barred)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
    >
      <Head title="Statements" />
      <PageHeader
        title="Statements"
        hint="Drop a statement (list of transfers) from your mobile money operator on this page. Berth compares it with the payments that customers reported. You can then approve all exact matches at once."
        action={button}
      />
      <Stack gap="xl">
        <List<StatementRow>
          path="/admin/billing/statements"
          name="statement"
          answer={{ ...page, rows: statements, statuses: {} }}
          props={['statements', 'operators', 'missing', 'missingCount']}
          live={['statement', 'bill']}
          label="Statements"
          all="All"
          searchLabel="Search by operator or file"
          rowKey={({ id }) => id}
          rowHref={({ id }) => `/admin/billing/statements/${id}`}
          empty={{
            title: 'No statements yet',
            hint: 'Download a statement as CSV or XLSX from the operator’s portal, then add it here.',
            action: button,
          }}
          columns={[
            {
              label: 'Operator',
              sort: 'operator',
              phone: 'title',
              cell: ({ operator, filename }) => (
                <TwoLineCell second={filename}>{operator}</TwoLineCell>
              ),
            },
            {
              label: 'Lines',
              sort: 'lines',
              align: 'right',
              mono: true,
              width: '110px',
              phone: 'aside',
              cell: ({ lines }) => lines,
            },
            {
              label: 'Status',
              width: '190px',
              phone: 'second',
              cell: ({ is_read: isRead }) =>
                isRead ? (
                  <StatusBadge status="read" label="Read" tone="good" />
                ) : (
                  <StatusBadge status="columns" label="Columns not chosen" tone="wait" />
                ),
            },
            { label: 'Uploaded by', width: '160px', cell: ({ by }) => by ?? '-' },
            {
              label: 'Uploaded',
              sort: 'at',
              width: '150px',
              phone: 'second',
              cell: ({ created_at: at }) => <DateText value={at} />,
            },
            rowLinkColumn({
              label: 'Details',
              href: ({ id }) => `/admin/billing/statements/${id}` as const,
              nameOf: ({ filename }) => filename,
            }),
          ]}
        />
        <UnmatchedPayments rows={missing} count={missingCount} />
      </Stack>
      <UploadStatementDialog
        opened={opened}
        file={file}
        operators={operators}
        onFile={setFile}
        onClose={() => open(false)}
      />
    </div>
  )
}
