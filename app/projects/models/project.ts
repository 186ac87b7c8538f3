import { ServerInstance } from '#instances/public'
import type { ProjectStatus } from '#projects/statuses'
import type { ProjectStack } from '#projects/stacks'
import type { WordpressAdmin } from '#projects/machine/wordpress'
import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'
import encryption from '@adonisjs/core/services/encryption'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

const ENVIRONMENT_PURPOSE = 'project.environment'

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

/** Encrypted column with the login of WordPress's first administrator. Null once WordPress has stored the login. */
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
  declare stack: ProjectStack

  /** Relative to the web root, without leading or trailing slash. */
  @column()
  declare path: string

  @column()
  declare status: ProjectStatus

  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare virtualHost: VirtualHost | null

  @column()
  declare siteFile: string | null

  /** Port inside the instance that serves the preview until the project has a virtual host. */
  @column()
  declare previewPort: number | null

  @column()
  declare siteError: string | null

  /**
   * Environment variables of processes and builds. Encrypted, because any value may be a secret.
   */
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

  static live(options?: ModelAdapterOptions) {
    return Project.query(options).whereNot('status', 'deleted')
  }
}
