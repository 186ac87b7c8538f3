declare module '#core/page_props' {
  interface Pages {
    'customer/note/list': ListPage<NoteRow>
  }
}

/** A line of the list. */
export interface NoteRow {
  id: number
  text: string
}
