import type { Elsewhere } from '../table.js'

const people = 'tests/browser/people.spec.ts'
const billing = 'tests/browser/billing.spec.ts'

/** Rows of the customer area that tests of other folders prove. */
export const customer: Elsewhere = [
  [
    people,
    'registers from the landing page and ends on the dashboard',
    [
      ...(['C1.1', 'C1.11', 'C2.11', 'C2.14', 'C2.15', 'C2.18', 'C2.25'] as const),
      ...(['C4.3', 'C8.2'] as const),
    ],
  ],
  [
    people,
    'signs in by password, and a wrong one keeps the page',
    ['C2.12', 'C2.13', 'C2.24', 'C8.1'],
  ],
  [
    people,
    'the links move between the modes as specified',
    ['C2.19', 'C2.20', 'C2.21', 'C2.23', 'C4.1', 'C4.2'],
  ],
  [people, 'the fallback mode looks the email up and goes on', ['C2.16', 'C7.8']],
  [
    billing,
    'a customer sees what a bill is for, pays it, and waits',
    [
      ...(['C1.9', 'C2.7', 'C2.78', 'C2.79', 'C2.81', 'C2.82', 'C2.83', 'C2.84'] as const),
      ...(['C4.16', 'C4.17', 'C9.2'] as const),
    ],
  ],
]
