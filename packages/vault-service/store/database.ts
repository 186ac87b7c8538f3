import { ServiceDatabase } from '#packages/service/database'

export class Database extends ServiceDatabase {
  constructor(url: string, connections?: number) {
    super('berth-vault', url, connections)
  }
}
