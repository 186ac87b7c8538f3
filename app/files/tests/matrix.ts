import { makeInstance } from '#guest/tests/instances'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

/** Returns a function that creates a stopped instance of the customer and returns a request about it. */
const on =
  (body: object = {}, query = '') =>
  async ({ customer }: MatrixPeople) => {
    const { id } = await makeInstance(customer, { status: 'stopped' })
    return { query: `server_instance_id=${id}&${query}`, body }
  }
const named = on({}, 'path=/index.html')
const update = on({ path: '/index.html', content: '' })
const store = on({ path: '/', name: 'new', type: 'file' })
const remove = on({ path: '/index.html', type: 'file' })
const rename = on({ oldPath: '/a', newPath: '/b' })
const place = on({ paths: ['/index.html'], folder: '/sub' })
const removeMany = on({ paths: ['/index.html', '/a'] })
const mode = on({ paths: ['/index.html'], mode: '644' })
const file = `path=/&name=a.zip&size=9&modified=0&head=${'a'.repeat(64)}&tab=${'b'.repeat(32)}`
const large = on({ hash: 'c'.repeat(64) }, `${file}&offset=0&end=9`)
const unzip = on({}, 'file_path=/a.zip')

const rows: MatrixRow[] = [
  ['GET /file-manager', 'page', '302 200 404 302 302', on()],
  ['GET /file-manager/file', 'call', '401 409 404 401 401', named],
  ['POST /file-manager/update-file', 'call', '401 409 404 401 401', update],
  ['POST /file-manager/store', 'call', '401 409 404 401 401', store],
  ['POST /file-manager/delete', 'call', '401 409 404 401 401', remove],
  ['POST /file-manager/rename', 'call', '401 409 404 401 401', rename],
  ['POST /file-manager/copy', 'call', '401 409 404 401 401', place],
  ['POST /file-manager/move', 'call', '401 409 404 401 401', place],
  ['POST /file-manager/delete-many', 'call', '401 409 404 401 401', removeMany],
  ['POST /file-manager/mode', 'call', '401 409 404 401 401', mode],
  ['POST /file-manager/upload-file', 'call', '401 409 404 401 401', on()],
  ['POST /file-manager/upload-files', 'call', '401 409 404 401 401', on()],
  ['POST /file-manager/resume-upload', 'call', '401 409 404 401 401', large],
  ['PATCH /file-manager/upload-part', 'call', '401 409 404 401 401', large],
  ['POST /file-manager/finish-upload', 'call', '401 409 404 401 401', large],
  ['POST /file-manager/discard-upload', 'call', '401 409 404 401 401', large],
  ['POST /file-manager/unzip-file', 'call', '401 409 404 401 401', unzip],
  ['POST /file-manager/fix-ownership', 'call', '401 409 404 401 401', on()],
  ['GET /file-manager/download-file', 'call', '401 409 404 401 401', named],
  ['GET /file-manager/download-folder', 'call', '401 409 404 401 401', named],
  ['GET /admin/file-manager', 'page', '302 302 302 200 200', on()],
  ['GET /admin/file-manager/file', 'call', '401 401 401 409 409', named],
  ['POST /admin/file-manager/update-file', 'call', '401 401 401 403 409', update],
  ['POST /admin/file-manager/store', 'call', '401 401 401 403 409', store],
  ['POST /admin/file-manager/delete', 'call', '401 401 401 403 409', remove],
  ['POST /admin/file-manager/rename', 'call', '401 401 401 403 409', rename],
  ['POST /admin/file-manager/copy', 'call', '401 401 401 403 409', place],
  ['POST /admin/file-manager/move', 'call', '401 401 401 403 409', place],
  ['POST /admin/file-manager/delete-many', 'call', '401 401 401 403 409', removeMany],
  ['POST /admin/file-manager/mode', 'call', '401 401 401 403 409', mode],
  ['POST /admin/file-manager/upload-file', 'call', '401 401 401 403 409', on()],
  ['POST /admin/file-manager/upload-files', 'call', '401 401 401 403 409', on()],
  ['POST /admin/file-manager/resume-upload', 'call', '401 401 401 403 409', large],
  ['PATCH /admin/file-manager/upload-part', 'call', '401 401 401 403 409', large],
  ['POST /admin/file-manager/finish-upload', 'call', '401 401 401 403 409', large],
  ['POST /admin/file-manager/discard-upload', 'call', '401 401 401 403 409', large],
  ['POST /admin/file-manager/unzip-file', 'call', '401 401 401 403 409', unzip],
  ['POST /admin/file-manager/fix-ownership', 'call', '401 401 401 403 409', on()],
  ['GET /admin/file-manager/download-file', 'call', '401 401 401 409 409', named],
  ['GET /admin/file-manager/download-folder', 'call', '401 401 401 409 409', named],
]

export default rows
