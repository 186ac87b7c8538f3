import type { OutsideProof } from '../table.js'

const people = 'tests/browser/people.spec.ts'
const billing = 'tests/browser/billing.spec.ts'
const projects = 'tests/browser/projects.spec.ts'
const projectCalls = 'app/projects/tests/projects.spec.ts'
const processes = 'inertia/components/project/node_processes.test.tsx'
const files = 'tests/browser/files.spec.ts'
const fileCalls = 'app/files/tests/files.spec.ts'
const unzip = 'app/files/tests/unzip.spec.ts'
const git = 'tests/browser/git.spec.ts'
const gitParts = 'inertia/components/git/git.test.tsx'
const clone = 'app/git/tests/clone.spec.ts'
const terminal = 'tests/browser/terminal.spec.ts'
const shells = 'packages/terminal-gateway/tests/gateway.spec.ts'
const mysql = 'tests/browser/mysql.spec.ts'
const mongodb = 'tests/browser/mongodb.spec.ts'
const databaseParts = 'inertia/components/database/database.test.tsx'
const vaultParts = 'inertia/components/vault/vault.test.tsx'
const call = 'inertia/api_call.test.ts'
const sending = 'app/mail/tests/sending.spec.ts'
const mails = 'packages/mail-service/tests/send.spec.ts'

/** Rows of docs/conformance.md whose tests are in other folders. */
export const customer: OutsideProof = [
  [
    people,
    'a visitor registers from the landing page and reaches the dashboard',
    ['C1.1', 'C1.11', 'C2.11', 'C2.14', 'C2.15', 'C2.18', 'C2.25', 'C4.3', 'C8.2'],
  ],
  [
    people,
    'a person signs in by password, and a wrong password keeps the page',
    ['C2.12', 'C2.13', 'C2.24', 'C8.1'],
  ],
  [
    people,
    'links between the modes of the sign-in page work as specified',
    ['C2.19', 'C2.20', 'C2.21', 'C2.23', 'C4.1', 'C4.2'],
  ],
  [
    people,
    'the mode check-mail continues with Login for a known email address, and with Register for an unknown address',
    ['C2.16', 'C7.8'],
  ],
  [
    billing,
    'a customer opens a bill, pays it and sees that it waits for approval',
    [
      'C1.9',
      'C2.7',
      'C2.78',
      'C2.79',
      'C2.81',
      'C2.82',
      'C2.83',
      'C2.84',
      'C4.16',
      'C4.17',
      'C9.2',
    ],
  ],
  [
    projects,
    'a site gets an address, and a rejection by the server is shown',
    ['C1.3', 'C2.44', 'C2.48', 'C4.5', 'C5.33'],
  ],
  [
    projects,
    'an app is monitored, stopped and started, and its deletion is final',
    ['C1.3', 'C2.47', 'C4.19'],
  ],
  [processes, 'each status has its allowed actions', ['C4.18', 'C4.19']],
  [
    projectCalls,
    'store creates a project and starts its setup, and rejects a used path and missing fields',
    ['C5.2', 'C7.24'],
  ],
  [
    files,
    'creates, edits, uploads, renames, unzips and deletes files',
    ['C1.4', 'C2.51', 'C2.55', 'C2.56', 'C2.57', 'C2.58', 'C5.16', 'C5.23', 'C8.7'],
  ],
  [fileCalls, 'lists files with size, time, mode and links', ['C7.10']],
  [
    fileCalls,
    'the editor keeps bytes and modes, detects changes and rejects binary files',
    ['C7.11', 'C7.12'],
  ],
  [fileCalls, 'creates and renames files only if the name is free', ['C5.17', 'C7.13', 'C7.16']],
  [fileCalls, 'accepts the specified upload form without query string', ['C7.14']],
  [fileCalls, 'deletes a folder with its content, and rejects a wrong type', ['C7.15']],
  [fileCalls, 'downloads whole files and ranges', ['C7.18']],
  [fileCalls, 'deletes an interrupted upload, and rejects one above the limit', ['C9.9']],
  [unzip, 'accepts only names that end in .zip', ['C5.16']],
  [unzip, 'unpacks all entries at once, also with unusual names', ['C7.17']],
  [git, 'clone, check out, merge and delete a branch', ['C1.4', 'C2.52', 'C4.24', 'C5.22']],
  [gitParts, 'have the actions of the specification', ['C4.20', 'C4.21', 'C4.22']],
  [gitParts, 'treats an empty directory, a dot and a slash as the folder itself', ['C5.15']],
  [clone, 'clones a private repository and stores no secret', ['C3.14', 'C7.23']],
  [clone, 'requires the URL, and a user name only with a password', ['C5.3', 'C5.4', 'C5.9']],
  [
    clone,
    'the API reports, checks out, merges and deletes branches with the specified responses',
    ['C7.19', 'C7.21', 'C7.22'],
  ],
  [terminal, 'shows the reason of its end, and reconnects', ['C8.13']],
  [shells, 'a terminal echoes, resizes, and closes when its shell exits', ['C7.55']],
  [
    mysql,
    'a dump is imported completely or not at all, exported, and restored from a backup',
    ['C1.6', 'C2.60', 'C7.46'],
  ],
  [
    mongodb,
    'databases and users are listed as specified, and a database can be created',
    ['C1.6', 'C2.62', 'C2.64', 'C5.13', 'C7.41'],
  ],
  [mongodb, 'an export asks for credentials, posts them, and explains a failure', ['C8.4']],
  [databaseParts, 'shows sizes of MongoDB in KB, and the specified columns of users', ['C3.18']],
  [databaseParts, 'rejects other file types with the specified messages', ['C5.26', 'C5.27']],
  [databaseParts, 'the export error %s gets the specified message', ['C8.4', 'C8.6']],
  [
    databaseParts,
    'shows the reason of a failure, or the specified message if there is none',
    ['C8.5'],
  ],
  [vaultParts, 'requires the exact name of a folder', ['C5.19']],
  [vaultParts, 'requires a checkbox for a file', ['C5.20']],
  [call, 'call reports a network failure as a result with status 0, and does not throw', ['C8.3']],
  [sending, 'works with the copied secret, until staff suspend the sender', ['C1.8', 'C7.59']],
  [mails, 'a message is stored completely and counted before the response', ['C7.59']],
]
