import vine from '@vinejs/vine'

/** Paths and names keep what they are: nothing is trimmed. `cleanPath` judges them. */
const text = () => vine.string()

export const updateFile = vine.create({
  path: text(),
  content: text(),
  version: text().optional(),
})

export const storeEntry = vine.create({
  path: text().optional(),
  name: text(),
  type: vine.enum(['folder', 'file']),
})

export const deleteEntry = vine.create({
  type: vine.enum(['file', 'folder']),
  path: text(),
})

export const renameEntry = vine.create({ oldPath: text(), newPath: text() })

export const unzip = vine.create({
  file_path: text(),
  destination_path: text().optional(),
})
