import { findTransactionId, toPlainText, withoutThousandsSeparators } from '#billing/pasted_text'
import { billReductionValidator, paymentClaimValidator } from '#billing/validators/bills'
import { test } from '@japa/runner'

/**
 * Pasted texts and the transaction ID in each. `null`: no single ID is found, so the form asks
 * again.
 */
const PASTED_IDS: [string, string | null][] = [
  ['8N7A2B3C4D', '8N7A2B3C4D'],
  ['8n7a2b3c4d', '8N7A2B3C4D'],
  [' 8N7A 2B3C 4D ', '8N7A2B3C4D'],
  ['8N7A-2B3C', '8N7A-2B3C'],
  ['“8N7A2B3C4D”.', '8N7A2B3C4D'],
  ['\u200e8N7A\u200b2B3C4D\u00a0', '8N7A2B3C4D'],
  ['৮N৭A২B৩C৪D', '8N7A2B3C4D'],
  ['٧١٢٣٤٥٦٧', '71234567'],
  ['Your TrxID is 8N7A2B3C4D', '8N7A2B3C4D'],
  ['TrxID: 8N7A2B3C4D', '8N7A2B3C4D'],
  ['TxnID:71AB2CD3', '71AB2CD3'],
  ['Transaction ID 8N7A2B3C4D', '8N7A2B3C4D'],
  ['Transaction no. 1234567890', '1234567890'],
  ['লেনদেন আইডি: 8N7A2B3C4D', '8N7A2B3C4D'],
  ['my id is 8N7A2B3C4D, thanks', '8N7A2B3C4D'],
  [
    'Payment Tk 1,222.16 to 01800000000 successful. Ref 1. Fee Tk 0.00. Balance Tk 5,010.20. TrxID 8N7A2B3C4D at 27/11/2026 10:20',
    '8N7A2B3C4D',
  ],
  ['You have sent Tk 500.00.\nTxn ID: 71AB2CD3\nTrxID 71AB2CD3\nBalance: Tk 20.00', '71AB2CD3'],
  ['TrxID 8N7A2B3C4D and TrxID 9N7A2B3C4D', null],
  ['I have paid this morning', null],
  ['paid by me', null],
  ['01711234567 sent 1500.50', null],
  ['8.80171E+12', null],
  ['8N7', null],
  ['?', null],
  ['', null],
]

test.group('Pasted texts about payments', () => {
  test('yield a transaction ID only if they contain exactly one', ({ assert }) => {
    for (const [text, id] of PASTED_IDS) {
      assert.equal(findTransactionId(text), id, `“${text}”`)
      if (id) assert.equal(findTransactionId(id), id, 'a found ID is found again')
    }
  })

  test('can have amounts with thousands separators, and removing those never changes the value', ({
    assert,
  }) => {
    const amounts = [
      '1,500.00',
      '1,22,500',
      '১,৫০০.৫০',
      '1500',
      '1.500,00',
      '15,00',
      '1,5000',
      '15²',
    ]
    assert.deepEqual(
      amounts.map((text) => withoutThousandsSeparators(toPlainText(text))),
      ['1500.00', '122500', '1500.50', '1500', '1.500,00', '15,00', '1,5000', '15²']
    )
  })

  test('are accepted by forms in the same formats', async ({ assert }) => {
    const claim = (trxId: string, amount?: string) =>
      paymentClaimValidator.validate({ account_number: '০১৭১১-২৩৪৫৬৭', trx_id: trxId, amount })
    const accepted = await claim('Your TrxID is 8n7a2b3c4d', 'Tk. 1,500/-')
    assert.deepInclude(accepted, { trx_id: '8N7A2B3C4D', amount: '1500' })
    assert.equal(accepted.account_number, '01711-234567')
    for (const [text, written] of [
      ['৳ 1,500.50', '1500.5'],
      ['2,000/=', '2000'],
      ['১৫০০', '1500'],
    ]) {
      assert.equal((await claim('8N7A2B3C4D', text)).amount, written)
    }
    for (const amount of ['-500', '1.500,50', '500 Dr', '1e3', '15,00', '0x10']) {
      await assert.rejects(() => claim('8N7A2B3C4D', amount))
    }
    for (const id of ['I have paid this morning', 'TrxID 8N7A2B3C4D and TrxID 9N7A2B3C4D']) {
      await assert.rejects(() => claim(id))
    }
    const reduction = await billReductionValidator.validate({ amount: '1,250.5', note: 'Outage' })
    assert.equal(reduction.amount, '1250.5')
  })
})
