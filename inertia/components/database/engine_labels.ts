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
    exports: { zip: 'Zip file of a mongodump folder (.zip)' },
  },
}
