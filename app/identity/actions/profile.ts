import { audit } from '#core/audit/audit'
import { sendMail } from '#core/mail/send_mail'
import { invalid } from '#core/app_error'
import type { Actor, ColorScheme } from '#core/contracts/actor'
import { membershipProvider } from '#identity/actor'
import { signOutEverywhere } from '#identity/actions/sign_in_and_out'
import { defaultInstanceChoiceProvider } from '#identity/default_instance_choice_provider'
import { changeNoticeMail } from '#identity/mails'
import Person from '#identity/models/person'
import hash from '@adonisjs/core/services/hash'
import db from '@adonisjs/lucid/services/db'

interface ProfileChange {
  name: string
  title?: string | null
  color_scheme?: ColorScheme
  default_instance_id?: number | null
}

/** @throws 422 at `default_instance_id` if the default instance does not belong to the current account */
export async function changeProfile(actor: Actor, change: ProfileChange, ip: string) {
  const person = await Person.findOrFail(actor.id)
  const before = { name: person.name, title: person.title }
  person.name = change.name
  if (change.color_scheme) person.colorScheme = change.color_scheme
  if (person.audience === 'staff' && change.title !== undefined) person.title = change.title
  const { account } = actor
  const instanceId = account ? change.default_instance_id : undefined
  if (account && instanceId) {
    const choices = await defaultInstanceChoiceProvider.choices(account.id)
    if (!choices.some(({ id }) => id === instanceId)) {
      throw invalid({ default_instance_id: 'Choose one of your instances.' })
    }
  }
  const after = { name: person.name, title: person.title }
  await db.transaction(async (trx) => {
    person.useTransaction(trx)
    await person.save()
    if (instanceId !== undefined) await membershipProvider.chooseInstance(actor, instanceId, trx)
    if (before.name === after.name && before.title === after.title) return
    const accountId = person.audience === 'customer' ? person.id : null
    const subject = { type: 'person' as const, id: person.id, label: person.email }
    await audit(
      { actor: person, accountId, action: 'person.update', subject, before, after, ip },
      trx
    )
  })
}

/** @throws 422 unless `password` is the current one. People without a password (Google sign-in) need none. */
export async function assertCurrentPassword(
  person: Person,
  password: string | undefined
): Promise<void> {
  if (!person.password) return
  if (!password || !(await hash.verify(person.password, password))) {
    throw invalid({ current_password: 'This is not your current password.' })
  }
}

/**
 * Changes the email address after a code sent to the new one was entered. The error may then reveal that another
 * person has the new address, because this person can read its emails. Signs out all browsers except `keepDevice`, and
 * notifies the old address.
 */
export async function changeEmail(
  person: Person,
  email: string,
  { ip, keepDevice }: { ip: string; keepDevice?: string }
): Promise<void> {
  const before = person.email
  await db.transaction(async (trx) => {
    const { rows } = await trx.rawQuery(
      `update people set email = ?, updated_at = now() where id = ? and not exists
         (select 1 from people other where other.audience = people.audience
          and lower(other.email) = lower(?) and other.id <> people.id)
       returning id`,
      [email, person.id, email]
    )
    if (!rows.length) throw invalid({ email: 'Another account already uses this email.' })
    await signOutEverywhere(person.id, { except: keepDevice, trx })
    await audit(
      {
        actor: person,
        accountId: person.audience === 'customer' ? person.id : null,
        action: 'person.change_email',
        subject: { type: 'person', id: person.id, label: email },
        before: { email: before },
        after: { email },
        ip,
      },
      trx
    )
    await sendMail(
      changeNoticeMail(before, `The email of your account is now ${email}`, person.audience),
      trx
    )
  })
}
