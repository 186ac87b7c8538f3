import { reportBillPayment } from '#billing/actions/report_bill_payment'
import type Bill from '#billing/models/bill'
import { freshTrx } from '#billing/tests/fixtures'
import type { Locator } from 'playwright-core'

export const PAYER_NUMBER = '01711000000'

/** Reports a payment for the bill, as a customer does. Returns the refreshed bill. */
export async function claimed(bill: Bill): Promise<Bill> {
  const parts = [{ trxId: freshTrx(), taka: null }]
  await reportBillPayment(
    bill,
    { accountNumber: PAYER_NUMBER, reference: 'harbour', parts },
    { actor: null }
  )
  return bill.refresh()
}

/** Returns the colour in which a browser draws the badge: `green`, `yellow` or an `rgb(…)` value. */
export async function badgeColour(badge: Locator): Promise<string> {
  return badge.first().evaluate((element) => {
    const colourOf = (variable: string) => {
      const probe = document.createElement('i')
      probe.style.color = `var(${variable})`
      element.append(probe)
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color
    }
    const drawn = getComputedStyle(element).color
    if (drawn === colourOf('--b-good')) return 'green'
    return drawn === colourOf('--b-wait') ? 'yellow' : drawn
  })
}
