import query from '#databases/tests/matrix_query'
import servers from '#databases/tests/matrix_servers'
import transfer from '#databases/tests/matrix_transfer'
import type { MatrixRow } from '#tests/support/access_matrix'

const rows: MatrixRow[] = [...servers, ...query, ...transfer]

export default rows
