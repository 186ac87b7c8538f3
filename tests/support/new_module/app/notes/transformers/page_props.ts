declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/note/list': ListPage<NoteRow>
  }
}

/** A row of the list of notes. */
export interface NoteRow {
  id: number
  text: string
}
