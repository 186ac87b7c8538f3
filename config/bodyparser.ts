import { defineConfig } from '@adonisjs/core/bodyparser'

/** Routes that read the files of a form themselves, as they come in. */
export const uploads = [
  '/file-manager/upload-file',
  '/admin/file-manager/upload-file',
  '/file-manager/upload-files',
  '/admin/file-manager/upload-files',
  '/database/mysql/import',
  '/database/mongodb/import',
  '/chat-file/upload',
  '/admin/chat-file/upload',
  '/admin/billing/statements/store',
]

export default defineConfig({
  allowedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  form: {
    convertEmptyStringsToNull: true,
    types: ['application/x-www-form-urlencoded'],
  },
  json: {
    limit: '6mb',
    // File names and texts are what they are, to the last space.
    trimWhitespaces: false,
    convertEmptyStringsToNull: false,
    types: ['application/json'],
  },
  multipart: {
    // Fields are read by app/core/middleware/input_middleware.ts; no file is kept on our disk.
    autoProcess: false,
    convertEmptyStringsToNull: true,
    limit: '20mb',
    types: ['multipart/form-data'],
  },
})
