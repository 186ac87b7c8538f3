import { Head } from '@inertiajs/react'
import type { NoteRow } from '#notes/transformers/page_props'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import type { ListPageProps } from '~/types'
import { PageHeader } from '@ui/page_header'

const columns: Column<NoteRow>[] = [
  { label: 'Note', sort: 'note', cell: (row) => row.text, phone: 'title' },
]

export default function NoteList(answer: ListPageProps<NoteRow>) {
  return (
    <>
      <Head title="Notes" />
      <PageHeader title="Notes" />
      <List
        path="/note/list"
        name="note"
        answer={answer}
        label="Notes"
        all="All Notes"
        searchLabel="Search notes"
        live={['note']}
        columns={columns}
        rowKey={(row) => row.id}
        empty={{ title: 'No notes yet' }}
      />
    </>
  )
}
