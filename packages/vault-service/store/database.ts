import { ServiceDatabase } from '#packages/service/database'

/** A connection to the service's database. */
export class Database extends ServiceDatabase {
  constructor(url: string, connections?: number) {
    super('berth-vault', url, connections)
  }
}
