import type { MachineType } from '#terminal/queries/machines'
import db from '@adonisjs/lucid/services/db'
import { createHash, randomBytes } from 'node:crypto'

/** Seconds (product, "Web terminal"). */
export const GRANT_LIFETIME_SECONDS = 60

/** Whom a grant is for: this person, in this session of this browser. */
export interface GrantHolder {
  personId: number
  sessionId: string
}

/** What a grant allows: one shell on one machine, beginning in one folder. */
export interface GrantScope {
  machineType: MachineType
  machineId: number
  /** Absolute; null on hosts. */
  folder: string | null
  /** The address that it was asked for from. */
  ip: string | null
}

/** Writes a grant down and returns what its holder shows the gateway, once, within 60 s. */
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
 * Uses a grant up: of any number of tries at once, one gets it. Null for a grant that does not
 * exist, is too old, was used, or is somebody else's or another session's.
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
