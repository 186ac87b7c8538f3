import type { Actor } from '#core/contracts/actor'
import {
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'
import { checkAbility } from '#identity/policies/abilities'
import { staffDisabled, lastAdministratorMustStay } from '#identity/errors'
import Person from '#identity/models/person'
import type { StaffListPage, StaffRow } from '#identity/transformers/page_props'
import db from '@adonisjs/lucid/services/db'

export const staffStatuses = { active: 'Active', invited: 'Invited', disabled: 'Disabled' }

type Status = keyof typeof staffStatuses

const STATUS_SQL = `case when disabled_at is not null then 'disabled'
  when password is null then 'invited' else 'active' end`

export const staffListDefinition: ListDefinition = {
  statuses: staffStatuses,
  sorts: {
    name: 'lower(name)',
    title: 'lower(title)',
    email: 'email',
    role: 'role',
    status: 'status',
  },
  search: searchAnywhereIn('name', 'email', 'title'),
}

interface StaffRecord {
  id: number
  status: Status
}

export async function listStaff(list: ListRequest, actor: Actor): Promise<StaffListPage> {
  const staff = db
    .from('people')
    .where('audience', 'staff')
    .select('*', db.raw(`${STATUS_SQL} as status`))
    .as('staff')
  const { rows: records, ...facts } = await queryListPage<StaffRecord>(
    db.from(staff),
    list,
    staffListDefinition
  )
  const statuses = new Map(records.map(({ id, status }) => [id, status]))
  const people = await Person.query().whereIn('id', [...statuses.keys()])
  const byId = new Map(people.map((person) => [person.id, person]))
  const administrators = await Person.query()
    .where({ audience: 'staff', role: 'administrator' })
    .whereNull('disabledAt')
    .whereNotNull('password')
    .limit(2)
  const manage = checkAbility(actor, 'staff.manage')
  const rows = [...statuses].flatMap(([id, status]): StaffRow[] | StaffRow => {
    const person = byId.get(id)
    if (!person) return []
    const last = administrators.length === 1 && administrators[0].id === person.id
    const keeps: true | string = last ? lastAdministratorMustStay().message : true
    return {
      id: person.id,
      name: person.name,
      email: person.email,
      title: person.title,
      role: person.role!,
      status,
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
            : person.disabledAt
              ? staffDisabled(person.name).message
              : person.password
                ? `${person.name} has already joined.`
                : true,
      },
    }
  })
  return { ...facts, rows, statuses: staffStatuses, invite: manage }
}
