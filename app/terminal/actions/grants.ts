import type { MachineType } from '#terminal/queries/machines'
import db from '@adonisjs/lucid/services/db'
import { createHash, randomBytes } from 'node:crypto'

/** Time within which a grant must be used (docs/product.md, "Web terminal"). */
export const GRANT_LIFETIME_SECONDS = 60

export interface GrantHolder {
  personId: number
  sessionId: string
}

/** The machine and the folder to which a grant (one-time terminal token) gives access. */
export interface GrantScope {
  machineType: MachineType
  machineId: number
  /** Absolute path of the folder in which the shell starts; null on hosts. */
  folder: string | null
  ip: string | null
}

/** Returns the grant's token, which can be used once, within 60 seconds. */
export async function createGrant(holder: GrantHolder, allowed: GrantScope): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db
    .insertQuery()
    .table('terminal_grants')
    .insert({
      token_hash: hashOf(token),
      person_id: holder.personId,
      session_hash: hashOf(holder.sessionId),
      machine_type: allowed.machineType,
      machine_id: allowed.machineId,
      folder: allowed.folder,
      ip: allowed.ip,
      expires_at: db.raw(`now() + interval '${GRANT_LIFETIME_SECONDS} seconds'`),
    })
  return token
}

/**
 * Only one of several concurrent attempts succeeds. Returns null if the grant is unknown, expired
 * or used, or belongs to another person or session.
 */
export async function redeemGrant(token: string, holder: GrantHolder): Promise<GrantScope | null> {
  const { rows } = await db.rawQuery<{ rows: GrantRow[] }>(
    `update terminal_grants set redeemed_at = now()
     where token_hash = ? and redeemed_at is null and expires_at > now()
       and person_id = ? and session_hash = ?
     returning machine_type, machine_id, folder, ip`,
    [hashOf(token), holder.personId, hashOf(holder.sessionId)]
  )
  const [row] = rows
  if (!row) return null
  const { machine_type: machineType, machine_id: machineId, folder, ip } = row
  return { machineType, machineId, folder, ip }
}

interface GrantRow {
  machine_type: MachineType
  machine_id: number
  folder: string | null
  ip: string | null
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
