import { ServerInstance } from '#instances/public'
import type { ProjectStatus } from '#projects/statuses'
import type { Stack } from '#projects/stacks'
import type { WordpressAdmin } from '#projects/machine/wordpress'
import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'
import encryption from '@adonisjs/core/services/encryption'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

const ENVIRONMENT_PURPOSE = 'project.environment'

/** Variables by name; only this application can read the column. */
const sealed = {
  prepare: (value: Record<string, string> | null) =>
    value && Object.keys(value).length
      ? encryption.encrypt(value, { purpose: ENVIRONMENT_PURPOSE })
      : null,
  consume: (value: string | null) =>
    value ? (encryption.decrypt<Record<string, string>>(value, ENVIRONMENT_PURPOSE) ?? {}) : {},
  serializeAs: null,
}

const ADMIN_PURPOSE = 'project.wordpress_admin'

/** The first administrator of its WordPress, sealed. Null once WordPress has it. */
const sealedAdmin = {
  prepare: (value: WordpressAdmin | null) =>
    value ? encryption.encrypt(value, { purpose: ADMIN_PURPOSE }) : null,
  consume: (value: string | null) =>
    value ? encryption.decrypt<WordpressAdmin>(value, ADMIN_PURPOSE) : null,
  serializeAs: null,
}

/** A site or app in a folder of a server instance. */
export default class Project extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare serverInstanceId: number

  @column()
  declare name: string

  @column()
  declare stack: Stack

  /** Relative to the web root, without leading or trailing slash. */
  @column()
  declare path: string

  @column()
  declare status: ProjectStatus

  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare virtualHost: VirtualHost | null

  /** The name of its file in Apache's sites; null while it has none. */
  @column()
  declare siteFile: string | null

  /** The port inside the instance for the preview address, which a project has until it has a virtual host. */
  @column()
  declare previewPort: number | null

  /** What the server said when its site could last not be changed. */
  @column()
  declare siteError: string | null

  /** What its processes and builds are given; each value may be a secret. */
  @column(sealed)
  declare environment: Record<string, string>

  @column(sealedAdmin)
  declare wordpressAdmin: WordpressAdmin | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @belongsTo(() => ServerInstance)
  declare instance: BelongsTo<typeof ServerInstance>

  /** All that are not deleted: where a question begins, unless it is about deleted ones too (`query`). */
  static live(options?: ModelAdapterOptions) {
    return Project.query(options).whereNot('status', 'deleted')
  }
}
