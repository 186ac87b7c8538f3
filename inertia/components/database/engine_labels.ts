import type { Engine } from './types'

interface EngineLabels {
  /** what pages call it */
  title: string
  /** what a database is made of */
  items: string
  item: string
  /** letter for letter (product, "Databases"); both parts are rules */
  passwordHint: string
  isStrong: (password: string) => boolean
  /** how names of files end that can be imported */
  imports: string[]
  noFile: string
  /** What an import that keeps the existing data does. */
  mergeHint: string
  /** what an export can be: value -> label */
  exports: Record<string, string>
}

/** What differs between the engines, as pages say it. */
export const engineLabels: Record<Engine, EngineLabels> = {
  mysql: {
    title: 'MySQL',
    items: 'Tables',
    item: 'table',
    passwordHint: 'Min 10 Character, 1 uppercase',
    isStrong: (password) => password.length >= 10 && /\p{Lu}/u.test(password),
    imports: ['.sql', '.sql.gz', '.zip'],
    noFile: 'Please select a .sql file to import.',
    mergeHint:
      'Adds the file to the existing data. The import fails if a table that the file creates exists already, unless the file drops that table first.',
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
      'Adds the file to the existing data. A document whose _id is already in the database is skipped.',
    exports: { zip: 'Zip file of a mongodump folder (.zip)' },
  },
}
