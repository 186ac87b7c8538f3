import { MAX_FILES_PER_CALL } from '#files/errors'
import { ARCHIVE_ENCODINGS } from '#files/inspect_zip_before_unpacking'
import { withMessages } from '#core/validation_messages'
import { ENCODINGS } from '#files/encodings'
import vine from '@vinejs/vine'

/**
 * Accepts text without trimming it, because names may begin or end with spaces. `parsePathInWebRoot`
 * validates paths and names.
 */
const text = () => vine.string()

export const updateFileValidator = withMessages(
  vine.create({
    path: text(),
    content: text(),
    version: text().optional(),
    encoding: vine.enum(ENCODINGS).optional(),
  })
)

export const createEntryValidator = withMessages(
  vine.create({
    path: text().optional(),
    name: text(),
    type: vine.enum(['folder', 'file']),
  })
)

export const deleteEntryValidator = withMessages(
  vine.create({
    type: vine.enum(['file', 'folder']),
    path: text(),
  })
)

export const renameEntryValidator = withMessages(
  vine.create({ oldPath: text(), newPath: text() }),
  {
    oldPath: 'old path',
    newPath: 'new path',
  }
)

const sha256 = () => text().regex(/^[0-9a-f]{64}$/)

export const resumableUploadValidator = withMessages(
  vine.create({
    path: text().optional(),
    name: text(),
    size: vine.number().withoutDecimals().positive(),
    modified: vine.number().withoutDecimals(),
    head: sha256(),
    tab: text().regex(/^[0-9a-f]{32}$/),
    overwrite: vine.boolean().optional(),
  }),
  {
    'head.regex': 'Send the head as a SHA-256 of 64 hexadecimal digits.',
    'tab.regex': 'Send the tab as an ID of 32 hexadecimal digits.',
  }
)

/** Byte range of the file. `end` is exclusive. */
export const uploadPartValidator = withMessages(
  vine.create({
    offset: vine.number().withoutDecimals().min(0),
    end: vine.number().withoutDecimals().min(1),
  })
)

export const finishUploadValidator = withMessages(vine.create({ hash: sha256() }), {
  'hash.regex': 'Send the hash as a SHA-256 of 64 hexadecimal digits.',
})

export const unzipValidator = withMessages(
  vine.create({
    file_path: text(),
    destination_path: text().optional(),
    existing: vine.enum(['skip', 'replace']).optional(),
    encoding: vine.enum(ARCHIVE_ENCODINGS).optional(),
    exceptions: vine.array(text()).maxLength(MAX_FILES_PER_CALL).optional(),
  })
)

const paths = () => vine.array(text()).minLength(1).maxLength(MAX_FILES_PER_CALL)

export const copyOrMoveValidator = withMessages(vine.create({ paths: paths(), folder: text() }))

export const deleteEntriesValidator = withMessages(vine.create({ paths: paths() }))

export const changeModeValidator = withMessages(
  vine.create({
    paths: paths(),
    mode: text().regex(/^[0-7]{3,4}$/),
    recursive: vine.boolean().optional(),
  }),
  { 'mode.regex': 'Enter three digits from 0 to 7, such as 644.' }
)
