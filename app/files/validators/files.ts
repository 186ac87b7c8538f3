import { inOurWords } from '#core/form_words'
import vine from '@vinejs/vine'

/** Paths and names keep what they are: nothing is trimmed. `cleanPath` judges them. */
const text = () => vine.string()

export const updateFile = inOurWords(
  vine.create({
    path: text(),
    content: text(),
    version: text().optional(),
  })
)

export const storeEntry = inOurWords(
  vine.create({
    path: text().optional(),
    name: text(),
    type: vine.enum(['folder', 'file']),
  })
)

export const deleteEntry = inOurWords(
  vine.create({
    type: vine.enum(['file', 'folder']),
    path: text(),
  })
)

export const renameEntry = inOurWords(vine.create({ oldPath: text(), newPath: text() }), {
  oldPath: 'old path',
  newPath: 'new path',
})

export const unzip = inOurWords(
  vine.create({
    file_path: text(),
    destination_path: text().optional(),
  })
)
