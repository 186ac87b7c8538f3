import { ServiceDatabase } from '#packages/service/database'

/** The service's tables. */
export class Database extends ServiceDatabase {
  constructor(url: string, connections?: number) {
    super('berth-vault', url, connections)
  }
}
