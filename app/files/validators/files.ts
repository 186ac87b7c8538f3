import { MAX_FILES_PER_CALL } from '#files/errors'
import { withMessages } from '#core/validation_messages'
import { ENCODINGS } from '#files/encodings'
import vine from '@vinejs/vine'

/** Paths and names keep what they are: nothing is trimmed. `cleanPath` judges them. */
const text = () => vine.string()

export const updateFile = withMessages(
  vine.create({
    path: text(),
    content: text(),
    version: text().optional(),
    encoding: vine.enum(ENCODINGS).optional(),
  })
)

export const storeEntry = withMessages(
  vine.create({
    path: text().optional(),
    name: text(),
    type: vine.enum(['folder', 'file']),
  })
)

export const deleteEntry = withMessages(
  vine.create({
    type: vine.enum(['file', 'folder']),
    path: text(),
  })
)

export const renameEntry = withMessages(vine.create({ oldPath: text(), newPath: text() }), {
  oldPath: 'old path',
  newPath: 'new path',
})

export const unzip = withMessages(
  vine.create({
    file_path: text(),
    destination_path: text().optional(),
  })
)

const paths = () => vine.array(text()).minLength(1).maxLength(MAX_FILES_PER_CALL)

export const placeMany = withMessages(vine.create({ paths: paths(), folder: text() }))

export const deleteMany = withMessages(vine.create({ paths: paths() }))

export const changeMode = withMessages(
  vine.create({
    paths: paths(),
    mode: text().regex(/^[0-7]{3,4}$/),
    recursive: vine.boolean().optional(),
  }),
  { 'mode.regex': 'Enter three digits from 0 to 7, such as 644.' }
)
