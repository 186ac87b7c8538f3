import { accessTopic, publish } from '#core/live/live_events'
import Device from '#identity/models/device'
import Person from '#identity/models/person'
import { rememberBrowser } from '#identity/actions/known_browsers'
import { personDisabled } from '#identity/errors'
import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

/** Must equal the number of days in config/session.ts. */
const SESSION_DAYS = 7

/**
 * Gives the session a new id, and saves the browser as a device.
 * @throws 403 if the person is disabled
 */
export async function signIn(ctx: HttpContext, person: Person): Promise<void> {
  if (person.disabledAt) throw personDisabled()
  await ctx.auth.use(person.audience).login(person)
  const device = await Device.create({
    id: randomUUID(),
    personId: person.id,
    userAgent: (ctx.request.header('user-agent') ?? '').slice(0, 400),
    ip: ctx.request.ip(),
    seenAt: DateTime.utc(),
  })
  ctx.session.put('device', device.id)
  ctx.session.forget('pending')
  rememberBrowser(ctx, person.audience, person.email)
}

export async function signOut(ctx: HttpContext): Promise<void> {
  const { actorIfSignedIn: actor } = ctx
  if (!actor) return
  if (ctx.deviceId) await Device.query().where('id', ctx.deviceId).delete()
  await ctx.auth.use(actor.audience).logout()
  ctx.session.clear()
  ctx.session.regenerate()
  // Makes the next page delete the key with which Inertia encrypts the browser history.
  ctx.session.flash('clearHistory', true)
  await publish(accessTopic(actor.id))
}

/** Finds the person of a session with one query. Returns null if the session's device is signed out. */
export async function findSignedInPerson(
  device: unknown,
  personId: unknown
): Promise<Person | null> {
  if (typeof device !== 'string' || typeof personId !== 'number') return null
  return Person.query()
    .join('devices', 'devices.person_id', 'people.id')
    .where('people.id', personId)
    .where('devices.id', device)
    .select('people.*', 'devices.id as device_id', 'devices.seen_at as device_seen_at')
    .first()
}

/** Writes at most every 5 minutes. */
export async function recordDeviceSeen({ $extras: seen }: Person): Promise<void> {
  if (Date.now() - seen.device_seen_at.getTime() < 300_000) return
  await Device.query().where('id', seen.device_id).update({ seenAt: new Date() })
}

export async function signOutEverywhere(
  personId: number,
  { except, trx }: { except?: string; trx?: TransactionClientContract } = {}
): Promise<void> {
  await Device.query({ client: trx })
    .where('personId', personId)
    .if(except, (query) => query.whereNot('id', except!))
    .delete()
  await publish(accessTopic(personId), { trx })
}

export function listSignedInDevices(personId: number): Promise<Device[]> {
  return Device.query()
    .where('personId', personId)
    .where('seenAt', '>', DateTime.utc().minus({ days: SESSION_DAYS }).toSQL()!)
    .orderBy('seenAt', 'desc')
}
