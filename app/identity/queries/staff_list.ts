import type { Actor } from '#core/contracts/actor'
import type { ListRequest } from '#core/list_page'
import { can } from '#identity/policies/abilities'
import { lastAdministrator } from '#identity/errors'
import Person from '#identity/models/person'
import type { StaffListPage, StaffRow } from '#identity/transformers/pages'

export const staffStatuses = { active: 'Active', invited: 'Invited', disabled: 'Disabled' }

type Status = keyof typeof staffStatuses

function statusOf(person: Person): Status {
  if (person.disabledAt) return 'disabled'
  return person.password ? 'active' : 'invited'
}

/** Staff are few: all are read, then the page is cut. Each row says what can be done with it. */
export async function staffList(asked: ListRequest, actor: Actor): Promise<StaffListPage> {
  const all = await Person.query().where('audience', 'staff').orderBy('id', 'desc')
  const administrators = all.filter(
    (person) => person.role === 'administrator' && statusOf(person) === 'active'
  )
  const manage = can(actor, 'staff.manage')
  const matching = all.filter((person) =>
    [person.name, person.email].some((text) =>
      text.toLowerCase().startsWith(asked.search.toLowerCase())
    )
  )
  const counts: Record<string, number> = {}
  for (const person of matching) counts[statusOf(person)] = (counts[statusOf(person)] ?? 0) + 1
  const shown = matching.filter((person) => !asked.status || statusOf(person) === asked.status)
  const page = Math.min(asked.page, Math.max(1, Math.ceil(shown.length / asked.length)))
  const rows = shown
    .slice((page - 1) * asked.length, page * asked.length)
    .map((person): StaffRow => {
      const last = administrators.length === 1 && administrators[0].id === person.id
      const keeps: true | string = last ? lastAdministrator().message : true
      return {
        id: person.id,
        name: person.name,
        email: person.email,
        title: person.title,
        role: person.role!,
        status: statusOf(person),
        can: {
          edit: manage,
          changeRole: manage === true ? keeps : manage,
          disable:
            manage !== true
              ? manage
              : person.id === actor.id
                ? 'You cannot disable yourself.'
                : keeps,
          enable: manage,
          inviteAgain:
            manage !== true
              ? manage
              : person.password
                ? `${person.name} has joined already.`
                : true,
        },
      }
    })
  return {
    page,
    length: asked.length,
    count: shown.length,
    rows,
    statuses: staffStatuses,
    counts,
    invite: manage,
  }
}
