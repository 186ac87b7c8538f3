import { Head } from '@inertiajs/react'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import type { ListAnswer } from '~/types'
import { PageHeader } from '@ui/page_header'

interface NoteRow {
  id: number
  text: string
}

const columns: Column<NoteRow>[] = [{ label: 'Note', cell: (row) => row.text, phone: 'title' }]

/** What a customer wants to remember. */
export default function NoteList(answer: ListAnswer<NoteRow>) {
  return (
    <>
      <Head title="Notes" />
      <PageHeader title="Notes" />
      <List
        path="/note/list"
        storageKey="note-pagination"
        answer={answer}
        label="Notes"
        all="All Notes"
        searchLabel="Search notes"
        columns={columns}
        rowKey={(row) => row.id}
        empty={{ title: 'No notes yet' }}
      />
    </>
  )
}
