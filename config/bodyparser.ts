import { defineConfig } from '@adonisjs/core/bodyparser'

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
    autoProcess: true,
    convertEmptyStringsToNull: true,
    processManually: ['/file-manager/upload-file'],
    limit: '20mb',
    types: ['multipart/form-data'],
  },
})
