import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { freshTrx, makeExternalBill } from '#billing/tests/fixtures'
import type { MatrixRow } from '#tests/support/access_matrix'

const page = async () => ({ params: { id: (await makeExternalBill()).id } })

/** Creates a bill whose payment is pending approval. */
const claimed = async () => {
  const { id } = await makeExternalBill()
  const parts = [{ trxId: freshTrx(), taka: null }]
  await reportBillPayment({ id }, { accountNumber: '017', reference: null, parts }, { actor: null })
  return { body: { id } }
}

const rows: MatrixRow[] = [
  ['GET /admin/autocourier-billing/list', 'page', '302 302 302 200 200'],
  ['GET /admin/autocourier-billing/details/:id', 'page', '302 302 302 200 200', page],
  [
    'POST /admin/autocourier-billing/approve',
    'call',
    '401 401 401 403 200',
    claimed,
    'new resource',
  ],
  [
    'POST /admin/autocourier-billing/reject',
    'call',
    '401 401 401 403 200',
    claimed,
    'new resource',
  ],
  ['POST /autocourier/bill', 'call', '401 401 401 401 401 401 401'],
  ['POST /autocourier/payment', 'call', '401 401 401 401 401 401 401'],
  ['GET /admin/autocourier-billing/events', 'page', '302 302 302 200 200'],
  ['POST /admin/autocourier-billing/events/send-again', 'call', '401 401 401 403 422'],
  ['POST /admin/autocourier-billing/events/secret', 'call', '401 401 401 403 200'],
  ['POST /admin/autocourier-billing/events/address', 'call', '401 401 401 403 422'],
]

export default rows
