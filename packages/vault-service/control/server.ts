import { controlHandler as handler, type ControlHandlers } from '#packages/service/control_handler'
import { randomBytes, randomInt } from 'node:crypto'
import { makeLink } from '../http/signed_links.js'
import { checkName, checkNewName } from '../http/object_names.js'
import { applySpendingLimits, MONTH_COST_SQL } from '../meter/spending_limits.js'
import { vaultErrors, VaultError } from '../errors.js'
import type { Database } from '../store/database.js'
import type { ChangeCounters } from '../store/change_counters.js'
import { AFTER_LAST_NAME } from '../store/listing.js'
import type { VaultSecretCipher } from '../store/secret_encryption.js'
import { digestOf } from '../store/vault_cache.js'
import {
  bodyStorageNames,
  type ObjectStore,
  type StoredObject,
  type BodyStorageName,
  type Vault,
} from '../types.js'
import { S3BodyStorage } from '../store/s3_body_storage.js'
import type { BodyStorages } from '../upkeep/sweep.js'
import type { ControlApi, DailyVaultUsage, VaultInfo } from './contract.js'

export interface ControlDeps {
  database: Database
  generations: ChangeCounters
  seal: VaultSecretCipher
  store: ObjectStore
  stores: BodyStorages
  newVaults?: BodyStorageName
  key: string
}

const SECONDS_PER_WEEK = 7 * 86_400

export function vaultControlHandler(deps: ControlDeps) {
  const tooLarge = () => vaultErrors.tooLarge('The request is too large.')
  return handler<ControlApi>({ handlers: handlersOf(deps), key: deps.key, tooLarge })
}

