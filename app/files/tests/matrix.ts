import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /file-manager', 'page', '302 200 200 302 302'],
  ['GET /file-manager/file', 'call', '401 422 422 401 401'],
  ['POST /file-manager/update-file', 'call', '401 422 422 401 401'],
  ['POST /file-manager/store', 'call', '401 422 422 401 401'],
  ['POST /file-manager/delete', 'call', '401 422 422 401 401'],
  ['POST /file-manager/rename', 'call', '401 422 422 401 401'],
  ['POST /file-manager/upload-file', 'call', '401 409 409 401 401'],
  ['POST /file-manager/unzip-file', 'call', '401 422 422 401 401'],
  ['POST /file-manager/fix-ownership', 'call', '401 409 409 401 401'],
  ['GET /file-manager/download-file', 'call', '401 422 422 401 401'],
  ['GET /admin/file-manager', 'page', '302 302 302 200 200'],
  ['GET /admin/file-manager/file', 'call', '401 401 401 422 422'],
  ['POST /admin/file-manager/update-file', 'call', '401 401 401 403 422'],
  ['POST /admin/file-manager/store', 'call', '401 401 401 403 422'],
  ['POST /admin/file-manager/delete', 'call', '401 401 401 403 422'],
  ['POST /admin/file-manager/rename', 'call', '401 401 401 403 422'],
  ['POST /admin/file-manager/upload-file', 'call', '401 401 401 403 409'],
  ['POST /admin/file-manager/unzip-file', 'call', '401 401 401 403 422'],
  ['POST /admin/file-manager/fix-ownership', 'call', '401 401 401 403 409'],
  ['GET /admin/file-manager/download-file', 'call', '401 401 401 422 422'],
]

export default rows
