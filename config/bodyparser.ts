import { defineConfig } from '@adonisjs/core/bodyparser'

/** Patterns of routes whose controllers stream the uploaded files themselves. */
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

/** Maximum size of a request body after decompression, for all routes without an entry below. */
const MAX_BODY_BYTES = 64 * BYTES_PER_KIB

/**
 * Maximum size of a request body by route pattern. It allows the largest input that the route's validator accepts,
 * encoded as JSON.
 */
const MAX_BODY_BYTES_BY_ROUTE: Record<string, number> = {
  // A file of 2 MB as text, which JSON escapes make larger.
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
  // A query of 200,000 characters. In a URL-encoded form, one character can take nine bytes.
  '/database/mysql/:id/query': 2 * BYTES_PER_MIB,
  '/database/mysql/:id/query/csv': 2 * BYTES_PER_MIB,
  '/database/mongodb/:id/query': 2 * BYTES_PER_MIB,
  '/database/mongodb/:id/query/csv': 2 * BYTES_PER_MIB,
  // The text of a .env file, which may have 128 KB.
  '/project/pm2/environment': 512 * BYTES_PER_KIB,
  '/admin/project/pm2/environment': 512 * BYTES_PER_KIB,
  // 20 CORS rules with their origins and headers.
  '/vault/update': 512 * BYTES_PER_KIB,
  // A logo of 64 KB in base64. If a picture is larger but within this limit, the form shows a validation error at its
  // field.
  '/admin/settings/mail/update': BYTES_PER_MIB,
  // A text of 10,000 characters.
  '/live-support/send-message': 128 * BYTES_PER_KIB,
  '/admin/live-support/send-message': 128 * BYTES_PER_KIB,
  '/admin/live-support/reply/store': 128 * BYTES_PER_KIB,
}

/** Maximum number of values in a JSON document. The largest input that a route accepts has about 2,600 (CORS rules). */
export const MAX_VALUES = 5_000
const MAX_FORM_FIELDS = 1_000

const FORM_LIMITS = {
  parameterLimit: MAX_FORM_FIELDS,
  arrayLimit: MAX_FORM_FIELDS,
  // Without these two options, form fields above a limit would be dropped without an error.
  throwOnLimitExceeded: true,
  strictDepth: true,
}

/** Maximum nesting of arrays and objects in a request body. No form of Berth has more than four levels. */
export const MAX_JSON_DEPTH = 20

export function bodyLimit(pattern: string | undefined): number {
  return (
    (pattern &&
      Object.hasOwn(MAX_BODY_BYTES_BY_ROUTE, pattern) &&
      MAX_BODY_BYTES_BY_ROUTE[pattern]) ||
    MAX_BODY_BYTES
  )
}

/** Routes with a separate limit. A test compares them with the router. */
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
    // This parser parses no JSON. app/core/middleware/body_middleware.ts does it, after it has counted the values.
    json: { types: [] },
    raw: { limit, types: ['application/json'] },
    multipart: {
      // This parser stores no uploaded file on the disk. app/core/middleware/reject_invalid_input_middleware.ts reads
      // the form fields.
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