function handlersOf({
  database,
  generations,
  seal,
  store,
  stores,
  newVaults = 'folder',
}: ControlDeps): ControlHandlers<ControlApi> {
  const vault = async (id: number): Promise<Vault> => {
    const row = await store.vaultById(id)
    if (!row) throw vaultErrors.noVault()
    return row
  }

  /** IDs and secrets of keys consist of letters and digits, so no program needs to escape them. */
  const addKey = async (
    vaultId: number,
    key: { accessKeyId?: string; name: string; readOnly: boolean }
  ): Promise<string> => {
    const secret = word(40)
    await database.rows(
      `insert into vault.keys (vault_id, access_key_id, secret_digest, secret, name, read_only)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        vaultId,
        key.accessKeyId ?? null,
        digestOf(secret),
        seal.encrypt(secret),
        key.name,
        key.readOnly,
      ]
    )
    generations.bumpVault(vaultId)
    return secret
  }

  const ownSecret = async (vaultId: number): Promise<string> => {
    const row = await database.row<{ secret: string }>(
      `select secret from vault.keys where vault_id = $1 and access_key_id is null
       and expires_at is null order by id desc limit 1`,
      [vaultId]
    )
    return row ? seal.decrypt(row.secret) : addKey(vaultId, { name: 'Vault', readOnly: false })
  }

  return {
    async makeVault({ id, accountId, key }) {
      await database.rows(
        `insert into vault.vaults (id, account_id, key, link_key, store) values ($1, $2, $3, $4, $5)
         on conflict (id) do nothing`,
        [id, accountId, key, seal.encrypt(randomBytes(32).toString('base64')), newVaults]
      )
      const row = await database.row(
        'select from vault.vaults where id = $1 and account_id = $2 and key = $3',
        [id, accountId, key]
      )
      if (!row) throw vaultErrors.exists('Another vault already has this id or key.')
      return { secret: await ownSecret(id) }
    },

    async changeVault({ id, state, isPrivate, cors, monthlyLimit, store: target, endLinks }) {
      if (target && !stores[target]) throw vaultErrors.noStore()
      await database.rows(
        `update vault.vaults set state = coalesce($2, state), is_private = coalesce($3, is_private),
           cors = coalesce($4, cors), monthly_limit = case when $5 then $6::numeric else monthly_limit end,
           store = coalesce($7, store), link_key = coalesce($8, link_key)
         where id = $1`,
        [
          id,
          state ?? null,
          isPrivate ?? null,
          cors ? JSON.stringify(cors) : null,
          monthlyLimit !== undefined,
          monthlyLimit ?? null,
          target ?? null,
          endLinks ? seal.encrypt(randomBytes(32).toString('base64')) : null,
        ]
      )
      if (monthlyLimit !== undefined) await applySpendingLimits(database, generations)
      generations.bumpVault(id)
      return {}
    },

    async setPrices({ request, bandwidthGb, storageGb }) {
      const changed = await database.rows(
        `insert into vault.prices as p (request, bandwidth_gb, storage_gb) values ($1, $2, $3)
         on conflict (id) do update set request = excluded.request,
           bandwidth_gb = excluded.bandwidth_gb, storage_gb = excluded.storage_gb
         where (p.request, p.bandwidth_gb, p.storage_gb)
           is distinct from (excluded.request, excluded.bandwidth_gb, excluded.storage_gb)
         returning p.id`,
        [request, bandwidthGb, storageGb]
      )
      if (changed.length) await applySpendingLimits(database, generations)
      return {}
    },

    async vaults({ ids }) {
      const rows = await database.rows<InfoRow>(
        `select v.*, ${MONTH_COST_SQL}::numeric(20, 6) as cost,
           coalesce(u.requests, 0)::bigint as requests, coalesce(u.bytes_in, 0)::bigint as bytes_in,
           coalesce(u.bytes_out, 0)::bigint as bytes_out, coalesce(u.byte_hours, 0) as byte_hours,
           (select count(*) from vault.objects o where o.vault_id = v.id and o.store not in (v.store, 'rows')) as to_move,
           (select count(*) from vault.findings f where f.vault_id = v.id) as findings
         from vault.vaults v left join lateral (
           select sum(requests) as requests, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out,
             sum(byte_hours) as byte_hours
           from vault.usage where vault_id = v.id
             and day >= date_trunc('month', now() at time zone 'UTC')::date) u on true
         where v.id = any ($1) order by v.id`,
        [ids]
      )
      return rows.map(infoOf)
    },

    async stores() {
      const { bucket } = stores
      const why =
        bucket instanceof S3BodyStorage
          ? await bucket.check().then(
              () => undefined,
              (error: Error) => error.message
            )
          : undefined
      return {
        newVaults,
        stores: bodyStorageNames
          .filter((name) => stores[name])
          .map((name) => ({
            name,
            problem: (name === 'bucket' && why) || null,
          })),
      }
    },

    async requestCounts({ ids }) {
      const rows = await database.rows<{ vault_id: number; month: string; requests: number }>(
        `select vault_id, to_char(day, 'YYYY-MM') as month, sum(requests)::bigint as requests
         from vault.usage where vault_id = any ($1) group by 1, 2 order by 2 desc`,
        [ids]
      )
      const counts: Record<string, Record<string, number>> = {}
      for (const { vault_id: id, month, requests } of rows) {
        counts[id] = { ...counts[id], [month]: requests }
      }
      return counts
    },

    async usage({ id, from, to }) {
      const rows = await database.rows<DayRow>(
        'select * from vault.usage where vault_id = $1 and day between $2 and $3 order by day',
        [id, from, to]
      )
      return rows.map(dayOf)
    },

    async closedDays({ after }) {
      const rows = await database.rows<DayRow>(
        `select * from vault.usage
         where (day, vault_id) > ($1::date, $2) and day < ((now() - interval '10 minutes') at time zone 'UTC')::date
         order by day, vault_id limit 1000`,
        [after.day, after.vaultId]
      )
      return rows.map(dayOf)
    },

    async list({ id, path, search = '', after, limit }) {
      const target = await vault(id)
      const folder = path ? `${path}/` : ''
      const page = await store.list(target, {
        prefix: folder + search,
        delimiter: '/',
        after,
        limit: Math.min(limit, 1_000),
      })
      return {
        folders: page.prefixes.map((prefix) => prefix.slice(0, -1)),
        files: page.objects.filter(({ name }) => name !== folder).map(fileOf),
        next: page.next,
      }
    },

    async makeFolder({ id, path }) {
      const target = await vault(id)
      checkNewName(path)
      const taken = await database.row(
        `select from vault.objects where vault_id = $1
         and (name = $2 or (name >= $2 || '/' and name < $2 || '/' || $3)) limit 1`,
        [id, path, AFTER_LAST_NAME]
      )
      if (taken) throw vaultErrors.exists()
      const received = await store.receive(target, none(), 0)
      const metadata = { type: 'application/x-directory', headers: {}, meta: {}, checksums: {} }
      try {
        await store.put(target, `${path}/`, received, metadata, { absent: true })
      } catch (error) {
        throw error instanceof VaultError && error.code === 'condition'
          ? vaultErrors.exists()
          : error
      }
      return {}
    },

    async removeFolder({ id, path }) {
      const target = await vault(id)
      checkName(path)
      const removed = await store.removeBeginning(target, `${path}/`)
      if (!removed) throw vaultErrors.noObject('This folder does not exist.')
      return { removed }
    },

    async removeFiles({ id, names }) {
      return { removed: await store.remove(await vault(id), names) }
    },

    async link({ id, name, expiresIn, download, upload }) {
      const target = await vault(id)
      if (upload) checkNewName(name)
      else checkName(name)
      const expires =
        Math.floor(Date.now() / 1_000) + Math.min(Math.max(expiresIn, 1), SECONDS_PER_WEEK)
      const method = upload ? 'PUT' : 'GET'
      return { path: makeLink(target, { method, name, expires, download, size: upload?.size }) }
    },

    async keys({ id }) {
      await vault(id)
      const rows = await database.rows<KeyRow>(
        `select * from vault.keys where vault_id = $1
         and (expires_at is null or expires_at > now()) order by id`,
        [id]
      )
      return rows.map((row) => ({
        id: row.id,
        accessKeyId: row.access_key_id,
        name: row.name,
        readOnly: row.read_only,
        expiresAt: row.expires_at?.toISOString() ?? null,
        createdAt: row.created_at.toISOString(),
      }))
    },

    async makeKey({ id, name, readOnly }) {
      await vault(id)
      const accessKeyId = word(20).toUpperCase()
      const secret = await addKey(id, { accessKeyId, name, readOnly })
      return { accessKeyId, secret }
    },

    async removeKey({ id, keyId }) {
      await database.rows(
        'delete from vault.keys where vault_id = $1 and id = $2 and access_key_id is not null',
        [id, keyId]
      )
      generations.bumpVault(id)
      return {}
    },

    async rotateKey({ id, keyId, overlap }) {
      const old = await database.row<KeyRow>(
        `update vault.keys set expires_at = now() + make_interval(secs => $3)
         where vault_id = $1 and id = $2 and expires_at is null returning *`,
        [id, keyId, overlap]
      )
      if (!old) throw vaultErrors.noObject('This key does not exist, or it was already replaced.')
      const accessKeyId = old.access_key_id === null ? undefined : word(20).toUpperCase()
      const secret = await addKey(id, { accessKeyId, name: old.name, readOnly: old.read_only })
      return { accessKeyId: accessKeyId ?? null, secret }
    },

    async findings({ id }) {
      const rows = await database.rows<{ name: string; kind: string; found_at: Date }>(
        'select * from vault.findings where vault_id = $1 order by name limit 1000',
        [id]
      )
      return rows.map(({ name, kind, found_at: at }) => ({ name, kind, foundAt: at.toISOString() }))
    },

    async uploads({ id }) {
      const rows = await database.rows<UploadRow>(
        `select u.id, u.name, u.started_at, count(p.number)::int as parts,
           coalesce(sum(p.size), 0)::bigint as bytes
         from vault.uploads u left join vault.parts p on p.upload_id = u.id
         where u.vault_id = $1 and u.completed is null
         group by u.id order by u.started_at limit 1000`,
        [id]
      )
      return rows.map(({ started_at: at, ...row }) => ({ ...row, startedAt: at.toISOString() }))
    },

    async abortUpload({ id, uploadId }) {
      await store.abortUpload(await vault(id), uploadId)
      return {}
    },
  }
}

async function* none(): AsyncIterable<Buffer> {}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function word(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}

function fileOf({ name, size, type, etag, modifiedAt }: StoredObject) {
  return { name, size, type, etag, modifiedAt: modifiedAt.toISOString() }
}

interface InfoRow {
  id: number
  key: string
  state: VaultInfo['state']
  is_private: boolean
  cors: VaultInfo['cors']
  monthly_limit: string | null
  limit_reached: boolean
  bytes: number
  objects: number
  store: VaultInfo['store']
  to_move: number
  findings: number
  requests: number
  bytes_in: number
  bytes_out: number
  byte_hours: string
  cost: string
}

function infoOf(row: InfoRow): VaultInfo {
  return {
    id: row.id,
    key: row.key,
    state: row.state,
    isPrivate: row.is_private,
    cors: row.cors,
    monthlyLimit: row.monthly_limit,
    limitReached: row.limit_reached,
    bytes: row.bytes,
    objects: row.objects,
    store: row.store,
    toMove: row.to_move,
    findings: row.findings,
    month: {
      requests: row.requests,
      bytesIn: row.bytes_in,
      bytesOut: row.bytes_out,
      byteHours: row.byte_hours,
      cost: row.cost,
    },
  }
}

interface DayRow {
  vault_id: number
  account_id: number
  day: string
  requests: number
  bytes_in: number
  bytes_out: number
  byte_hours: string
}

function dayOf(row: DayRow): DailyVaultUsage {
  return {
    vaultId: row.vault_id,
    accountId: row.account_id,
    day: row.day,
    requests: row.requests,
    bytesIn: row.bytes_in,
    bytesOut: row.bytes_out,
    byteHours: row.byte_hours,
  }
}

interface KeyRow {
  id: number
  access_key_id: string | null
  name: string
  read_only: boolean
  expires_at: Date | null
  created_at: Date
}

interface UploadRow {
  id: string
  name: string
  started_at: Date
  parts: number
  bytes: number
}
