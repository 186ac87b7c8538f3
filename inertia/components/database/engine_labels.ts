import type { Engine } from './types'

interface EngineLabels {
  title: string
  /** Word for tables or collections. */
  items: string
  item: string
  /** Password hint that docs/product.md, "Databases" requires. Berth enforces both rules in it. */
  passwordHint: string
  isStrong: (password: string) => boolean
  imports: string[]
  noFile: string
  /** Explains an import that keeps the existing data. */
  mergeHint: string
  exports: Record<string, string>
}

export const engineLabels: Record<Engine, EngineLabels> = {
  mysql: {
    title: 'MySQL',
    items: 'Tables',
    item: 'table',
    passwordHint: 'Min 10 Character, 1 uppercase',
    isStrong: (password) => password.length >= 10 && /\p{Lu}/u.test(password),
    imports: ['.sql', '.gz', '.zip'],
    noFile: 'Please select a .sql file to import.',
    mergeHint:
      'Adds the file to the existing data. The import fails if a table that the file creates exists already, unless the file drops that table first. It also fails if a program writes to the database during the import.',
    exports: {
      sql: 'SQL (.sql)',
      'sql.gz': 'SQL, compressed (.sql.gz)',
    },
  },
  mongodb: {
    title: 'MongoDB',
    items: 'Collections',
    item: 'collection',
    passwordHint: 'Min 10 Character, 1 numeric',
    isStrong: (password) => password.length >= 10 && /\p{Nd}/u.test(password),
    imports: ['.zip'],
    noFile: 'Please select a .zip file to import.',
    mergeHint:
      'Adds the file to the existing data. A document whose _id is already in the database is skipped. Stop programs that write to the database during the import. The import fails if they add or remove documents, but it does not notice changes of existing documents, which are then lost.',
    exports: { zip: 'Zip file of a mongodump folder (.zip)' },
  },
}
