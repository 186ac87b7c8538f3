/** Names that may contain a word of `NAME_TERMS`. */
export interface AllowedNames {
  reason: string
  names: string[]
  /** Beginning of the paths in which the names are allowed. Default: every path. */
  path?: string
}

export const ALLOWED_NAMES: AllowedNames[] = [
  {
    reason: 'Columns of tables, and fields of rows, models and pages that mirror them.',
    names: [
      'certificateAskedAt',
      'certificate_asked_at',
      'deletionAskedAt',
      'elsewhere',
      'elsewhereError',
      'elsewhereVaultId',
      'foundAt',
      'found_at',
      'kept_until',
      'lane',
      'largestBytes',
      'longest_since',
      'most_connections',
      'thing',
      'told_at',
    ],
  },
  {
    reason: 'The columns `words` of alerts, findings and operations, and what shows them.',
    names: ['words'],
    path: 'app/',
  },
  {
    reason: 'Words of an SQL statement, in the ordinary sense.',
    names: ['words', 'Words', '#words'],
    path: 'app/databases/mysql/transfer/sql_filter.ts',
  },
  {
    reason: 'Fields of the report that the program in the sandbox writes as JSON.',
    names: ['longest', 'said'],
    path: 'app/databases/mysql/transfer/',
  },
  {
    reason: 'Fields of page props and of JSON columns that page props show.',
    names: ['asked', 'facts', 'found', 'isCounted', 'kept', 'largest', 'most', 'place', 'things'],
    path: 'app/',
  },
  { reason: 'Fields of page props.', names: ['facts', 'found', 'things'], path: 'inertia/' },
  {
    reason: 'A field of the requests between the console and the service that makes backups.',
    names: ['place'],
    path: 'packages/backup/contract.ts',
  },
  {
    reason: 'A field of answers of the mail service, which may be of the release before.',
    names: ['kept'],
    path: 'packages/mail-service/control/contract.ts',
  },
  {
    reason: 'The `upgrade` of another release calls the running process manager by these names.',
    names: ['words', 'given'],
    path: 'cli/',
  },
  {
    reason: '“Not found” is the name of the HTTP status and of the error.',
    names: [
      'NOT_FOUND_HTML',
      'NotFound',
      'fileNotFound',
      'inertia/pages/errors/not_found.tsx',
      'isNotFoundError',
      'notFound',
      'nullIfNotFound',
    ],
  },
  {
    reason: 'Custom properties of the style sheet.',
    names: ['sheet'],
    path: 'packages/ui/palette.ts',
  },
  {
    reason: 'Fields of the JSON that the script in the instance prints.',
    names: ['given'],
    path: 'app/projects/pm2/',
  },
]
