import query from '#databases/tests/matrix_query'
import servers from '#databases/tests/matrix_servers'
import transfer from '#databases/tests/matrix_transfer'
import type { Row } from '#tests/support/matrix'

const rows: Row[] = [...servers, ...query, ...transfer]

export default rows
