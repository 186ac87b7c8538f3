import { audit } from '#core/audit/audit'
import type { Actor, StaffRole } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { conflict, invalid, notFound } from '#core/app_error'
import { signOutEverywhere } from '#identity/actions/sign_in_and_out'
import { lastAdministratorMustStay, staffDisabled } from '#identity/errors'
import { staffInvitationMail } from '#identity/mails'
import Person from '#identity/models/person'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/**
 * Id of the lock that allows only one change at a time. Otherwise two changes could remove the last two
 * administrators.
 */
const STAFF_LOCK = 7_210_001

interface By {
  actor: Actor
  ip: string
}

async function anotherAdministrator(id: number, trx: TransactionClientContract): Promise<boolean> {
  const other = await Person.query({ client: trx })
    .where({ audience: 'staff', role: 'administrator' })
    .whereNull('disabledAt')
    .whereNotNull('password')
    .whereNot('id', id)
    .first()
  return other !== null
}

async function change<Result>(
  id: number,
  run: (person: Person, trx: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  return db.transaction(async (trx) => {
    await trx.rawQuery('select pg_advisory_xact_lock(?)', [STAFF_LOCK])
    const person = await Person.query({ client: trx }).where({ id, audience: 'staff' }).first()
    if (!person) throw notFound('member of staff')
    return run(person, trx)
  })
}

function subjectOf({ id, email }: Person) {
  return { type: 'person' as const, id, label: email }
}

export interface StaffInvitation {
  name: string
  email: string
  title?: string | null
  role: StaffRole
}

export async function inviteStaff(invitation: StaffInvitation, { actor, ip }: By): Promise<Person> {
  const { name, email, title = null, role } = invitation
  return db.transaction(async (trx) => {
    await trx.rawQuery('select pg_advisory_xact_lock(?)', [STAFF_LOCK])
    if (await Person.findByAddress('staff', email, trx)) {
      throw invalid({ email: 'This email already belongs to a staff member.' })
    }
    const person = await Person.create(
      { audience: 'staff', name, email, title, role, invitedAt: DateTime.utc() },
      { client: trx }
    )
    await sendMail(staffInvitationMail(email, actor.name, role), trx)
    const after = { name, email, title, role }
    await audit({ actor, action: 'staff.invite', subject: subjectOf(person), after, ip }, trx)
    return person
  })
}

export async function inviteAgain(id: number, { actor, ip }: By): Promise<Person> {
  return change(id, async (person, trx) => {
    if (person.disabledAt) throw staffDisabled(person.name)
    if (person.password) throw conflict(`${person.name} has already joined.`)
    await person.useTransaction(trx).merge({ invitedAt: DateTime.utc() }).save()
    await sendMail(staffInvitationMail(person.email, actor.name, person.role!), trx)
    await audit({ actor, action: 'staff.invite_again', subject: subjectOf(person), ip }, trx)
    return person
  })
}

/** The member's next request uses the new role. */
export async function changeStaff(
  id: number,
  { name, title = null, role }: Omit<StaffInvitation, 'email'>,
  { actor, ip }: By
): Promise<Person> {
  return change(id, async (person, trx) => {
    const before = { name: person.name, title: person.title, role: person.role }
    const steppingDown = person.role === 'administrator' && role !== 'administrator'
    if (steppingDown && !(await anotherAdministrator(id, trx))) throw lastAdministratorMustStay()
    await person.useTransaction(trx).merge({ name, title, role }).save()
    const after = { name, title, role }
    await audit(
      { actor, action: 'staff.update', subject: subjectOf(person), before, after, ip },
      trx
    )
    return person
  })
}

/** A disabled member is signed out everywhere immediately. */
export async function setStaffDisabled(
  id: number,
  disable: boolean,
  { actor, ip }: By
): Promise<Person> {
  return change(id, async (person, trx) => {
    if (disable && person.id === actor.id) throw conflict('You cannot disable yourself.')
    if (disable && person.role === 'administrator' && !(await anotherAdministrator(id, trx))) {
      throw lastAdministratorMustStay()
    }
    const before = { disabled: person.disabledAt !== null }
    const disabledAt = disable ? (person.disabledAt ?? DateTime.utc()) : null
    await person.useTransaction(trx).merge({ disabledAt }).save()
    if (disable) await signOutEverywhere(id, { trx })
    const action = disable ? 'staff.disable' : 'staff.enable'
    const after = { disabled: disable }
    await audit({ actor, action, subject: subjectOf(person), before, after, ip }, trx)
    return person
  })
}
