import type { OutsideProof } from '../table.js'

const terminal = 'tests/browser/terminal.spec.ts'
const hosts = 'tests/browser/hosts.spec.ts'
const staffInstances = 'tests/browser/staff_instances.spec.ts'
const chat = 'tests/browser/live_support.spec.ts'
const chatParts = 'inertia/components/support/support.test.tsx'
const said = 'app/support/tests/support.spec.ts'
const files = 'app/support/tests/files.spec.ts'
const grants = 'app/terminal/tests/grants.spec.ts'

/** Rows of docs/conformance.md whose tests are in other folders. */
export const admin: OutsideProof = [
  [
    terminal,
    'opens a shell on the host for administrators, also in full screen',
    ['A1.3', 'A2.48', 'A2.49', 'A2.50', 'A2.51', 'A4.18'],
  ],
  [
    hosts,
    'hosts are listed, found by the start of their name, and put into maintenance and back',
    ['A2.45', 'A2.53'],
  ],
  [
    hosts,
    'a host’s page lists its instances, and changing one requires its typed name',
    ['A2.54', 'A2.57', 'A2.58'],
  ],
  [
    staffInstances,
    'staff update an instance, suspend it with a reason that the customer reads, and resume it',
    ['A1.2'],
  ],
  [
    grants,
    'only administrators get grants for hosts, and for instances in the staff area',
    ['A6.4'],
  ],
  [hosts, 'support staff cannot change hosts, and every button shows the reason', ['A6.4']],
  [
    chat,
    'a customer on a phone and staff exchange texts and files despite a reload and a broken network',
    ['A1.7', 'A2.107'],
  ],
  [said, 'go both ways with the fields of the specification', ['A3.20', 'A6.3', 'A7.7']],
  [said, 'empty, mixed, too long and too many messages are rejected', ['A5.1']],
  [
    files,
    'only the uploader sees an unsent file, and both sides of the conversation see a sent file',
    ['A3.21', 'A7.8', 'A7.10'],
  ],
  [files, 'an upload of over ten files or over 25 MB stores no file', ['A7.10']],
  [chatParts, 'is decoded to plain text', ['A3.20']],
  [chatParts, 'fit in 800 x 1000 and are never enlarged', ['A5.7']],
  [chatParts, 'fail with the two errors of the specification', ['A5.10', 'A5.11']],
  [chatParts, 'shows the alert “Login first” to a signed-out person', ['A8.1']],
  [
    chatParts,
    'sends by Enter, breaks the line by Shift+Enter, and sends no empty message',
    ['A5.2', 'A5.3'],
  ],
  [chatParts, 'shows markup as text, and Retry next to a failed message', ['A8.11']],
  [chatParts, 'accepts ten attachments, removes single ones, and cancels all', ['A4.14', 'A5.6']],
  [
    chatParts,
    'the viewer zooms from 20 to 100 percent, and continues with the first file after the last',
    ['A2.116', 'A2.117', 'A9.5'],
  ],
]
