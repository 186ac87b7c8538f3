declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/note/list': ListPage<NoteRow>
  }
}

export interface NoteRow {
  id: number
  text: string
}
