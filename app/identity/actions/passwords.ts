import { audit } from '#core/audit/audit'
import type { Audience } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { changeNoticeMail } from '#identity/mails'
import Person from '#identity/models/person'
import { signOutEverywhere } from '#identity/actions/sign_in_and_out'
import hash from '@adonisjs/core/services/hash'
import db from '@adonisjs/lucid/services/db'

let nobodys: Promise<string> | undefined

/** Also computes a hash if there is no such person or no password, so that the response time reveals nothing. */
export async function verifyCredentials(
  audience: Audience,
  email: string,
  password: string
): Promise<Person | null> {
  nobodys ??= hash.make('nobody has this password')
  const person = await Person.findByAddress(audience, email)
  const right = await hash.verify(person?.password ?? (await nobodys), password)
  return right && person?.password ? person : null
}

/**
 * Sets the password of a person who has proved their identity. Signs out all their browsers except `keepDevice`.
 * Notifies them by email if they had a password before.
 */
export async function setPassword(
  person: Person,
  password: string,
  { ip, keepDevice }: { ip: string; keepDevice?: string }
): Promise<void> {
  await db.transaction(async (trx) => {
    const had = person.password !== null
    person.useTransaction(trx)
    person.password = password
    await person.save()
    await signOutEverywhere(person.id, { except: keepDevice, trx })
    await audit(
      {
        actor: person,
        accountId: person.audience === 'customer' ? person.id : null,
        action: had ? 'person.change_password' : 'person.choose_password',
        subject: { type: 'person', id: person.id, label: person.email },
        ip,
      },
      trx
    )
    if (had)
      await sendMail(
        changeNoticeMail(person.email, 'Your password was changed', person.audience),
        trx
      )
  })
}
