import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { conflict } from '#core/app_error'
import { signOutEverywhere } from '#identity/public_effects'
import { lockAccountRow } from '#accounts/actions/lock_account_row'
import { runResumeHooks, runSuspensionHooks } from '#accounts/suspension_hooks'
import { suspensionChangeMail } from '#accounts/mails'
import type Account from '#accounts/models/account'
import type { SuspensionCause } from '#accounts/models/account'
import Member from '#accounts/models/member'
import Note from '#accounts/models/note'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/** `actor` is `null` if Berth itself changes the account. */
interface By {
  actor: Actor | null
  ip?: string
}

/**
 * The suspension hooks then stop the account's resources. Until the account is resumed, only routes with `everyMember`,
 * such as paying bills, accept changes by its members.
 * @param reason text for the members
 * @param cause with `overdue`, paying the bills resumes the account. `staff` replaces an earlier `overdue`
 * @throws 409 if the account is closed, or if it is suspended and `cause` does not replace that suspension
 */
export async function suspendAccount(
  id: number,
  reason: string,
  by: By,
  cause: SuspensionCause = 'staff'
): Promise<Account> {
  const account = await changeSuspension(
    id,
    by,
    'account.suspend',
    { reason },
    async (locked, trx) => {
      const takesOver = cause === 'staff' && locked.suspendedFor === 'overdue'
      if (locked.status !== 'active' && !takesOver) {
        throw conflict(`${locked.name} is already ${locked.status}.`)
      }
      const suspended = { statusReason: reason, suspendedAt: DateTime.utc(), suspendedFor: cause }
      locked.merge({ status: 'suspended', ...suspended })
      await mailOwners(locked, `The account "${locked.name}" is suspended`, reason, trx)
    }
  )
  await runSuspensionHooks(account)
  return account
}

/**
 * Also resumes the resources that the suspension stopped.
 * @throws 409 if the account is not suspended
 */
export async function resumeAccount(id: number, by: By): Promise<Account> {
  const account = await changeSuspension(
    id,
    by,
    'account.resume',
    undefined,
    async (locked, trx) => {
      if (locked.status !== 'suspended') throw conflict(`${locked.name} is not suspended.`)
      locked.merge({
        status: 'active',
        statusReason: null,
        suspendedAt: null,
        suspendedFor: null,
        resumedAt: DateTime.utc(),
      })
      await mailOwners(locked, `The account "${locked.name}" is active again`, null, trx)
    }
  )
  await runResumeHooks(account)
  return account
}

export async function signOutMembers(id: number, by: By): Promise<Account> {
  return changeSuspension(id, by, 'account.sign_out', undefined, async (_locked, trx) => {
    for (const { personId } of await Member.query({ client: trx }).where('accountId', id)) {
      await signOutEverywhere(personId, { trx })
    }
  })
}

export async function addNote(id: number, text: string, { actor, ip }: By): Promise<Account> {
  return changeSuspension(id, { actor, ip }, 'account.note', undefined, async (_locked, trx) => {
    await Note.create({ accountId: id, authorId: actor?.id ?? null, text }, { client: trx })
  })
}

async function changeSuspension(
  id: number,
  { actor, ip }: By,
  action: string,
  after: Record<string, unknown> | undefined,
  run: (account: Account, trx: TransactionClientContract) => Promise<void>
): Promise<Account> {
  return db.transaction(async (trx) => {
    const account = await lockAccountRow(id, trx)
    await run(account, trx)
    await account.useTransaction(trx).save()
    const subject = { type: 'account' as const, id, label: account.name }
    // The account's members read its audit log, but notes are only for staff.
    const accountId = action === 'account.note' ? null : id
    await audit({ actor, accountId, action, subject, after, ip }, trx)
    return account
  })
}

async function mailOwners(
  { id }: Account,
  what: string,
  reason: string | null,
  trx: TransactionClientContract
): Promise<void> {
  const owners = await Member.query({ client: trx })
    .where({ accountId: id })
    .whereIn('role', ['owner', 'billing'])
    .preload('person')
  for (const { person } of owners)
    await sendMail(suspensionChangeMail(person.email, what, reason), trx)
}
