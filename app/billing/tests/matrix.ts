import { reportBillPayment } from '#billing/actions/report_bill_payment'
import BillingRun from '#billing/models/billing_run'
import { freshTrx, makeBill, makeStatement } from '#billing/tests/fixtures'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

const parts = () => [{ trxId: freshTrx(), taka: null }]
const claimed = () => ({ accountNumber: '017', reference: null, parts: parts() })

const page = async ({ customer }: MatrixPeople) => ({
  params: { id: (await makeBill(customer)).id },
})

const invoice = async ({ customer }: MatrixPeople) => ({
  params: { id: (await makeBill(customer)).id, document: 'invoice.pdf' },
})

const statementPage = async () => ({ params: { id: await makeStatement([]) } })
const statement = async () => ({ body: { id: await makeStatement([]) } })

const alert = () => ({ body: { amount: '5000' } })

/** Returns a request for a bill whose payment is pending approval. */
const decided =
  (body: object = {}) =>
  async ({ customer }: MatrixPeople) => {
    const { id } = await makeBill(customer)
    await reportBillPayment({ id }, claimed(), { actor: null })
    return { body: { id, ...body } }
  }

const noRun = async () => {
  await BillingRun.query().where('status', 'running').update({ status: 'failed' })
  return {}
}

const refunded = ({ customer }: MatrixPeople) => ({
  body: { account_id: customer.id, amount: '5', trx_id: freshTrx() },
})

const open =
  (body: object) =>
  async ({ customer }: MatrixPeople) => ({ body: { id: (await makeBill(customer)).id, ...body } })

const pay = async (cast: MatrixPeople) => ({
  body: { id: (await makeBill(cast.customer)).id, account_number: '01711', trx_id: freshTrx() },
})

const rows: MatrixRow[] = [
  ['GET /billing', 'page', '302 200 200 302 302 200 200'],
  ['GET /billing/:id', 'page', '302 200 404 302 302 200 200', page],
  ['POST /billing/pay', 'call', '401 200 404 401 401 403 200', pay, 'new resource'],
  ['GET /billing/:id/:document', 'page', '302 200 404 302 302 200 200', invoice],
  ['POST /billing/alert', 'call', '401 200 200 401 401 403 200', alert, 'new resource'],
  ['GET /admin/billing/list', 'page', '302 302 302 200 200'],
  ['GET /admin/billing/details/:id', 'page', '302 302 302 200 200', page],
  ['GET /admin/billing/details/:id/:document', 'page', '302 302 302 200 200', invoice],
  ['GET /admin/billing/overview', 'page', '302 302 302 200 200'],
  ['GET /admin/billing/run', 'page', '302 302 302 200 200'],
  ['POST /admin/billing/run', 'call', '401 401 401 403 202', noRun, 'new resource'],
  ['GET /admin/billing/statements', 'page', '302 302 302 200 200'],
  ['GET /admin/billing/statements/:id', 'page', '302 302 302 200 200', statementPage],
  ['POST /admin/billing/statements/store', 'call', '401 401 401 403 422'],
  ['POST /admin/billing/statements/columns', 'call', '401 401 401 403 422', statement],
  ['POST /admin/billing/statements/match', 'call', '401 401 401 403 422', statement],
  [
    'POST /admin/billing/statements/approve',
    'call',
    '401 401 401 403 202',
    statement,
    'new resource',
  ],
  [
    'POST /admin/billing/statements/delete',
    'call',
    '401 401 401 403 200',
    statement,
    'new resource',
  ],
  ['POST /admin/billing/refund', 'call', '401 401 401 403 422', refunded],
  ['POST /admin/billing/approve', 'call', '401 401 401 403 200', decided(), 'new resource'],
  [
    'POST /admin/billing/reject',
    'call',
    '401 401 401 403 200',
    decided({ note: 'No' }),
    'new resource',
  ],
  [
    'POST /admin/billing/send-email',
    'call',
    '401 401 401 403 200',
    open({ mail_type: 'created' }),
    'new resource',
  ],
  ['POST /admin/billing/payment', 'call', '401 401 401 403 422', open({ method: 'cash' })],
  [
    'POST /admin/billing/credit',
    'call',
    '401 401 401 403 201',
    open({ note: 'No' }),
    'new resource',
  ],
  [
    'POST /admin/billing/write-off',
    'call',
    '401 401 401 403 200',
    open({ note: 'No' }),
    'new resource',
  ],
  ['GET /admin/billing/settings', 'page', '302 302 302 200 200'],
  ['POST /admin/billing/settings/regional/update', 'call', '401 401 401 403 422'],
  ['POST /admin/billing/settings/rate/store', 'call', '401 401 401 403 422'],
  ['POST /admin/billing/settings/update', 'call', '401 401 401 403 422'],
]

export default rows
