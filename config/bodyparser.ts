import { defineConfig } from '@adonisjs/core/bodyparser'

/** Routes whose controllers stream the uploaded files themselves. */
export const uploads = [
  '/file-manager/upload-file',
  '/admin/file-manager/upload-file',
  '/file-manager/upload-files',
  '/admin/file-manager/upload-files',
  '/file-manager/upload-part',
  '/admin/file-manager/upload-part',
  '/database/mysql/import',
  '/database/mongodb/import',
  '/chat-file/upload',
  '/admin/chat-file/upload',
  '/admin/billing/statements/store',
]

const BYTES_PER_KIB = 1024
const BYTES_PER_MIB = 1024 * BYTES_PER_KIB

/** Maximum size of a request body after decompression, for routes that are not listed below. */
const MAX_BODY_BYTES = 64 * BYTES_PER_KIB

/** Limits by route pattern. Each fits the largest input that the route's validator accepts, encoded as JSON. */
const MAX_BODY_BYTES_BY_ROUTE: Record<string, number> = {
  // A text of 2 MB, which JSON escapes make larger.
  '/file-manager/update-file': 6 * BYTES_PER_MIB,
  '/admin/file-manager/update-file': 6 * BYTES_PER_MIB,
  '/git/solve-conflict': 6 * BYTES_PER_MIB,
  // 500 paths of at most 4,096 bytes.
  '/file-manager/copy': 4 * BYTES_PER_MIB,
  '/file-manager/move': 4 * BYTES_PER_MIB,
  '/file-manager/delete-many': 4 * BYTES_PER_MIB,
  '/file-manager/mode': 4 * BYTES_PER_MIB,
  '/file-manager/unzip-file': 4 * BYTES_PER_MIB,
  '/admin/file-manager/copy': 4 * BYTES_PER_MIB,
  '/admin/file-manager/move': 4 * BYTES_PER_MIB,
  '/admin/file-manager/delete-many': 4 * BYTES_PER_MIB,
  '/admin/file-manager/mode': 4 * BYTES_PER_MIB,
  '/admin/file-manager/unzip-file': 4 * BYTES_PER_MIB,
  // 1,000 objects and 100 folders of at most 1,024 characters.
  '/vault/object/delete-many': 4 * BYTES_PER_MIB,
  // A query of 200,000 characters. URL-encoded, one character can take nine bytes.
  '/database/mysql/:id/query': 2 * BYTES_PER_MIB,
  '/database/mysql/:id/query/csv': 2 * BYTES_PER_MIB,
  '/database/mongodb/:id/query': 2 * BYTES_PER_MIB,
  '/database/mongodb/:id/query/csv': 2 * BYTES_PER_MIB,
  // A pasted .env file may have 128 KB.
  '/project/pm2/environment': 512 * BYTES_PER_KIB,
  '/admin/project/pm2/environment': 512 * BYTES_PER_KIB,
  // 20 CORS rules with their origins and headers.
  '/vault/update': 512 * BYTES_PER_KIB,
  // A logo of 64 KB in base64. A larger picture within this limit gets a validation error at its form field.
  '/admin/settings/mail/update': BYTES_PER_MIB,
  // A text of 10,000 characters.
  '/live-support/send-message': 128 * BYTES_PER_KIB,
  '/admin/live-support/send-message': 128 * BYTES_PER_KIB,
  '/admin/live-support/reply/store': 128 * BYTES_PER_KIB,
}

/**
 * Maximum number of values in a JSON document. The largest input that we accept has about 2,600 (CORS rules).
 */
export const MAX_VALUES = 5_000
const MAX_FORM_FIELDS = 1_000

const FORM_LIMITS = {
  parameterLimit: MAX_FORM_FIELDS,
  arrayLimit: MAX_FORM_FIELDS,
  // Without these two options, fields above a limit are dropped silently.
  throwOnLimitExceeded: true,
  strictDepth: true,
}

/** Maximum nesting of arrays and objects in a body. No form of ours has more than four levels. */
export const MAX_JSON_DEPTH = 20

export function bodyLimit(pattern: string | undefined): number {
  return (
    (pattern &&
      Object.hasOwn(MAX_BODY_BYTES_BY_ROUTE, pattern) &&
      MAX_BODY_BYTES_BY_ROUTE[pattern]) ||
    MAX_BODY_BYTES
  )
}

/** Routes with a limit of their own. A test compares them with the router. */
export const largeBodyRoutes = Object.keys(MAX_BODY_BYTES_BY_ROUTE)

export function parserConfig(limit: number) {
  return defineConfig({
    allowedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
    form: {
      limit,
      convertEmptyStringsToNull: true,
      types: ['application/x-www-form-urlencoded'],
      queryString: FORM_LIMITS,
    },
    // Parses no JSON here. app/core/middleware/body_middleware.ts does, after counting the values.
    json: { types: [] },
    raw: { limit, types: ['application/json'] },
    multipart: {
      // Stores no uploaded file on our disk. app/core/middleware/reject_invalid_input_middleware.ts reads the form
      // fields.
      autoProcess: false,
      convertEmptyStringsToNull: true,
      limit,
      fieldsLimit: limit,
      maxFields: MAX_FORM_FIELDS,
      types: ['multipart/form-data'],
    },
  })
}

export default parserConfig(MAX_BODY_BYTES)
